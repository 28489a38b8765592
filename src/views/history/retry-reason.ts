/** Why a step or a call was tried again, and what the attempt changes, in one sentence. */
import type { RunEvent } from '../../interpreter/events/event.js';
import { countOf } from '../drawing/amounts.js';
import { cut, oneLine } from '../drawing/visible-text.js';
import type { DetailedStepAttempt } from '../steps/step-detail.js';

const LONGEST_MESSAGE = 160;
const LONGEST_CALL = 60;

type Judged = Pick<DetailedStepAttempt, 'attempt' | 'gates' | 'calls'>;

/** `before`: the attempt that failed; null if it is not known. */
export function retryReason(before: Judged | null, retry: Pick<DetailedStepAttempt, 'overrides'>): string {
  const changes = changeWords(retry.overrides);
  const end = changes === '' ? '' : `; this attempt has ${changes}`;
  return `${before === null ? 'The attempt before' : `Attempt ${before.attempt}`} did not pass${because(before)}${end}.`;
}

/** `text`: what was called; null if it is not known. */
export function effectRetryReason(
  { attempt, error, until_ms }: Extract<RunEvent, { type: 'effect_retried' }>,
  text: string | null,
): string {
  const called = text === null ? '' : ` of \`${cut(clause(text), LONGEST_CALL)}\``;
  if (until_ms !== undefined)
    return `The agent${called} was not available: ${clause(error)}; the attempt does not count.`;
  return `Attempt ${attempt}${called} failed: ${clause(error)}.`;
}

function because(before: Judged | null): string {
  if (before === null) return '';
  const failed = before.gates.filter(({ pass }) => !pass);
  const [first, ...others] = failed;
  if (first !== undefined) {
    const message = first.message === null ? '' : `: ${clause(first.message)}`;
    const more = others.length === 0 ? '' : ` (and ${countOf(others.length, 'more gate')})`;
    return `, because the gate \`${first.gate}\` failed${message}${more}`;
  }
  const call = before.calls.findLast(({ ending }) => ending === 'failed');
  return call === undefined || call.outcome === null
    ? ''
    : `, because \`${clause(call.tool)}\` failed: ${clause(call.outcome)}`;
}

function clause(text: string): string {
  return cut(oneLine(text), LONGEST_MESSAGE).replace(/[.;:\s]+$/, '');
}

function changeWords({ prompt, agent, ...others }: Readonly<Record<string, string>>): string {
  const words = [
    ...(agent === undefined ? [] : [`the agent \`${agent}\``]),
    ...(prompt === undefined ? [] : ['another prompt']),
    ...Object.entries(others).map(([name, value]) => `${name} \`${value}\``),
  ];
  const last = words.pop();
  return last === undefined ? '' : words.length === 0 ? last : `${words.join(', ')} and ${last}`;
}
