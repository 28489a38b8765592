/**
 * Runs of plans inside plans: whatever the timing, and however often the run is made again from its record in the
 * middle, the same calls are made with the same parameters and the same comes of it.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PlanEngine } from '../../../src/interpreter/plan/engine/plan-engine.js';
import type { Json } from '../../../src/machine/expression.js';
import type { Plan } from '../../../src/machine/plan.js';
import { amount } from '../../amount.js';
import { soundPlan } from './compiled-plan.js';
import { outcomeOf, plans } from './random-plan.js';

const turns = fc.infiniteStream(fc.nat(1000));

interface World {
  readonly plans: { readonly [name: string]: Plan };
  readonly limit: number;
  readonly salt: number;
  /** Chooses one of so many. */
  readonly pick: (count: number) => number;
  /** Whether the run is made again from its record now. */
  readonly again: () => boolean;
}

function started({ plans, limit }: World): PlanEngine {
  const nothing = (): void => undefined;
  return new PlanEngine({
    plans,
    name: 'outer',
    given: plans.outer?.given as Json,
    limit,
    sink: { write: nothing, note: nothing },
  });
}

function ran(world: World) {
  let run = started(world);
  const parameters: Record<string, Json> = {};
  const flying: string[] = [];
  for (;;) {
    for (const leaf of run.launchReady()) {
      expect(parameters).not.toHaveProperty([leaf.key]);
      parameters[leaf.key] = structuredClone(leaf.parameters);
      flying.push(leaf.key);
    }
    expect(flying.length).toBeLessThanOrEqual(world.limit);
    const gates = run.openApprovals();
    const count = flying.length + gates.length;
    if (count === 0) break;
    const chosen = world.pick(count);
    if (chosen >= flying.length) run.approve(gates[chosen - flying.length]?.key ?? '', 'opened');
    else {
      const [key] = flying.splice(chosen, 1) as [string];
      run.settle(key, outcomeOf(Number(key.replaceAll('.', '')), parameters[key], world.salt));
    }
    if (!world.again()) continue;
    const log = JSON.parse(JSON.stringify(run.log));
    run = started(world);
    run.replay(log);
    for (const key of flying) expect(run.forceStart(key)?.parameters).toEqual(parameters[key]);
  }
  return { parameters, reports: run.reports(), state: run.root.scheduler.data.all(), result: run.result };
}

/** Without what calls fail by, which names them. */
function compared({ parameters, reports, state, result }: ReturnType<typeof ran>) {
  return { parameters, reports, state, value: result?.value, blamed: result?.blamed };
}

test('a random plan comes to the same, also when it is made again from its record at any time', () => {
  fc.assert(
    fc.property(plans, fc.nat(1e6), fc.integer({ min: 1, max: 5 }), turns, ({ plan }, salt, limit, stream) => {
      const next = (): number => stream.next().value as number;
      const world = { plans: { outer: plan }, salt };
      const one = ran({ ...world, limit: 1, pick: () => 0, again: () => false });
      const other = ran({ ...world, limit, pick: (count) => next() % count, again: () => next() % 3 === 0 });
      expect(compared(other)).toEqual(compared(one));
    }),
    { numRuns: amount(40, 300) },
  );
});

const inner = soundPlan({
  calls: [
    { _tool: 't', n: '†input.item', _outputPath: '†state.a || †state.b' },
    { _tool: 't', n: '†state.a || †state.b', ok: '†state.approvals.each', _outputPath: '†state.c' },
  ],
  output: ['†state.c', '†input.index'],
});
const outer = soundPlan(
  {
    calls: [
      { _tool: 't', _outputPath: '†state.first || †state.second' },
      { _tool: 'each', items: [1, 2, 3], _outputPath: '†state.all || †state.none' },
      { _tool: 'one', item: '†state.first || †state.second', index: 0, _outputPath: '†state.one' },
      { _tool: 't', all: '†state.all || †state.none', ok: '†state.approvals.last', _outputPath: '†state.end' },
    ],
    output: '†state.end',
    max: 3,
  },
  '{ t: { run: [t], idempotent: true }, each: { plan: inner, each: items, idempotent: true }, one: { plan: inner, idempotent: true } }',
);

test('plans inside and gates, in any order of calls and people', () => {
  fc.assert(
    fc.property(fc.nat(1e6), fc.integer({ min: 3, max: 5 }), turns, (salt, limit, stream) => {
      const next = (): number => stream.next().value as number;
      const world = { plans: { outer, inner }, salt, limit };
      const one = ran({ ...world, pick: () => 0, again: () => false });
      const other = ran({ ...world, pick: (count) => next() % count, again: () => next() % 3 === 0 });
      expect(compared(other)).toEqual(compared(one));
      expect(one.result).not.toBeNull();
    }),
    { numRuns: amount(40, 300) },
  );
});
