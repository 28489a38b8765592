/**
 * The timers of limits of calls that run plans. The parts of such a call are effects of their own, so its limit needs a
 * timer: it asks for the time when the call starts, and ends everything below the call when the time is over.
 */
import { beginSample, beginTimer, cancel } from '../control/effects.js';
import type { Outcome } from '../events/event.js';
import { timeOf } from '../instructions/wait.js';
import type { Pending } from '../run-state/pending.js';
import type { Thread } from '../run-state/thread.js';
import { type RunningPlan, runningPlan } from './active-plan.js';
import { isLimitKey } from './engine/call-limits.js';

/** Asks for the time for each limit that has started, and cancels the timers of calls that have ended. */
export function watchLimits(thread: Thread, { engine, effect: base }: RunningPlan): void {
  for (const pending of [...thread.pending]) {
    const key = pending.call?.key;
    if (key !== undefined && isLimitKey(key) && engine.limits.get(key) === null) cancel(pending);
  }
  for (const key of engine.limits.takeStarted()) {
    const facts = { effect: `${base}.${key}`, purpose: 'clock', call: { key } } as const;
    beginSample(thread, 'clock', 'the limit of a plan', facts);
  }
}

export function isLimit({ call }: Pending): boolean {
  return call !== undefined && isLimitKey(call.key);
}

/** Takes the time at which the call started, or that its time is over. False if the limit is not reached yet. */
export function applyLimit(thread: Thread, pending: Pending, outcome: Outcome): boolean {
  const { engine } = runningPlan(thread);
  const key = pending.call?.key ?? '';
  const limit = engine.limits.get(key);
  if (limit === null) return true;
  const { timeoutMs } = limit;
  if (pending.kind === 'clock') {
    const until = timeOf(outcome) + timeoutMs;
    const facts = { effect: `${pending.effect}.end`, purpose: 'bound', call: { key } } as const;
    beginTimer(thread, { until, ms: timeoutMs }, facts);
    return false;
  }
  const ended = new Set(engine.expire(key));
  for (const one of [...thread.pending]) if (one.call !== undefined && ended.has(one.call.key)) cancel(one);
  return true;
}
