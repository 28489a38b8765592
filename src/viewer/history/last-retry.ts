/** Why something was tried again, in one sentence, from the event that says so. */

import { effectRetryReason } from '../../views/history/retry-reason.js';
import { commandLine } from '../../views/log/command-line.js';
import type { RunModel } from '../run/run-model.js';

/** `seq`: the event of the retry. Null if its reason is not known yet. */
export function retryWords({ record, history, run }: RunModel, seq: number): string | null {
  const { lines } = record.value;
  const line = lines.find(seq);
  if (line?.type === 'effect_retried') {
    for (const request of lines.before('effect_requested', lines.indexOf(seq)))
      if (request.effect === line.effect) return effectRetryReason(line, commandLine(request) ?? request.text);
    return effectRetryReason(line, null);
  }
  if (line?.type !== 'retry_triggered') return null;
  const begun = history.steps.find(line.step, run)?.attempts.find((one) => one.seq > seq);
  return begun?.why == null ? null : `Step \`${line.step}\`: ${begun.why}`;
}
