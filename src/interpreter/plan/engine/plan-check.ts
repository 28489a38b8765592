/** For a tool that is a plan, the world only checks parameters or result against the schema; the engine runs the plan. */
import type { Json } from '../../../machine/expression.js';

/** Whether the parameters or the result of a nested plan are what its schema asks for. */
export interface PlanCheck {
  readonly kind: 'plan';
  readonly checks: 'parameters' | 'result';
  /** Null when the parameters are checked. */
  readonly result: Json;
}
