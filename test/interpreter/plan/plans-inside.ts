/** A plan that others call, engines of plans outside of runs, and the order in which the calls of a random test end. */
import fc from 'fast-check';
import { PlanEngine } from '../../../src/interpreter/plan/engine/plan-engine.js';
import type { Json } from '../../../src/machine/expression.js';
import type { Plan } from '../../../src/machine/plan.js';
import { soundPlan } from './compiled-plan.js';

/** Each number, modulo the calls in flight, chooses the next one that ends. */
export const turns = fc.infiniteStream(fc.nat(1000));

/** Two calls, the second of which needs an approval. */
export const inner = soundPlan({
  calls: [
    { _tool: 't', n: '†input.item', _outputPath: '†state.a || †state.b' },
    { _tool: 't', n: '†state.a || †state.b', ok: '†state.approvals.each', _outputPath: '†state.c' },
  ],
  output: ['†state.c', '†input.index'],
});

/** A call, and `inner` for each of its items: what a plan around `inner` begins with. */
export const callsAroundInner: readonly { readonly [key: string]: Json }[] = [
  { _tool: 't', _outputPath: '†state.first || †state.second' },
  { _tool: 'each', items: [1, 2, 3], _outputPath: '†state.all || †state.none' },
];

type EngineOptions = ConstructorParameters<typeof PlanEngine>[0];

const quiet = { write: () => undefined, note: () => undefined };

/** The engine of the plan with this name, which gets what its document gives it unless there is more. */
export function engineOf(
  plans: { readonly [name: string]: Plan },
  name: string,
  limit: number,
  more: Partial<Pick<EngineOptions, 'given' | 'sink' | 'callTimeoutMs'>> = {},
): PlanEngine {
  return new PlanEngine({ plans, name, given: plans[name]?.given as Json, limit, sink: quiet, ...more });
}
