/** Answers and signals for a run of a folder, with the secrets of its program's configuration. */
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { deliverToRun } from '../../runtime/run/again/deliver-to-run.js';
import { checkSendable } from '../../runtime/run/apply-delivery.js';
import type { Delivery } from '../../runtime/store/inbox.js';
import { openStoredRun } from '../../runtime/store/stored-run.js';
import { guardAnswers } from '../approvers.js';
import type { ProjectHost } from '../project/project-host.js';
import { loadSettings, signingOf } from '../project/settings.js';
import { programOf } from '../project/stored-program.js';
import type { Delivered } from '../runs.js';
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
