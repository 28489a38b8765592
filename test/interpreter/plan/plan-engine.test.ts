/**
 * Runs of plans inside plans: whatever the timing, and however often the run is made again from its record in the
 * middle, the same calls are made with the same parameters and the same comes of it.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PlanEngine } from '../../../src/interpreter/plan/engine/plan-engine.js';
import type { Json } from '../../../src/machine/expression.js';
import type { Plan } from '../../../src/machine/plan.js';
import { tries } from '../../amount.js';
import { soundPlan } from './compiled-plan.js';
import { callsAroundInner, engineOf, inner, turns } from './plans-inside.js';
import { outcomeOf, plans } from './random-plan.js';

interface World {
  readonly plans: { readonly [name: string]: Plan };
  readonly limit: number;
  readonly salt: number;
  /** Chooses one of so many. */
  readonly pick: (count: number) => number;
  /** Whether the run is made again from its record now. */
  readonly again: () => boolean;
}

const started = ({ plans, limit }: World): PlanEngine => engineOf(plans, 'outer', limit);

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
    { numRuns: tries(5, 300) },
  );
});

const outer = soundPlan(
  {
    calls: [
      ...callsAroundInner,
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
    { numRuns: tries(5, 300) },
  );
});

/** Launches as much as permits allow, then ends the call with one of the keys, in turn. */
function keysInFlight(document: Json, innerDocument: Json, limit: number, ends: readonly string[]): string[][] {
  const tools = '{ t: { run: [t], idempotent: true }, one: { plan: inner, idempotent: true } }';
  const plans = { outer: soundPlan(document, tools), inner: soundPlan(innerDocument) };
  const engine = engineOf(plans, 'outer', limit);
  const flying = new Set<string>();
  const launch = (): string[] => {
    for (const { key } of engine.launchReady()) flying.add(key);
    return [...flying];
  };
  return [
    launch(),
    ...ends.map((key) => {
      flying.delete(key);
      engine.settle(key, { kind: 'result', value: 1 });
      return launch();
    }),
  ];
}

const three = [1, 2, 3].map((at) => ({ _tool: 't', _outputPath: `†state.r${at}` }));

test('a nested plan has at most its own `max` calls in flight, and calls around it continue', () => {
  const outside = { calls: [{ _tool: 'one' }, { _tool: 't' }, { _tool: 't' }], max: 3 };
  const inside = { calls: three, max: 1 };
  expect(keysInFlight(outside, inside, 9, ['1.1', '2', '1.2'])).toEqual([
    ['1.1', '2', '3'],
    ['2', '3', '1.2'],
    ['3', '1.2'],
    ['3', '1.3'],
  ]);
});

test('the calls of plans inside count for the plan around them, and a permit that ends goes to any of them', () => {
  const outside = { calls: [{ _tool: 'one' }, { _tool: 'one' }, { _tool: 't' }], max: 2 };
  expect(keysInFlight(outside, three, 9, ['1.2', '1.1', '1.3', '2.1'])).toEqual([
    ['1.1', '1.2'],
    ['1.1', '1.3'],
    ['1.3', '2.1'],
    ['2.1', '2.2'],
    ['2.2', '2.3'],
  ]);
});

test('a plan of the middle has permits of its own for the plans inside it', () => {
  const tools = '{ t: { run: [t], idempotent: true }, deep: { plan: inner, idempotent: true } }';
  const middle = soundPlan({ calls: [{ _tool: 'deep' }, { _tool: 'deep' }], max: 1 }, tools);
  const top = soundPlan(
    [{ _tool: 'deep' }, { _tool: 't' }],
    '{ t: { run: [t], idempotent: true }, deep: { plan: middle, idempotent: true } }',
  );
  const engine = engineOf({ top, middle, inner: soundPlan(three) }, 'top', 9);
  expect(engine.launchReady().map(({ key }) => key)).toEqual(['1.1.1', '2']);
  engine.settle('1.1.1', { kind: 'result', value: 1 });
  expect(engine.launchReady().map(({ key }) => key)).toEqual(['1.1.2']);
});

