/** What a thread holds of the plan that it runs. */
import type { Json } from '../../machine/expression.js';
import type { PlanPath } from '../../machine/plan.js';
import type { CallOptions } from './call-options.js';
import type { PlanEngine } from './engine/plan-engine.js';

/** A plan under way, and the effect that its calls are numbered below. */
export interface ActivePlan {
  readonly run: PlanEngine;
  readonly effect: string;
  readonly inputs: Readonly<Record<string, Json>>;
  /** Paths that the outermost plan has written. */
  readonly written: PlanPath[];
  /** Of a CALL. */
  readonly options: CallOptions | null;
}
