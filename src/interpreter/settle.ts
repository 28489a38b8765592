/**
 * Applies to a run what comes from outside: outcomes of effects, answers and signals. Live and recovered runs use the same
 * functions, so they cannot differ.
 */
import type { Json } from '../machine/expression.js';
import { withAgentReport } from './agents/agent-output.js';
import { proceed } from './control/join.js';
import { forget } from './control/request-effects.js';
import type { EffectKind, Outcome, Through } from './events/event.js';
import { compactOutput } from './outcome.js';
import { namesOf, type Pending } from './run-state/pending.js';
import type { Run } from './run-state/run-memory.js';
import { withText } from './values/json.js';

export { agentText } from './agents/agent-output.js';

function suspenderOf(pending: Pending) {
  const { thread } = pending;
  const { suspenders } = thread.run.linked;
  const suspender = suspenders[thread.pc];
  if (suspender === undefined || suspender === null) throw new Error(`nothing waits at ${thread.pc}`);
  return suspender;
}

function resume(pending: Pending, outcome: Outcome): void {
  const { thread } = pending;
  forget(pending);
  proceed(thread, () => suspenderOf(pending).resume(thread, pending, outcome), pending.effect);
}

/** The outcome as it is recorded, without a large text that is already in its artifact. */
function recordedOutcome(outcome: Outcome): Outcome {
  if (outcome.kind === 'value') {
    const { value, printed } = withText(outcome.value);
    return printed === undefined ? outcome : { ...outcome, value, printed };
  }
  if (outcome.kind !== 'exited' && outcome.kind !== 'timed-out' && outcome.kind !== 'changed') return outcome;
  const stdout = compactOutput(outcome.stdout);
  return stdout === outcome.stdout ? outcome : { ...outcome, stdout };
}

/** Applies the outcome of an effect. Ignores one that is no longer expected, such as that of a stopped member. */
export function settle(run: Run, effect: string, outcome: Outcome): void {
  const pending = run.pending.get(effect);
  if (pending === undefined || run.result !== null) return;
  if (pending.kind === 'ask' && outcome.kind === 'value') {
    answer(run, effect, outcome.value, 'user');
    return;
  }
  const reported = pending.kind === 'agent' ? withAgentReport(outcome) : outcome;
  run.recordNow({ type: 'effect_settled', effect, attempt: pending.attempt, outcome: recordedOutcome(reported) });
  resume(pending, reported);
}

/** How something was delivered, for the record. */
export interface DeliveryOffset {
  /** How many bytes of the run's inbox were read with it. */
  readonly inbox?: number;
  readonly through?: Through;
  readonly reason?: string;
}

/** Whether a request is one that a person answers: a question or an approval of a plan. */
export function isAnswered(kind: EffectKind): boolean {
  return kind === 'ask' || kind === 'approval';
}

/** Applies the answer to a question. `by` says who gave it. Ignored if the question is not open. */
export function answer(run: Run, effect: string, value: Json, by: string, delivery: DeliveryOffset = {}): void {
  const pending = run.pending.get(effect);
  if (pending === undefined || !isAnswered(pending.kind) || run.result !== null) return;
  const given = withText(value);
  run.recordNow({ type: 'answered', effect, ...namesOf(pending), ...given, by, ...delivery });
  pending.answeredBy = by;
  resume(pending, { kind: 'value', ...given });
}

/**
 * Applies a signal. With an `id`, that wait takes it. Otherwise the first thread that waits for it takes it, or it is kept
 * until one reads it.
 */
export function receiveSignal(
  run: Run,
  name: string,
  payload: Json,
  by: string,
  delivery: Pick<DeliveryOffset, 'inbox'> & { readonly id?: string } = {},
): void {
  if (run.result !== null) return;
  const { value, printed } = withText(payload);
  const text = printed === undefined ? {} : { printed };
  const { id } = delivery;
  run.recordNow({ type: 'signal_received', name, payload: value, ...text, by, ...delivery });
  for (const pending of run.pending.values()) {
    const { kind, waiting } = pending;
    if (kind !== 'signal' || waiting?.name !== name || (id !== undefined && waiting.id !== id)) continue;
    resume(pending, { kind: 'value', value, ...text });
    return;
  }
  if (id === undefined) run.keepSignal({ name, payload });
}
