/**
 * What the world tells a run: outcomes of effects, answers, signals. Live and recovered runs come through here and
 * nowhere else, so they cannot differ.
 */
import type { Json } from '../machine/expression.js';
import { withAgentReport } from './agents/agent-output.js';
import { forget } from './control/effects.js';
import { proceed } from './control/join.js';
import type { EffectKind, Outcome } from './events/event.js';
import { compactOutput } from './outcome.js';
import type { Pending } from './run-state/pending.js';
import type { Run } from './run-state/run.js';

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

/** The outcome as it is recorded: a large text is in its artifact already. */
function recordedOutcome(outcome: Outcome): Outcome {
  return outcome.kind === 'exited' || outcome.kind === 'timed-out' || outcome.kind === 'changed'
    ? { ...outcome, stdout: compactOutput(outcome.stdout) }
    : outcome;
}

/** The outcome of an effect. One that nobody waits for any more (a stopped member's) is ignored. */
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

/** How something came through the run's inbox: the bytes of it that were read by then. */
export interface Delivery {
  readonly inbox?: number;
}

/** What a person answers: a question, or the gate of a plan. */
export function isAnswered(kind: EffectKind): boolean {
  return kind === 'ask' || kind === 'approval';
}

/** The answer to a question. `by` says who gave it. Ignored when the question is not open. */
export function answer(run: Run, effect: string, value: Json, by: string, delivery: Delivery = {}): void {
  const pending = run.pending.get(effect);
  if (pending === undefined || !isAnswered(pending.kind) || run.result !== null) return;
  const { name, path } = pending.waiting ?? {};
  run.recordNow({ type: 'answered', effect, name: name ?? path ?? '', value, by, ...delivery });
  pending.answeredBy = by;
  resume(pending, { kind: 'value', value });
}

/** A signal. The first that waits for it takes it; when nobody does, it is kept until it is read once. */
export function receiveSignal(run: Run, name: string, payload: Json, by: string, delivery: Delivery = {}): void {
  if (run.result !== null) return;
  run.recordNow({ type: 'signal_received', name, payload, by, ...delivery });
  for (const pending of run.pending.values()) {
    if (pending.kind !== 'signal' || pending.waiting?.name !== name) continue;
    resume(pending, { kind: 'value', value: payload });
    return;
  }
  run.keepSignal({ name, payload });
}
