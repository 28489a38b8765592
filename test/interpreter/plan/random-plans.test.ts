/** Laws of plans, tried on random ones: timing changes nothing, arms exclude each other, and done is done. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PlanScheduler } from '../../../src/interpreter/plan/scheduler/plan-scheduler.js';
import type { Json } from '../../../src/machine/expression.js';
import type { Plan } from '../../../src/machine/plan.js';
import { tries } from '../../amount.js';
import { compiledPlan, soundPlan } from './compiled-plan.js';
import { outcomeOf, plans } from './random-plan.js';

function runs(all: number): number {
  return Math.ceil(tries(all / 16, all));
}

function ran(plan: Plan, { limit, salt, pick }: { limit: number; salt: number; pick: (count: number) => number }) {
  const scheduler = new PlanScheduler(plan, { limit });
  const parameters: Record<number, unknown> = {};
  const flying: number[] = [];
  for (;;) {
    for (const { call, parameters: given } of scheduler.next()) {
      expect(parameters).not.toHaveProperty(String(call.index));
      parameters[call.index] = structuredClone(given);
      flying.push(call.index);
    }
    expect(flying.length).toBeLessThanOrEqual(limit);
    if (flying.length === 0) break;
    const [next] = flying.splice(pick(flying.length), 1) as [number];
    scheduler.settle(next, outcomeOf(next, parameters[next], salt));
  }
  return { parameters, records: scheduler.data.callRecords(), state: scheduler.data.all() };
}

const turns = fc.infiniteStream(fc.nat(1000));

test('the same plan, inputs and results give the same, whatever the timing and the limit', () => {
  fc.assert(
    fc.property(plans, fc.nat(1e6), fc.integer({ min: 1, max: 6 }), turns, ({ plan }, salt, limit, stream) => {
      const one = ran(plan, { limit: 1, salt, pick: () => 0 });
      const other = ran(plan, { limit, salt, pick: (count) => (stream.next().value as number) % count });
      expect(other).toEqual(one);
      expect(one.records.every(({ status }) => status !== 'waiting')).toBe(true);
    }),
    { numRuns: runs(600) },
  );
});

test('a second run on the final state changes nothing', () => {
  fc.assert(
    fc.property(plans, fc.nat(1e6), ({ plan, document }, salt) => {
      fc.pre(!JSON.stringify(document).includes('_outputMethod'));
      // Where a circle was cut, a later call may write what an earlier one did not find.
      fc.pre(!readsLater(plan));
      const first = ran(plan, { limit: 3, salt, pick: () => 0 });
      const again = { ...plan, given: first.state as Plan['given'] };
      expect(ran(again, { limit: 3, salt, pick: () => 0 }).state).toEqual(first.state);
    }),
    { numRuns: runs(300) },
  );
});

/** Whether some call reads what a call behind it in the order may write. */
function readsLater(plan: Plan): boolean {
  const overlap = (a: readonly string[], b: readonly string[]) =>
    a.slice(0, b.length).join('.') === b.slice(0, a.length).join('.');
  return plan.calls.some((reader) => {
    const text = JSON.stringify(reader.parameters);
    return plan.calls.some(
      (writer) =>
        writer.rank >= reader.rank &&
        writer.arms
          .flat()
          .some((one) =>
            [...text.matchAll(/"path":(\[[^\]]*\])/g)].some(([, found]) => overlap(JSON.parse(found as string), one)),
          ),
    );
  });
}

test('calls of which the compiler says that they never both run never both run', () => {
  const fork = (at: string): Json[] => [
    { _tool: 't', _outputPath: `†state.${at}.yes || †state.${at}.no` },
    { _tool: 't', x: `†state.${at}.yes`, _outputPath: `†state.${at}.end` },
    { _tool: 't', x: `†state.${at}.no`, _outputPath: `†state.${at}.end` },
  ];
  fc.assert(
    fc.property(fc.nat(1e6), fc.integer({ min: 1, max: 5 }), turns, (salt, limit, stream) => {
      const { plan, diagnostics } = compiledPlan(['p', 'q', 'r'].flatMap(fork));
      expect(diagnostics).toEqual([]);
      const { parameters } = ran(plan as Plan, { limit, salt, pick: (n) => (stream.next().value as number) % n });
      for (const at of [0, 3, 6]) expect(at + 1 in parameters && at + 2 in parameters).toBe(false);
    }),
    { numRuns: runs(200) },
  );
});

/** What scheduling a call costs is measured in `bench/plan-calls.ts`. */
describe('very many calls', () => {
  const COUNT = tries(250, 10_000);
  const shapes: readonly (readonly [string, Json[]])[] = [
    ['wide', Array.from({ length: COUNT }, (_, at) => ({ _tool: 't', _outputPath: `†state.n${at}` }))],
    [
      'deep',
      Array.from({ length: COUNT }, (_, at) => ({
        _tool: 't',
        ...(at === 0 ? {} : { x: `†state.n${at - 1}` }),
        _outputPath: `†state.n${at}`,
      })),
    ],
    ['pushed', Array.from({ length: COUNT }, () => ({ _tool: 't', _outputPath: '†state.log', _outputMethod: 'push' }))],
  ];
  test.each(shapes)('%s: each is started once', (_, document) => {
    const plan = soundPlan(document);
    const scheduler = new PlanScheduler(plan, { limit: 100 });
    let settled = 0;
    for (let started = scheduler.next(); started.length > 0; started = scheduler.next()) {
      for (const { call } of started) scheduler.settle(call.index, { kind: 'result', value: settled++ });
    }
    expect(settled).toBe(COUNT);
  });
});
