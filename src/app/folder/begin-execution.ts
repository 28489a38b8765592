/** What executing a run in this process begins and ends with, whether it is started, resumed or replayed. */
import type { Configuration } from '../../runtime/configuration/load-configuration.js';
import type { RunOptions, Started } from '../../runtime/run/run-options.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import { StoreError } from '../../runtime/store/store-error.js';
import type { ProjectHost } from '../project/project-host.js';
import { type Result, refusalOf, resultWith } from '../result.js';
import type { Execution } from '../runs.js';

/** The longest time that a run waits at its end for the receivers of its notice. Milliseconds. */
const SENDING_MS = 2000;

interface Notified extends Pick<RunOptions, 'env' | 'onUnsent'> {
  readonly directory: string;
  readonly host: ProjectHost;
}

/**
 * Sends the notice about the end of a run, as far as receivers take it in time; without `notify` in the configuration nothing
 * is loaded. A receiver that does not take it changes nothing about the run, and is reported to `onUnsent`.
 */
export async function withNotices(
  { directory, host, env, onUnsent }: Notified,
  configuration: Configuration,
  execute: () => Promise<RunReport>,
): Promise<RunReport> {
  if (configuration.notify === undefined) return execute();
  const { expectNotices, sendNotices, unsentWords } = await import('../../runtime/notifications/send-notices.js');
  expectNotices(directory, configuration);
  const report = await execute();
  try {
    const given = { configuration, folder: host.folder, environment: env, mostMs: SENDING_MS };
    const unsent = unsentWords(await sendNotices(directory, given));
    if (unsent !== null) onUnsent?.(unsent);
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    onUnsent?.(`no one was notified: ${cause.message}`);
  }
  return report;
}

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
