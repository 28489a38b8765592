/** Stored runs of a folder, executed by this process: resumed, executed again from a point, or compared with a program. */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { checkDrift, replay } from '../../runtime/run/again/replay-run.js';
import type { ResumeOptions } from '../../runtime/run/again/resume-options.js';
import { resume } from '../../runtime/run/again/resume-run.js';
import type { Started } from '../../runtime/run/run-options.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import { openStoredRun } from '../../runtime/store/stored-run.js';
import type { CompareOptions, ReplayFrom } from '../execution-options.js';
import type { Result } from '../result.js';
import type { Drift, Execution } from '../runs.js';
import { type ContinuedOptions, continuedOptions, type StoredRuns } from './continued-options.js';
import { begin } from './deliver-to.js';
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
    return action(id, { ...options, onStart });
  };
  return begin(start, (id) => openStoredRun(directory, id).about.machine, given.onStart);
}
