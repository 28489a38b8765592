/** For a tool that is a plan, the world only checks parameters or result against the schema; the engine runs the plan. */
import type { Json } from '../../../machine/expression.js';

export interface PlanCheck {
  readonly kind: 'plan';
  readonly checks: 'parameters' | 'result';
  /** Null when the parameters are checked. */
  readonly result: Json;
}
