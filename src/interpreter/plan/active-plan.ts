/** What a thread holds of the plan that it runs. */
import type { Json } from '../../machine/expression.js';
import type { PlanPath } from '../../machine/plan.js';
import type { ActivePlan } from '../run-state/active-plan.js';
import type { CallOptions } from './call-options.js';
import type { PlanEngine } from './engine/plan-engine.js';

/** A plan under way, with what only this folder knows of it. */
export interface RunningPlan extends ActivePlan {
  readonly run: PlanEngine;
  readonly inputs: Readonly<Record<string, Json>>;
  /** Paths that the outermost plan has written. */
  readonly written: PlanPath[];
  /** Of a CALL. */
  readonly options: CallOptions | null;
}

/** All of a plan that a thread or a run holds: only `plan-step.ts` makes them. */
export function runningPlan(plan: ActivePlan): RunningPlan {
  return plan as RunningPlan;
}
