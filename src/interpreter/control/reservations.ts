/**
 * Reserves budget before an agent is called, so that concurrent calls cannot exceed a limit together. A call with a known
 * maximum cost waits while others have reserved the rest, and ends the run if it can never fit. Calls without one are
 * checked afterwards.
 */
import type { Outcome } from '../events/event.js';
import type { Frame, ScopeFrame, StepFrame } from '../run-state/frame.js';
import type { Run } from '../run-state/run-memory.js';
import { addCost } from '../run-state/run-usage.js';
import { type Thread, wakeWaiters } from '../run-state/thread.js';
import { costOf } from './budget.js';
import { exceedCostBefore, exceedLimit } from './transfer.js';

type Budgeted = ScopeFrame & { readonly budget: NonNullable<ScopeFrame['budget']> };

function budgetsOf(frames: readonly Frame[]): Budgeted[] {
  return frames.filter((frame): frame is Budgeted => frame.kind === 'scope' && frame.budget !== undefined);
}

/** `reserved`: the call can start. `wait`: not yet. `ended`: it can never fit, so the run has ended. */
export function reserveFor(t: Thread, frame: StepFrame, most: number | null): 'reserved' | 'wait' | 'ended' {
  if (most === null) return 'reserved';
  const { run } = t;
  const limits = budgetsOf(t.frames).map(({ prefix, budget }) => ({
    limit: budget.cost,
    ...run.steps.budget(prefix),
  }));
  const fit = fits(t, most, [...limits, budgetOfRun(run)], frame.path);
  if (fit !== null) return fit;
  reserve(t, frame, most);
  return 'reserved';
}

/**
 * As `reserveFor`, for the call of an agent outside of steps: what it reserves is in its `Pending`. 0: it reserves nothing,
 * because neither the call nor the run is limited.
 */
export function reservationFor(t: Thread, agent: string): number | 'wait' | 'ended' {
  const { run } = t;
  const most = run.options.agentMaxCost?.[agent];
  // What a run undoes after its end is not limited.
  if (most === undefined || run.limits.cost === undefined || run.undo.endedAs !== null) return 0;
  return fits(t, most, [budgetOfRun(run)]) ?? most;
}

interface BudgetUse {
  readonly limit: number | undefined;
  readonly cost: number;
  readonly reserved: number;
}

function budgetOfRun({ limits, usage }: Run): BudgetUse {
  return { limit: limits.cost, cost: usage.knownCost, reserved: usage.reserved };
}

/** Null: the call fits into all of them. */
function fits(t: Thread, most: number, limits: readonly BudgetUse[], step?: string): 'wait' | 'ended' | null {
  const { run } = t;
  for (const { limit, cost, reserved } of limits) {
    if (limit === undefined || !exceeds(cost + reserved + most, limit)) continue;
    // Others may use less than they reserved, and stopping now would lose their work.
    if (reserved > 0 || run.overlooksLimits) {
      t.status = 'blocked';
      run.waitForBudget(t);
      return 'wait';
    }
    exceedCostBefore(run, { limit, cost, most }, step);
    return 'ended';
  }
  return null;
}

/** Reserves an amount in the run and in every enclosing workflow. */
function reserve({ run, frames }: Thread, frame: StepFrame, most: number): void {
  const by = most - frame.reserved;
  frame.reserved = most;
  run.usage.reserve(by);
  for (const { prefix } of budgetsOf(frames)) {
    const used = run.steps.budget(prefix);
    run.steps.setBudget(prefix, { ...used, reserved: Math.max(0, addCost(used.reserved, by)) });
  }
}

/** Tolerates rounding errors: a millionth of a cent does not exceed a limit. */
function exceeds(used: number, limit: number): boolean {
  return used - limit > 1e-9;
}

/** Releases the reservation of a call that has ended, and wakes the calls that wait for budget. */
export function releaseReservation(t: Thread, frame: StepFrame): void {
  if (frame.reserved > 0) reserve(t, frame, 0);
  wakeWaiters(t.run);
}

/** Whether an enclosing workflow has used up its time, which ends the run. */
export function timeIsUp(t: Thread, nowMs: number): boolean {
  for (const { budget } of budgetsOf(t.frames)) {
    const used = nowMs - budget.sinceMs;
    if (budget.timeMs !== undefined && used > budget.timeMs) exceedLimit(t.run, 'time', budget.timeMs, used);
  }
  return t.run.result !== null;
}

/** How much time the enclosing workflows leave for a call that starts now, in milliseconds; null: no limit. */
export function timeLeft(t: Thread): number | null {
  let least: number | null = null;
  for (const { budget } of budgetsOf(t.frames)) {
    if (budget.timeMs === undefined) continue;
    const left = Math.max(1, budget.timeMs - (t.run.steps.lastClockMs - budget.sinceMs));
    least = least === null ? left : Math.min(least, left);
  }
  return least;
}

/** Adds a call to the use of its enclosing workflows. True if that ended the run. */
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
