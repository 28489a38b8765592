/** Stored runs of a folder, executed by this process: resumed, executed again from a point, or compared with a program. */
import { join } from 'node:path';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { checkDrift, replay } from '../../runtime/run/again/replay-run.js';
import type { ResumeOptions } from '../../runtime/run/again/resume-options.js';
import { resume } from '../../runtime/run/again/resume-run.js';
import { newRunId } from '../../runtime/run/run-id.js';
import type { Started } from '../../runtime/run/run-options.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import { lastEvents } from '../../runtime/store/journal-lines.js';
import { RunRefused } from '../../runtime/store/store-error.js';
import { openStoredRun } from '../../runtime/store/stored-run.js';
import type { CompareOptions, ReplayFrom } from '../execution-options.js';
import { loadSettings } from '../project/settings.js';
import { programOf } from '../project/stored-program.js';
import type { Result } from '../result.js';
import type { Drift, Execution } from '../runs.js';
import { begin, withNotices } from './begin-execution.js';
import { type ContinuedOptions, continuedOptions, type StoredRuns } from './continued-options.js';
import { findOwnRun } from './find-run.js';

export function resumeStored(runs: StoredRuns, run: string, given: ContinuedOptions): Promise<Result<Execution>> {
  return execute(runs, run, given, resume);
}

export function replayStored(
  runs: StoredRuns,
  run: string,
  from: ReplayFrom,
  given: ContinuedOptions,
): Promise<Result<Execution>> {
  return execute(runs, run, { ...given, isCopy: true }, (id, options) => replay(id, { ...options, from }));
}

/** Rejects with a `RunRefused`, an `InvalidProgram` or a `StoreError`. */
export async function compareStored(runs: StoredRuns, run: string, given: CompareOptions): Promise<Drift> {
  const id = await findOwnRun(runs.directory, run);
  const { dir, inputs, env, secrets, machine } = await continuedOptions(runs, id, given);
  const { events, difference } = await checkDrift(id, omitUndefined({ dir, inputs, env, secrets, machine }));
  return { run_id: id, status: difference === null ? 'same' : 'different', events, difference };
}

/** A run with a key is executed again only while it has the key. Rejects with a `RunRefused` or a `StoreError`. */
async function withKey(
  { directory }: StoredRuns,
  id: string,
  options: ResumeOptions & { readonly runId?: string | undefined },
  isCopy: boolean,
  action: (id: string, options: ResumeOptions) => Promise<RunReport>,
): Promise<RunReport> {
  const stored = openStoredRun(directory, id);
  const { key } = stored.about;
  // What cannot be executed again is refused, and waits for nobody.
  if (key === undefined || (!isCopy && options.rollback !== true && hasEndedForGood(stored.path)))
    return action(id, options);
  const { waitForKey } = await import('../../runtime/run/take-key.js');
  const runId = isCopy ? (options.runId ?? newRunId()) : id;
  const claimed = await waitForKey(key, { directory, runId, signal: options.signal, onBusy: options.onKeyBusy });
  if (claimed === null)
    throw new RunRefused('held', `run \`${id}\` was stopped while it waited for the key \`${key.name}\``);
  try {
    const onStart = (started: Started): void => {
      claimed.release();
      options.onStart?.(started);
    };
    return await action(id, { ...options, ...(isCopy ? { runId } : {}), onStart });
  } finally {
    claimed.release();
  }
}

const END_BYTES = 64 * 1024;

function hasEndedForGood(path: string): boolean {
  const [last] = lastEvents(join(path, 'journal.ndjson'), END_BYTES);
  if (last?.type === 'run_failed') return last.error.kind === 'cancelled';
  return last?.type === 'run_returned' || last?.type === 'run_skipped';
}

function execute(
  runs: StoredRuns,
  run: string,
  given: ContinuedOptions,
  action: (id: string, options: ResumeOptions) => Promise<RunReport>,
): Promise<Result<Execution>> {
  const { directory } = runs;
  const start = async (onStart: (started: Started) => void): Promise<RunReport> => {
    const id = await findOwnRun(directory, run);
    const options = await continuedOptions(runs, id, given);
    await given.prepare?.(options);
    const { host } = runs;
    const { configuration } = await loadSettings(host, programOf(openStoredRun(directory, id)) ?? '-');
    const { env, onUnsent } = options;
    return withNotices({ directory, host, ...omitUndefined({ env, onUnsent }) }, configuration, () =>
      withKey(runs, id, { ...options, onStart }, given.isCopy === true, action),
    );
  };
  return begin(start, (id) => openStoredRun(directory, id).about.machine, given.onStart);
}
