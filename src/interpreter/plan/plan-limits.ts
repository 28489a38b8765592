/**
 * How long a call may take that is a plan. Its parts are effects of others, so the limit is a timer of its own: it needs
 * the time when the plan begins, and ends whatever is under way below the call when it runs out.
 */
import { cancel, requestTimer, suspend, tellRequested } from '../control/effects.js';
import type { Outcome } from '../events/event.js';
import { timeOf } from '../instructions/wait.js';
import type { Pending } from '../run-state/pending.js';
import type { Thread } from '../run-state/thread.js';
import { isLimitKey } from './engine/call-limits.js';
import type { PlanEngine } from './engine/plan-engine.js';

/** Asks what time it is for each limit that has begun, and drops those of calls that have ended. */
export function watchLimits(thread: Thread, plan: PlanEngine, base: string): void {
  for (const pending of [...thread.pending]) {
    const key = pending.call?.key;
    if (key !== undefined && isLimitKey(key) && plan.limits.of(key) === null) cancel(pending);
  }
  for (const key of plan.limits.take()) {
    const effect = `${base}.${key}`;
    suspend(thread, { effect, kind: 'clock', purpose: 'clock', until: null, waiting: null, call: { key } });
    tellRequested(thread, effect, 'clock', 'the limit of a plan');
    thread.run.request({ effect, kind: 'clock', attempt: 1, delayMs: 0 });
  }
}

/** Takes the time, or that it has run out. False as long as the plan has nothing to go on with. */
export function takeLimit(thread: Thread, plan: PlanEngine, pending: Pending, outcome: Outcome): boolean {
  const key = pending.call?.key ?? '';
  const limit = plan.limits.of(key);
  if (limit === null) return true;
  const { timeoutMs } = limit;
  if (pending.kind === 'clock') {
    const until = timeOf(outcome) + timeoutMs;
    const effect = `${pending.effect}.end`;
    suspend(thread, { effect, kind: 'timer', purpose: 'bound', until, waiting: null, call: { key } });
    thread.run.recordNow({ type: 'timer_set', effect, until });
    requestTimer(thread.run, effect, until, timeoutMs);
    return false;
  }
  const dropped = new Set(plan.expire(key));
  for (const one of [...thread.pending]) if (one.call !== undefined && dropped.has(one.call.key)) cancel(one);
  return true;
}

export function isLimit({ call }: Pending): boolean {
  return call !== undefined && isLimitKey(call.key);
}
