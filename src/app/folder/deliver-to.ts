/** Answers and signals for a run of a folder, with the secrets of its program's configuration. */
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Configuration } from '../../runtime/configuration/load-configuration.js';
import { deliverToRun } from '../../runtime/run/again/deliver-to-run.js';
import { checkSendable } from '../../runtime/run/apply-delivery.js';
import type { RunOptions, Started } from '../../runtime/run/run-options.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import type { Delivery } from '../../runtime/store/inbox.js';
import { StoreError } from '../../runtime/store/store-error.js';
import { openStoredRun } from '../../runtime/store/stored-run.js';
import { guardAnswers } from '../approvers.js';
import type { ProjectHost } from '../project/project-host.js';
import { loadSettings, signingOf } from '../project/settings.js';
import { programOf } from '../project/stored-program.js';
import { type Result, refusalOf, resultWith } from '../result.js';
import type { Delivered, Execution } from '../runs.js';
import { findOwnRun } from './find-run.js';

interface Sender {
  readonly directory: string;
  readonly host: ProjectHost;
  /** Secret inputs, to replace them in the record. */
  readonly inputs: Readonly<Record<string, Json>>;
}

/** Throws a `RunRefused` or a `StoreError`. */
export async function deliverTo(
  run: string,
  deliveries: readonly Delivery[],
  { directory, host, inputs }: Sender,
): Promise<Delivered> {
  checkSendable(deliveries);
  const run_id = await findOwnRun(directory, run);
  const settings = await loadSettings(host, programOf(openStoredRun(directory, run_id)) ?? '-');
  const { signer } = signingOf(settings.configuration);
  const { secrets } = settings.configuration;
  const options = { dir: directory, inputs, secrets, ...omitUndefined({ signer }) };
  await guardAnswers(
    deliveries,
    async () => settings,
    (refused) => deliverToRun(run_id, refused, options),
  );
  return { run_id, delivery: await deliverToRun(run_id, deliveries, options) };
}

/** A run waits at its end no longer for the receivers of its notice. Milliseconds. */
const SENDING_MS = 2000;

interface Notified extends Pick<RunOptions, 'env' | 'onUnsent'> {
  readonly directory: string;
  readonly host: ProjectHost;
}

/**
 * Sends the notice about the end of a run, as far as receivers take it in time; without `notify` in the configuration nothing
 * is loaded. A receiver that does not take it changes nothing about the run, and is told to `onUnsent`.
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
    onUnsent?.(`nobody was notified: ${cause.message}`);
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
