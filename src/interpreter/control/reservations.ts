/**
 * Money that is kept free before an agent is called, so that calls which run at the same time cannot go beyond a limit
 * together. A call that says what it may cost waits while others may still use the rest, and ends the run when it can
 * never fit. What says nothing is checked afterwards.
 */

import type { Outcome } from '../events/event.js';
import type { Frame, ScopeFrame, StepFrame } from '../run-state/frame.js';
import type { Run } from '../run-state/run.js';
import { makeReady, type Thread } from '../run-state/thread.js';
import { addCost } from '../run-state/usage.js';
import { costOf } from './budget.js';
import { exceedLimit } from './transfer.js';

type Budgeted = ScopeFrame & { readonly budget: NonNullable<ScopeFrame['budget']> };

function budgetsOf(frames: readonly Frame[]): Budgeted[] {
  return frames.filter((frame): frame is Budgeted => frame.kind === 'scope' && frame.budget !== undefined);
}

/** `kept`: the call can begin. `wait`: not now. `ended`: it will never fit, and the run is over. */
export function reserveFor(t: Thread, frame: StepFrame, most: number | null): 'kept' | 'wait' | 'ended' {
  if (most === null) return 'kept';
  const { run } = t;
  const limits = budgetsOf(t.frames).map(({ prefix, budget }) => ({
    limit: budget.cost,
    ...run.steps.budget(prefix),
  }));
  limits.push({ limit: run.limits.cost, cost: run.usage.knownCost, tokens: 0, reserved: run.usage.reserved });
  for (const { limit, cost, reserved } of limits) {
    if (limit === undefined || !exceeds(cost + reserved + most, limit)) continue;
    // What others may still use can turn out to be less; and when they are done, what they did is not lost.
    if (reserved > 0 || run.overlooksLimits) {
      t.status = 'blocked';
      run.waitForBudget(t);
      return 'wait';
    }
    exceedLimit(run, 'cost', limit, addCost(cost, most), frame.path);
    return 'ended';
  }
  reserve(t, frame, most);
  return 'kept';
}

/** Keeps so much free from now on, in the run and in every workflow around. */
function reserve({ run, frames }: Thread, frame: StepFrame, most: number): void {
  const by = most - frame.reserved;
  frame.reserved = most;
  run.usage.reserve(by);
  for (const { prefix } of budgetsOf(frames)) {
    const used = run.steps.budget(prefix);
    run.steps.setBudget(prefix, { ...used, reserved: Math.max(0, addCost(used.reserved, by)) });
  }
}

/** Sums of cents are not exact, and a millionth of a cent is no overdraft. */
function exceeds(used: number, limit: number): boolean {
  return used - limit > 1e-9;
}

/** The call is over: what was kept free is free again, and whoever waited for it tries once more. */
export function releaseReservation(t: Thread, frame: StepFrame): void {
  if (frame.reserved > 0) reserve(t, frame, 0);
  wakeWaiters(t.run);
}

/** Whoever waits for a part of the budget looks whether there is one now. */
export function wakeWaiters(run: Run): void {
  for (const thread of run.takeWaitingForBudget()) if (thread.status === 'blocked') makeReady(thread);
}

/** Whether a workflow around has used up its time; then the run is over. */
export function timeIsUp(t: Thread, nowMs: number): boolean {
  for (const { budget } of budgetsOf(t.frames)) {
    const used = nowMs - budget.sinceMs;
    if (budget.timeMs !== undefined && used > budget.timeMs) exceedLimit(t.run, 'time', budget.timeMs, used);
  }
  return t.run.result !== null;
}

/** Milliseconds that workflows around leave for a call that begins now; null: any number. */
export function timeLeft(t: Thread): number | null {
  let least: number | null = null;
  for (const { budget } of budgetsOf(t.frames)) {
    if (budget.timeMs === undefined) continue;
    const left = Math.max(1, budget.timeMs - (t.run.steps.lastClockMs - budget.sinceMs));
    least = least === null ? left : Math.min(least, left);
  }
  return least;
}

/** Adds a call to what the workflows around it used. True when that ended the run. */
export function spendInWorkflows(t: Thread, frame: StepFrame, outcome: Outcome): boolean {
  const { run } = t;
  const tokens = 'tokens' in outcome && outcome.tokens !== undefined ? outcome.tokens.in + outcome.tokens.out : 0;
  for (const { prefix, budget } of budgetsOf(t.frames)) {
    const before = run.steps.budget(prefix);
    const used = {
      ...before,
      cost: addCost(before.cost, costOf(outcome) ?? 0),
      tokens: before.tokens + tokens,
    };
    run.steps.setBudget(prefix, used);
    if (budget.cost !== undefined && exceeds(used.cost, budget.cost))
      exceedLimit(run, 'cost', budget.cost, used.cost, frame.path);
    else if (budget.tokens !== undefined && used.tokens > budget.tokens)
      exceedLimit(run, 'tokens', budget.tokens, used.tokens, frame.path);
  }
  return run.result !== null;
}
