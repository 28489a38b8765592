/** What threads wait for: each request with its record, and the end of what is not wanted any more. */
import type { EffectKind, Waiting } from '../events/event.js';
import { inStep } from '../run-state/open-frames.js';
import type { Pending } from '../run-state/pending.js';
import type { Run } from '../run-state/run.js';
import { placeOf, type Thread } from '../run-state/thread.js';

/** Registers that a thread cannot go on without this effect. */
export function suspend(thread: Thread, facts: Omit<Pending, 'thread' | 'taken' | 'attempt'>, attempt = 1): Pending {
  const pending: Pending = { ...facts, attempt, thread, taken: false };
  thread.status = 'blocked';
  thread.pending.push(pending);
  thread.run.addPending(pending);
  return pending;
}

/** The thread does not wait for this any more. */
export function forget(pending: Pending): void {
  const { thread } = pending;
  thread.run.removePending(pending.effect);
  const at = thread.pending.indexOf(pending);
  if (at >= 0) thread.pending.splice(at, 1);
}

const PROCESSES: ReadonlySet<EffectKind> = new Set(['shell', 'argv', 'function', 'agent', 'tool']);

/** Stops an effect. That is no failure, but the record says that it came to an end. */
export function cancel(pending: Pending): void {
  forget(pending);
  const { run } = pending.thread;
  const { effect, attempt } = pending;
  if (pending.taken) run.cancel(effect);
  if (PROCESSES.has(pending.kind))
    run.recordNow({
      type: 'effect_settled',
      effect,
      attempt,
      outcome: { kind: 'failed', error_type: 'cancelled', message: 'stopped: its result is not needed' },
      stopped: true,
    });
}

/** Drops everything a thread waits for, with the record of what was stopped. */
export function cancelAll(thread: Thread): void {
  for (const pending of [...thread.pending]) cancel(pending);
}

/** Asks what time it is; an instruction needs it before it can wait for a point in time. */
export function readClock(thread: Thread, text: string): void {
  const effect = thread.nextEffect();
  suspend(thread, { effect, kind: 'clock', purpose: 'clock', until: null, waiting: null });
  tellRequested(thread, effect, 'clock', text);
  thread.run.request({ effect, kind: 'clock', attempt: 1, delayMs: 0 });
}

/** The record of a request that is no process: a sample, a signal. */
export function tellRequested(thread: Thread, effect: string, kind: EffectKind, text: string): void {
  const { state, line } = placeOf(thread);
  thread.run.recordNow({
    type: 'effect_requested',
    effect,
    kind,
    tool: null,
    text,
    state,
    line,
    attempt: 1,
    ...inStep(thread),
  });
}

/** Waits until a point in time. `bounds`: the effect that this timer ends, when it is not waited for itself. */
export function setTimer(thread: Thread, until: number, ms: number, bounds?: string): void {
  const effect = thread.nextEffect();
  const waiting: Waiting | null = bounds === undefined ? { kind: 'time', name: null, until } : null;
  const purpose = bounds === undefined ? 'result' : 'bound';
  suspend(thread, { effect, kind: 'timer', purpose, until, waiting });
  thread.run.recordNow({ type: 'timer_set', effect, until });
  requestTimer(thread.run, effect, until, ms, bounds);
}

export function requestTimer(run: Run, effect: string, until: number, ms: number | null, bounds?: string): void {
  run.request({
    effect,
    kind: 'timer',
    attempt: 1,
    delayMs: 0,
    ms,
    until,
    ...(bounds === undefined ? {} : { bounds }),
  });
}