test('when the time of a call is over, its calls and approvals end with it, and those of others stay', () => {
  const asks = (name: string) => ({ _tool: 't', ok: `†state.approvals.${name}`, _outputPath: `†state.${name}` });
  const tools =
    '{ t: { run: [t], idempotent: true }, slow: { plan: inner, each: items, timeout: 5s, failure: last, idempotent: true } }';
  const top = soundPlan(
    [
      { _tool: 'slow', items: [1, 2], _outputPath: '†state.done || †state.late' },
      asks('own'),
      { _tool: 't', late: '†state.late' },
    ],
    tools,
  );
  const plans = { top, inner: soundPlan([asks('inside'), { _tool: 't', _outputPath: '†state.b' }]) };
  const engine = engineOf(plans, 'top', 9);
  expect(engine.launchReady().map(({ key }) => key)).toEqual(['1.1.2', '1.2.2']);
  expect(
    engine
      .openApprovals()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['1.1.approvals.inside', '1.2.approvals.inside', 'approvals.own']);
  expect(engine.limits.takeStarted()).toEqual(['1.limit']);
  expect(engine.expire('1.limit')).toEqual(['1.1.2', '1.2.2']);
  expect(engine.expire('1.limit')).toEqual([]);
  expect(engine.openApprovals().map(({ name }) => name)).toEqual(['approvals.own']);
  expect(engine.launchReady().map(({ key, parameters }) => [key, parameters])).toEqual([
    ['3', { late: { code: 'timeout', message: 'it took longer than 5000 ms' } }],
  ]);
  expect(() => engine.settle('1.1.2', { kind: 'result', value: 1 })).toThrow('no call 1.1.2 runs');
});

test('a call is started once, by its turn or because the record has it', () => {
  const engine = engineOf({ top: soundPlan(three) }, 'top', 2);
  expect(engine.forceStart('3')?.key).toBe('3');
  expect(engine.launchReady().map(({ key }) => key)).toEqual(['1']);
  expect(['1', '3', '4'].map((key) => engine.forceStart(key))).toEqual([null, null, null]);
  engine.settle('3', { kind: 'result', value: 1 });
  expect(engine.forceStart('3')).toBeNull();
  expect(engine.launchReady().map(({ key }) => key)).toEqual(['2']);
});

const TIMED =
  '{ t: { run: [t], idempotent: true }, each: { plan: inner, each: items, timeout: 5s, idempotent: true } }';

test('a limit is watched from its start, once, and not when its call has ended by then', () => {
  const calls: Json[] = [
    { _tool: 'each', items: [1], _outputPath: '†state.a' },
    { _tool: 'each', items: [], _outputPath: '†state.b' },
    { _tool: 'each', items: '†state.a', _outputPath: '†state.c' },
  ];
  const engine = engineOf({ top: soundPlan(calls, TIMED), inner: soundPlan(three.slice(0, 1)) }, 'top', 9);
  engine.launchReady();
  expect([engine.limits.takeStarted(), engine.limits.takeStarted()]).toEqual([['1.limit'], []]);
  engine.settle('1.1.1', { kind: 'result', value: 1 });
  expect([engine.limits.takeStarted(), engine.limits.takeStarted()]).toEqual([['3.limit'], []]);
  expect(engine.expire('1.limit')).toEqual([]);
});

test('a limit also ends the check of the result, and neither plans around its call nor others inside', () => {
  const tools = `{ t: { run: [t], idempotent: true },
    one: { plan: leaf, timeout: 5s, failure: last, schema: { properties: { _output: { type: object } } }, idempotent: true } }`;
  const calls: Json[] = [
    { _tool: 'one', _outputPath: '†state.a || †state.late' },
    { _tool: 'one', _outputPath: '†state.b || †state.none' },
    { _tool: 't', x: '†state.late' },
  ];
  const engine = engineOf(
    {
      top: soundPlan([{ _tool: 'both' }, { _tool: 'both' }], '{ both: { plan: middle, idempotent: true } }'),
      middle: soundPlan(calls, tools),
      leaf: soundPlan([{ _tool: 't', _outputPath: '†state.x' }]),
    },
    'top',
    9,
  );
  const launch = (): string[] => engine.launchReady().map(({ key }) => key);
  const settle = (...keys: readonly string[]): void => {
    for (const key of keys) engine.settle(key, { kind: 'result', value: {} });
  };
  expect(launch()).toEqual(['1.1', '1.2', '2.1', '2.2']);
  settle('1.1', '1.2', '2.1', '2.2');
  expect(launch()).toEqual(['1.1.1', '1.2.1', '2.1.1', '2.2.1']);
  settle('1.1.1', '1.2.1', '2.1.1');
  expect(launch()).toEqual(['1.1.result', '1.2.result', '2.1.result']);
  expect(engine.expire('1.1.limit')).toEqual(['1.1.result']);
  expect(launch()).toEqual(['1.3']);
  settle('1.2.result', '2.1.result', '2.2.1', '1.3');
  expect(launch()).toEqual(['2.2.result']);
});

