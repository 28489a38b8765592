/** Executions of runs in this process: a promise of a report becomes a run that has begun, or a refusal. */
import type { RunReport } from '../../runtime/run/report.js';
import type { Started } from '../../runtime/run/run-options.js';
import { type Result, refusalOf, resultWith } from '../result.js';
import type { Execution } from '../runs.js';

/**
 * Begins an execution, which calls the function that it gets when the run has begun. A run that could not begin, for
 * example because the disk is full, has only a report. `notify` is what the caller wants to be called then, too.
 */
export function begin(
  execute: (onStart: (started: Started) => void) => Promise<RunReport>,
  machineOf: (runId: string) => string,
  notify: ((started: Started) => void) | undefined,
): Promise<Result<Execution>> {
  return new Promise((resolve, reject) => {
    const hasBegun = (run_id: string, machine: string): void =>
      resolve(resultWith({ started: { run_id, machine, status: 'running' }, report }));
    const report: Promise<RunReport> = execute((started) => {
      notify?.(started);
      hasBegun(started.runId, machineOf(started.runId));
    });
    report.then(
      ({ run_id, machine }) => hasBegun(run_id, machine),
      (cause: unknown) => {
        try {
          resolve({ ok: false, refusal: refusalOf(cause) });
        } catch {
          reject(cause);
        }
      },
    );
  });
}
