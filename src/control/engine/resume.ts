/** Resumes a run of an engine from before its failure, or with other limits: its copy here says from where. */
import type { EngineClient } from '../../engine/client.js';
import type { ResumeOptions } from '../../runtime/run/again/resume-options.js';
import { type Resumption, resumptionOf } from '../../runtime/run/again/resumption.js';
import { RunRefused } from '../../runtime/store/run-refused.js';
import { openStoredRun } from '../../runtime/store/stored-run.js';

/** What a run on an engine is resumed with. */
export type ResumeElsewhere = Pick<ResumeOptions, 'limits' | 'again' | 'person' | 'machine' | 'file'>;

/**
 * `directory`: the store with the copy of the run. Resolves with the number of the last event before. Rejects with a `RunRefused`,
 * a `StoreError` or an `EngineFailure`.
 */
export async function resumeOn(
  client: EngineClient,
  runId: string,
  directory: string,
  options: ResumeElsewhere,
): Promise<number> {
  const about = await client.about(runId);
  if (about?.secretInputs !== undefined || about?.variables !== undefined)
    throw new RunRefused(
      'wrong-use',
      `run \`${runId}\` has secret inputs, which its record does not have, so it cannot be resumed`,
      `submit it again, or execute it here from a point: \`statedsl replay ${runId} --from POINT -i NAME=VALUE --on none\``,
    );
  const stored = openStoredRun(directory, runId);
  if (about?.worktree !== undefined && stored.about.options.worktree === undefined)
    throw new RunRefused(
      'wrong-use',
      `run \`${runId}\` cannot be resumed, because its worker could not make its worktree`,
      'submit it again',
    );
  const resumption: Resumption = await resumptionOf(stored, {
    ...options,
    // What a worker has replaced is replaced in the record, too.
    env: {},
  });
  await client.resume(runId, { ...resumption, by: options.person ?? 'user' });
  return resumption.seq;
}
