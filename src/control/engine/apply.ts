/** Merges what a run of an engine did in its worktree into a checkout of the machine that has the worktree. */
import { existsSync } from 'node:fs';
import { openStoredRun } from '../../runtime/store/stored-run.js';
import { keptFacts } from '../../runtime/worktree/worktree-facts.js';
import { applyRun } from '../folder/apply.js';
import { type Result, refuse } from '../result.js';
import type { AppliedRun, ApplyOptions } from '../runs.js';
import type { EngineFolder } from './engine-folder.js';

/** `directory`: the store for copies. Rejects with a `RunRefused`, a `StoreError` or an `EngineFailure`. */
export async function applyFromEngine(
  { client, find, copy }: EngineFolder,
  directory: string,
  run: string | null,
  { cwd = '.', by }: ApplyOptions = {},
): Promise<Result<AppliedRun>> {
  const id = await find(run ?? (await latestReturned(client)));
  // The copy of a run that is executed looks as if its process had died, and may not say yet that it has a worktree.
  if ((await client.status(id))?.status === 'running')
    return refuse('unfinished', `run \`${id}\` has not returned: its status is running`, 'wait until it ends');
  await copy(id);
  const facts = keptFacts(openStoredRun(directory, id).path);
  if (facts === null)
    return refuse(
      'wrong-use',
      `run \`${id}\` has no worktree`,
      'only runs that were submitted with `--worktree` have one',
    );
  const applied = await applyRun(directory, id, cwd, by);
  const isHere = existsSync(facts.directory);
  if (applied.ok || isHere || (applied.refusal.facts as { reason?: string } | undefined)?.reason !== 'lost')
    return applied;
  const home = (await client.about(id))?.home ?? '';
  return refuse(
    'not-applied',
    `the worktree \`${facts.directory}\` of run \`${id}\` is on a worker with the home \`${home}\``,
    `apply the run there, or fetch the branch first: \`git fetch REPOSITORY ${facts.branch}:${facts.branch}\``,
  );
}

async function latestReturned(client: EngineFolder['client']): Promise<string | null> {
  const runs = await client.list(Number.POSITIVE_INFINITY);
  return runs.find(({ status }) => status === 'returned')?.run_id ?? null;
}
