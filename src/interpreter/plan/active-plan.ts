/** The plan that a thread runs, as only this folder knows it: its engine, and what the instruction keeps next to it. */
import type { Json } from '../../machine/expression.js';
import type { PlanPath } from '../../machine/plan.js';
import type { ActivePlan } from '../run-state/active-plan.js';
import type { CallOptions } from './call-options.js';
import type { PlanEngine } from './engine/plan-engine.js';
import type { UnpaidCall } from './engine/plan-entry.js';

export interface RunningPlan extends ActivePlan {
  readonly engine: PlanEngine;
  readonly inputs: Readonly<Record<string, Json>>;
  /** Paths that the outermost plan has written, in order. */
  readonly written: readonly PlanPath[];
  /** Null but for a CALL. */
  readonly options: CallOptions | null;
  /** Calls of agents that begin when the budget of the run has what they may cost, in the order in which they asked. */
  unpaid: readonly UnpaidCall[];
}

/** The plan of a thread or a run with all its members: `startPlan` alone makes plans. */
export function runningPlan({ plan }: { readonly plan: ActivePlan | null }): RunningPlan {
  if (plan === null) throw new Error('no plan runs here');
  return plan as RunningPlan;
}
