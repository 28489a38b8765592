/** Delivers answers and signals to a run that another process executes, by writing to the inbox of the run. */

import { openQuestions } from '../interpreter/run.js';
import { recoveryContextOf } from '../runtime/run/again/prepare-recovery.js';
import { recoverRun } from '../runtime/run/again/recover.js';
import type { ResumeOptions } from '../runtime/run/again/resume-options.js';
import { checkAnswers } from '../runtime/run/apply-delivery.js';
import { type Delivery, deliver, unreadDeliveries } from '../runtime/store/inbox.js';
import { openStoredRun } from '../runtime/store/stored-run.js';

/** Throws a `RunRefused`, and delivers nothing, if the run cannot take one of the answers. */
export function passToProcess(
  id: string,
  deliveries: readonly Delivery[],
  options: Pick<ResumeOptions, 'inputs' | 'secrets'> & { readonly dir: string },
): void {
  const stored = openStoredRun(options.dir, id);
  const { inputs, redactor } = recoveryContextOf(stored, options);
  if (deliveries.some((delivery) => delivery.kind === 'answer')) {
    const { replay, inbox } = recoverRun(stored, { inputs, redactor, discarded: null });
    checkAnswers(openQuestions(replay.run), deliveries, unreadDeliveries(stored.path, inbox));
  }
  deliver(stored.path, deliveries, redactor);
}
