/** Begins a new run on an engine at a point of one that it has: the copy of that one here says from where. */

import { omitUndefined } from '../../prelude/omit-undefined.js';
import {
  type ReplayElsewhere,
  type Resumption,
  replayElsewhere,
  resumptionOf,
} from '../../runtime/run/again/replay-elsewhere.js';
import type { ReplayStarting } from '../../runtime/run/again/replay-start.js';
import type { ResumeOptions } from '../../runtime/run/again/resume-options.js';
import { newRunId } from '../../runtime/run/run-id.js';
import { RunRefused } from '../../runtime/store/store-error.js';
import { openStoredRun } from '../../runtime/store/stored-run.js';
import { type EngineClient, EngineFailure } from '../client.js';
import type { Beginning, StoredArtifact, Submission } from '../messages.js';
import { referencesIn, unknownRun } from '../mirror.js';
import { storedLines } from '../stored-lines.js';
import { artifactContent, bytesOf, MOST_ARTIFACT, MOST_KEPT_LINES, MOST_MESSAGE } from '../turn-record.js';

/** What a new run on an engine is begun with. */
export interface ReplayOnEngine extends Pick<ReplayStarting, 'from' | 'limits' | 'person' | 'machine' | 'file'> {
  /** The id of the new run; by default a new one. */
  readonly runId?: string;
}

/** The new run, whose first `seq` events are those of the old one. */
interface BegunReplay {
  readonly runId: string;
  readonly machine: string;
  readonly seq: number;
}

/**
 * `directory`: the store with the copy of the old run. Rejects with a `RunRefused`, a `StoreError` or an `EngineFailure`;
 * then the engine has nothing of the new run.
 */
export async function replayOn(
  client: EngineClient,
  old: string,
  directory: string,
  { runId = newRunId(), ...options }: ReplayOnEngine,
): Promise<BegunReplay> {
  const about = await client.about(old);
  if (about === null) throw unknownRun(old);
  if (about.secretInputs !== undefined || about.variables !== undefined)
    throw new RunRefused(
      'wrong-use',
      `run \`${old}\` has secret inputs, which its record does not have, so it cannot be replayed on an engine`,
      `submit it again, or execute it here: \`statedsl replay ${old} --from POINT -i NAME=VALUE --on none\``,
    );
  // What a worker has replaced is replaced in the record, too.
  const starting = { ...options, env: {}, partBytes: MOST_KEPT_LINES };
  const replayed = replayElsewhere(openStoredRun(directory, old), runId, starting);
  const artifacts = artifactsOf(old, replayed);
  const output = artifacts.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const submission = submissionOf(about, replayed, { old, runId, by: options.person ?? 'user' });
  const beginning = beginningOf(replayed, output);
  const size = bytesOf({ ...submission, beginning });
  if (size > MOST_MESSAGE)
    throw tooLarge(old, `what the new run takes over has ${size} bytes of JSON with the program and its sources`);
  try {
    // Lines that refer to them come later.
    for (const { name, bytes } of artifacts)
      await client.store(runId, { name, content: artifactContent(bytes), isEarly: true } satisfies StoredArtifact);
    await client.submit(submission, beginning);
  } catch (cause) {
    // Of a failure without an answer it is not known whether the run has begun.
    const isRefused = cause instanceof EngineFailure && cause.kind === 'refused';
    if (isRefused && artifacts.length > 0) await client.drop(runId, 0).catch(() => undefined);
    throw cause;
  }
  return { runId, machine: about.header.machine.name, seq: replayed.seq };
}

function submissionOf(
  { onBusy: _, ...about }: Submission,
  { worktrees }: ReplayElsewhere,
  { old, runId, by }: { readonly old: string; readonly runId: string; readonly by: string },
): Submission {
  // A replayed run is a trace of its own, with the one that it is copied from as its origin.
  const { traceparent: origin, ...others } = about.header.settings;
  const settings = { ...others, replay_of: old, ...omitUndefined({ origin_traceparent: origin }) };
  const header = { ...about.header, runId, startedAt: new Date().toISOString(), settings };
  if (worktrees === null) return { ...about, header, by };
  return { ...about, header, by, worktree: { from: { ...worktrees, commits: [...worktrees.commits] } } };
}

function beginningOf({ image, events, parts }: ReplayElsewhere, output: number): Beginning {
  const journal = parts.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const lines = parts.map(({ bytes, count, first }) => storedLines(bytes, count, first));
  return { image, events, lines, written: { journal, output } };
}

/** What the lines refer to. A value of the program that only looks like a reference has no artifact. */
function artifactsOf(old: string, { parts, artifacts }: ReplayElsewhere) {
  const names = new Set(parts.flatMap(({ bytes }) => referencesIn(bytes.toString('latin1'))));
  return [...names].flatMap((name) => {
    const size = artifacts.sizeOf(name);
    if (size !== null && size > MOST_ARTIFACT) throw tooLarge(old, `an output that it takes over has ${size} bytes`);
    return size === null ? [] : [{ name, bytes: artifacts.get(name) }];
  });
}

function tooLarge(old: string, what: string): RunRefused {
  return new RunRefused(
    'wrong-use',
    `run \`${old}\` cannot be replayed on an engine from there: ${what}, and an engine gets at most 16 MiB`,
    `execute it here: \`statedsl replay ${old} --from POINT --on none\``,
  );
}

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
