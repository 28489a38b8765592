/** What the library executes in its process, so that debuggers can attach. They are loaded when the first one asks. */
import type { Machine } from '../../app/library/compile-text.js';
import { type RunOptions, run as runMachine } from '../../app/library/run-machine.js';
import { openRuns as openFolder } from '../../app/open-runs.js';
import type { FolderOptions } from '../../app/programs.js';
import type { Runs } from '../../app/runs.js';
import type { OnDebugger } from '../../runtime/run/drive-options.js';
import type { RunReport } from '../../runtime/run/run-report.js';

const letIn: OnDebugger = async (asked, live) => (await import('./debug-adapter.js')).letDebuggerIn(asked, live);

/**
 * Opens the runs of a folder, with every operation that the command line has on them. Nothing is read or written yet, and
 * nothing is kept open. Runs are executed by this process, and debuggers can attach to them; runs that other processes execute
 * can be read, followed, answered and cancelled.
 */
export function openRuns(options: FolderOptions = {}): Runs {
  return openFolder({ ...options, onDebugger: letIn });
}

/**
 * Runs a machine. Resolves with a report whether the program returns or fails: see `status`. Rejects only with
 * exceptions from `effects`, `onEvent` and the other functions in the options, or with a `RangeError` if the state to
 * start in does not exist. If the run is stored in a folder, debuggers can attach to it.
 */
export function run(machine: Machine, options: RunOptions = {}): Promise<RunReport> {
  return runMachine(machine, { onDebugger: letIn, ...options } as RunOptions);
}