test('calls that failed are to blame, and not the calls around them; of items the first counts, whichever came first', () => {
  const tools = '{ t: { run: [t], idempotent: true }, each: { plan: inner, each: items, idempotent: true } }';
  const calls: Json[] = [
    { _tool: 't', _outputPath: '†state.text' },
    { _tool: 'each', items: [1, 2, 3], _outputPath: '†state.list' },
    { _tool: 't', _outputPath: '†state.text', _outputMethod: 'push' },
    { _tool: 'each', items: [], _outputPath: '†state.text', _outputMethod: 'push' },
  ];
  const failure = { kind: 'failure', code: 1, message: 'no', exitCode: 1 } as const;
  const plans = { top: soundPlan(calls, tools), inner: soundPlan([{ _tool: 't', _outputPath: '†state.x' }]) };
  for (const order of [
    ['2.1.1', '2.2.1', '2.3.1'],
    ['2.3.1', '2.2.1', '2.1.1'],
  ]) {
    const engine = engineOf(plans, 'top', 9);
    engine.launchReady();
    for (const key of ['1', ...order.filter((key) => key !== '2.1.1'), '3']) {
      engine.settle(key, key.startsWith('2.') ? failure : { kind: 'result', value: 'text' });
      engine.launchReady();
    }
    engine.settle('2.1.1', { kind: 'result', value: 1 });
    expect(engine.result?.blamed).toEqual(['2.2.1', '3']);
    expect(engine.reports().map(({ error }) => error?.message)).toEqual([
      undefined,
      'item 2: call 1 (`t`) failed: no',
      '`push` needs a list',
      '`push` needs a list',
    ]);
  }
});

test('a plan inside of which a call may have run or not may have run or not itself, so no alternative is taken', () => {
  const tools = '{ one: { plan: inner, failure: last } }';
  const calls = [{ _tool: 'one', _outputPath: '†state.a || †state.b' }];
  const engine = engineOf({ top: soundPlan(calls, tools), inner: soundPlan(three.slice(0, 1)) }, 'top', 9);
  engine.launchReady();
  engine.settle('1.1', { kind: 'in-doubt', message: 'lost' });
  expect(engine.reports()).toMatchObject([{ status: 'failed', arm: null, error: { code: 'in_doubt' } }]);
});

test('a plan inside that only runs another one for no items ends once', () => {
  const tools = '{ t: { run: [t], idempotent: true }, one: { plan: middle }, each: { plan: inner, each: items } }';
  const plans = {
    top: soundPlan(
      [
        { _tool: 'one', _outputPath: '†state.a' },
        { _tool: 't', x: '†state.a' },
      ],
      tools,
    ),
    middle: soundPlan([{ _tool: 'each', items: [], _outputPath: '†state.list' }], tools),
    inner,
  };
  const engine = engineOf(plans, 'top', 9);
  expect(engine.launchReady().map(({ parameters }) => parameters)).toEqual([{ x: { list: [] } }]);
});

test('the result of a plan that a schema describes is what the plan came to, whatever its check says', () => {
  const schema = '{ type: object, properties: { _output: { type: object } } }';
  const tools = `{ one: { plan: inner, idempotent: true, schema: ${schema} } }`;
  const plans = {
    top: soundPlan([{ _tool: 'one', _outputPath: '†state.a' }], tools),
    inner: soundPlan(three.slice(0, 1)),
  };
  const engine = engineOf(plans, 'top', 9);
  for (const [key, value] of [
    ['1', {}],
    ['1.1', 7],
    ['1.result', 'checked'],
  ] as const) {
    expect(engine.launchReady().map((leaf) => leaf.key)).toEqual([key]);
    engine.settle(key, { kind: 'result', value });
  }
  expect(engine.root.scheduler.data.all()).toEqual({ state: { a: engine.root.scheduler.data.resultOf(0) } });
  expect(JSON.stringify(engine.root.scheduler.data.resultOf(0))).toMatch(/^\{.*7\}$/);
});

test('the time limit of a CALL is that of its one call, and not of the calls inside', () => {
  const tools = '{ one: { plan: NAME, timeout: 5s, idempotent: true } }';
  const plans = {
    top: soundPlan([{ _tool: 'one' }], tools.replace('NAME', 'middle')),
    middle: soundPlan([{ _tool: 'one' }], tools.replace('NAME', 'leaf')),
    leaf: soundPlan(three.slice(0, 1)),
  };
  const timesOf = (callTimeoutMs: number | null) => {
    const { limits } = engineOf(plans, 'top', 9, { callTimeoutMs });
    return limits.takeStarted().map((key) => [key, limits.get(key)?.timeoutMs]);
  };
  expect(timesOf(7)).toEqual([
    ['1.limit', 7],
    ['1.1.limit', 5000],
  ]);
  expect(timesOf(null)[0]).toEqual(['1.limit', 5000]);
});

test('who denied an approval is known after the run is made again from its record', () => {
  const plans = { top: soundPlan([{ _tool: 't', ok: '†state.approvals.go', _outputPath: '†state.a' }]) };
  const engine = engineOf(plans, 'top', 9);
  engine.approve('approvals.go', false, 'Ada');
  const again = engineOf(plans, 'top', 9);
  again.replay(JSON.parse(JSON.stringify(engine.log)));
  expect(again.reports()).toEqual(engine.reports());
  expect(again.reports()[0]?.error?.message).toBe('`†state.approvals.go` was denied by Ada');
});
