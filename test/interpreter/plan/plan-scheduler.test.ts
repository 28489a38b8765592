/** What became of calls, one rule a test. */
import { describe, expect, test } from 'vitest';
import type { PlanOutcome } from '../../../src/interpreter/plan/scheduler/plan-outcome.js';
import { PlanScheduler } from '../../../src/interpreter/plan/scheduler/plan-scheduler.js';
import type { Json } from '../../../src/machine/expression.js';
import { soundPlan } from './compiled-plan.js';

const result = (value: Json): PlanOutcome => ({ kind: 'result', value });
const failure: PlanOutcome = { kind: 'failure', code: 1, message: 'no', exitCode: 1 };

/** Runs a plan to its end; outcomes by the index of the call, and `true` where none is given. */
function ran(document: unknown, outcomes: { readonly [call: number]: PlanOutcome } = {}, tools?: string) {
  const scheduler = new PlanScheduler(soundPlan(document as Json, tools), { limit: 4 });
  const parameters: { [call: number]: Json } = {};
  for (let started = scheduler.next(); started.length > 0; started = scheduler.next()) {
    for (const { call, parameters: given } of started) {
      parameters[call.index] = given as Json;
      scheduler.settle(call.index, outcomes[call.index] ?? result(true));
    }
  }
  const records = scheduler.data.callRecords();
  return {
    parameters,
    state: (scheduler.data.all() as { state?: Json }).state ?? null,
    output: scheduler.data.output(),
    statuses: records.map(({ status, reason }) => (reason === null ? status : `${status}: ${reason}`)),
    records,
  };
}

const branch = [
  { _tool: 't', _outputPath: '†state.yes || †state.no' },
  { _tool: 't', x: '†state.yes', _outputPath: '†state.end' },
  { _tool: 't', x: '†state.no', _outputPath: '†state.end' },
  { _tool: 't', x: '†state.end' },
];

describe('a branch', () => {
  test('runs one side and what joins them', () => {
    const { statuses, state } = ran(branch, { 0: result({ _path: 1, _output: 7 }), 2: result('no') });
    expect(statuses).toEqual(['done', 'skipped: branch', 'done', 'done']);
    expect(state).toEqual({ no: 7, end: 'no' });
  });

  test('is named by its path, however that is written', () => {
    const { statuses } = ran(branch, { 0: result({ _path: ' †state["no"] ', _output: 7 }) });
    expect(statuses[1]).toBe('skipped: branch');
  });

  test('fails when the tool names no alternative of the call', () => {
    const { records } = ran(branch, { 0: result({ _path: 2, _output: 7 }) });
    expect(records.map(({ status }) => status)).toEqual(['failed', 'blocked', 'blocked', 'blocked']);
    expect(records[0]?.error?.code).toBe('bad_path');
  });

  test('is never picked when it is unknown whether the call ran, whatever the tool says of failures', () => {
    const tools = '{ t: { run: [t], failure: last, outcomes: {"3": "†state.no"} } }';
    const { records } = ran(branch.slice(0, 1), { 0: { kind: 'in-doubt', message: 'lost' } }, tools);
    expect(records).toEqual([
      { status: 'failed', arm: null, reason: null, error: { code: 'in_doubt', message: 'lost' } },
    ]);
  });

  test('is not named by a part of its path, nor by a path below it', () => {
    for (const named of ['†state', '†state.no.deep'])
      expect(ran(branch, { 0: result({ _path: named, _output: 7 }) }).records[0]?.error?.code).toBe('bad_path');
  });

  test('of a failure is the last alternative', () => {
    const { statuses, state } = ran(branch, { 0: failure });
    expect(statuses).toEqual(['done', 'skipped: branch', 'done', 'done']);
    expect(state).toMatchObject({ no: { code: 1, message: 'no' } });
  });

  test('is never picked by a crash', () => {
    const { statuses } = ran(branch, { 0: { kind: 'broken', code: 'timeout', message: 'too long' } });
    expect(statuses).toEqual(['failed', 'blocked: failed', 'blocked: failed', 'blocked: failed']);
  });

  test('is picked by exit codes that the tool names, and by no others', () => {
    const tools = '{ t: { run: [t], outcomes: {"3": "†state.no"} } }';
    const first = branch.slice(0, 1);
    expect(ran(first, { 0: { ...failure, exitCode: 3 } as PlanOutcome }, tools).records[0]?.arm).toBe(1);
    expect(ran(first, { 0: failure }, tools).statuses).toEqual(['failed']);
  });
});

describe('references', () => {
  test('take the first that is there, and wait for what may still come', () => {
    const { parameters } = ran(
      [
        { _tool: 't', _outputPath: '†state.a || †state.b' },
        { _tool: 't', x: '†state.a', _outputPath: '†state.c' },
        { _tool: 't', x: '†state.c || †state.b', y: '†state.b && †state.b.z' },
      ],
      { 0: result({ _path: 1, _output: { z: null } }) },
    );
    expect(parameters[2]).toEqual({ x: { z: null }, y: null });
  });

  test('to a field that a value does not have fail, and name what there is', () => {
    const calls = [
      { _tool: 't', _outputPath: '†state.a' },
      { _tool: 't', x: '†state.a.b' },
      { _tool: 't', x: '†input.user.nmae' },
      { _tool: 't', x: '†state.a.b || †input.user.name' },
    ];
    const context = [{ type: 'input', user: { name: 'Ada', age: 3 } }];
    const { statuses, records } = ran({ calls, context });
    const errors = records.map(({ error }) => error);
    expect(statuses).toEqual(['done', 'failed: unresolved', 'failed: unresolved', 'done']);
    expect(errors.slice(1, 3)).toEqual([
      { code: 'unresolved', message: '`†state.a` is a boolean, which has no field `b`' },
      {
        code: 'unresolved',
        message: '`†input.user` has no field `nmae`; it has `name`, `age`; did you mean `name`?',
      },
    ]);
  });

  test('to an arm that was not taken decide at once, whatever else the call reads', () => {
    const plan = soundPlan([
      { _tool: 't', _outputPath: '†state.slow' },
      { _tool: 't', _outputPath: '†state.a || †state.b' },
      { _tool: 't', x: '†state.slow', y: '†state.b', _outputPath: '†state.c' },
      { _tool: 't', x: '†state.c || †state.a' },
      { _tool: 't', x: ['†state.slow', '†state.approvals.go'], y: '†state.c' },
    ]);
    const scheduler = new PlanScheduler(plan, { limit: 9 });
    expect(scheduler.next().map(({ call }) => call.index)).toEqual([0, 1]);
    scheduler.settle(1, { kind: 'result', value: 'first' });
    const statuses = scheduler.data.callRecords().map(({ status, reason }) => `${status} ${reason}`);
    expect(statuses.slice(2)).toEqual(['skipped branch', 'waiting waiting', 'skipped branch']);
    expect(scheduler.next().map(({ call }) => call.index)).toEqual([3]);
    scheduler.settle(0, { kind: 'failure', code: 1, message: 'no' });
    expect(scheduler.data.callRecords()[2]?.reason).toBe('branch');
  });

  test('without a value are named by the first of them', () => {
    const calls = [
      { _tool: 't', _outputPath: '†state.a' },
      { _tool: 't', x: ['†state.a.one', '†state.a.two'] },
    ];
    expect(ran(calls, { 0: result({ three: 3 }) }).records[1]?.error?.message).toMatch(/`one`/);
  });

  test('to a value see what calls wrote around it and in it, in their order, and nothing of later calls', () => {
    const calls: Json[] = [
      { _tool: 't', _outputPath: '†state.a' },
      { _tool: 't', _outputPath: '†state.a.x', _outputMethod: 'set' },
      { _tool: 't', x: '†state.a.x', y: '†state.a.y', all: '†state.a', s: '†state.slow', _outputPath: '†state.out' },
      { _tool: 't', _outputPath: '†state.slow' },
      { _tool: 't', z: '†state.k || †state.out', _outputPath: '†state.a', _outputMethod: 'set' },
    ];
    const values: Json[] = [{ x: 'old', y: 1 }, 'new', null, 's', 'last'];
    for (const order of [
      [0, 1, 4, 3],
      [4, 3, 1, 0],
      [1, 3, 0, 4],
    ]) {
      const scheduler = new PlanScheduler(soundPlan({ calls, context: [{ type: 'state', k: 1 }] }), { limit: 9 });
      expect(scheduler.next().map(({ call }) => call.index)).toEqual([0, 1, 3, 4]);
      for (const index of order) scheduler.settle(index, result(values[index] as Json));
      const all = { x: 'new', y: 1 };
      expect(scheduler.next().map(({ parameters }) => parameters)).toEqual([{ ...all, all, s: 's' }]);
      expect(scheduler.data.all()).toEqual({ state: { k: 1, a: 'last', slow: 's' } });
    }
  });

  test('to inputs without a value are missing', () => {
    expect(ran([{ _tool: 't', x: '†input.a' }]).statuses).toEqual(['skipped: missing']);
  });

  test('to approvals of unknown values ask whether one is false, and whether it is true does not matter', () => {
    const calls = [{ _tool: 't', x: '†state.approvals.go' }];
    const plan = soundPlan({ calls, context: [{ type: 'state', approvals: { go: true } }] });
    const next = (isFalse: boolean) => {
      const unknown = { isFalse: () => isFalse, isUnknown: () => false } as never;
      const scheduler = new PlanScheduler(plan, { limit: 9, unknown });
      return [scheduler.next().length, scheduler.data.callRecords()[0]?.reason];
    };
    expect(next(false)[0]).toBe(1);
    expect(next(true)).toEqual([0, 'denied']);
  });

  test('to gates wait, and so does everything that depends on them', () => {
    const plan = [
      { _tool: 't', x: '†state.approvals.go', _outputPath: '†state.a' },
      { _tool: 't', x: '†state.a' },
      { _tool: 't', _outputPath: '†state.b || †state.c' },
      { _tool: 't', x: '†state.approvals.go', y: '†state.c' },
    ];
    const waiting = ['waiting: waiting', 'waiting: waiting', 'done', 'skipped: branch'];
    expect(ran(plan).statuses).toEqual(waiting);
    expect(ran({ calls: plan, context: [{ type: 'state', approvals: { go: true } }] }).statuses).toEqual([
      'done',
      'done',
      'done',
      'skipped: branch',
    ]);
    expect(ran({ calls: plan, context: [{ type: 'state', approvals: { go: false } }] }).statuses).toEqual([
      'denied: denied',
      'blocked: failed',
      'done',
      'skipped: branch',
    ]);
  });

  test('into a list are its indexes, and not other properties of a list', () => {
    const reads = ['[1]', '.length', '.map', '["01"]', '[2]'].map((x) => ({ _tool: 't', x: `†state.list${x}` }));
    const calls = [{ _tool: 't', _outputPath: '†state.list' }, ...reads];
    const { statuses, parameters } = ran(calls, { 0: result(['a', 'b']) });
    expect(statuses).toEqual(['done', 'done', ...new Array<string>(4).fill('failed: unresolved')]);
    expect(parameters[1]).toEqual({ x: 'b' });
  });

  test('to what a blocked call would have written are blocked, too, even if another writer was not chosen', () => {
    const calls = [
      ...branch.slice(0, 1),
      { _tool: 't', x: '†state.no', _outputPath: '†state.end' },
      { _tool: 't', _outputPath: '†state.lost' },
      { _tool: 't', x: '†state.lost', _outputPath: '†state.end' },
      { _tool: 't', x: '†state.end' },
    ];
    expect(ran(calls, { 2: failure }).statuses).toEqual([
      'done',
      'skipped: branch',
      'failed',
      'blocked: failed',
      'blocked: failed',
    ]);
  });

  test('a denial outweighs a failure, and a failure outweighs a value that does not exist', () => {
    const calls = [
      { _tool: 't', _outputPath: '†state.a' },
      { _tool: 't', x: '†state.a', ok: '†state.approvals.go' },
      { _tool: 't', ok: '†state.approvals.go', x: '†state.a' },
      { _tool: 't', x: '†input.none', y: '†state.a' },
    ];
    const { statuses } = ran({ calls, context: [{ type: 'state', approvals: { go: false } }] }, { 0: failure });
    expect(statuses).toEqual(['failed', 'denied: denied', 'denied: denied', 'blocked: failed']);
  });
});

describe('while people are asked', () => {
  const calls: Json[] = [
    { _tool: 't', ok: '†state.approvals.go', _outputPath: '†state.a' },
    { _tool: 't', _outputPath: '†state.b' },
    { _tool: 't', x: '†state.a', y: '†state.b.none', _outputPath: '†state.c || †state.lost' },
    { _tool: 't', x: '†input.none', y: '†state.a', _outputPath: '†state.d || †state.e' },
    { _output: 1, _outputPath: '†state.e' },
    { _tool: 't', x: '†state.d || †state.e' },
  ];

  test('calls that could not run whatever they answer are decided, and those that depended on them start', () => {
    const scheduler = new PlanScheduler(soundPlan({ calls, context: [] }), { limit: 9 });
    const started: number[] = [];
    for (let next = scheduler.next(); next.length > 0; next = scheduler.next())
      for (const { call } of next) {
        started.push(call.index);
        scheduler.settle(call.index, result(1));
      }
    const statuses = scheduler.data.callRecords().map(({ status, reason }) => `${status} ${reason}`);
    expect(scheduler.openApprovals().map(({ path }) => path.join('.'))).toEqual(['state.approvals.go']);
    expect(started).toEqual([1, 5]);
    expect(statuses).toEqual([
      'waiting waiting',
      'done null',
      'failed unresolved',
      'skipped missing',
      'done null',
      'done null',
    ]);
  });

  test('what depends on a call that cannot run is decided with it, even if it depends on people, too', () => {
    const calls: Json[] = [
      { _tool: 't', ok: '†state.approvals.go', _outputPath: '†state.a' },
      { _tool: 't', x: '†state.a', y: '†input.none', _outputPath: '†state.b' },
      { _tool: 't', x: '†state.b', y: '†state.a' },
    ];
    const scheduler = new PlanScheduler(soundPlan({ calls, context: [] }), { limit: 9 });
    expect(scheduler.next()).toEqual([]);
    expect(scheduler.data.callRecords().map(({ status, reason }) => `${status} ${reason}`)).toEqual([
      'waiting waiting',
      'skipped missing',
      'skipped missing',
    ]);
  });

  test('one answer starts all calls that wait for it', () => {
    const call = { _tool: 't', ok: '†state.approvals.go' };
    const scheduler = new PlanScheduler(soundPlan([call, call, call]), { limit: 9 });
    expect(scheduler.next()).toEqual([]);
    scheduler.approve(['state', 'approvals', 'go'], true);
    expect(scheduler.next().map(({ call }) => call.index)).toEqual([0, 1, 2]);
  });

  test('all that a call needs from them is asked at once', () => {
    const calls: Json[] = [
      { _tool: 't', one: '†state.approvals.one', two: ['†state.approvals.two', '†state.approvals.three'] },
      { _tool: 't', two: '†state.approvals.two', four: '†state.approvals.four' },
    ];
    const scheduler = new PlanScheduler(soundPlan(calls), { limit: 9 });
    const open = () => scheduler.openApprovals().map(({ path }) => path[2]);
    expect(scheduler.next()).toEqual([]);
    expect(open()).toEqual(['one', 'two', 'three', 'four']);
    scheduler.approve(['state', 'approvals', 'two'], true);
    expect(open()).toEqual(['one', 'three', 'four']);
    scheduler.approve(['state', 'approvals', 'four'], true);
    expect(open()).toEqual(['one', 'three']);
    expect(scheduler.next().map(({ call }) => call.index)).toEqual([1]);
  });
});

describe('writing', () => {
  test('to several paths waits for no existing value, and fills the missing ones', () => {
    const calls = [{ _tool: 't', _outputPath: '†state.p && †state.q' }];
    const { statuses, state } = ran({ calls, context: [{ type: 'state', p: 1 }] });
    expect(statuses).toEqual(['done']);
    expect(state).toEqual({ p: 1, q: true });
  });

  test('to one of several alternatives is still possible while others have values', () => {
    const calls = [
      { _tool: 't', _outputPath: '†state.a' },
      { _tool: 't', _outputPath: '†state.b' },
      { _tool: 't', _outputPath: '†state.a || †state.b' },
    ];
    const { records, state } = ran(calls, { 1: failure, 2: result({ _path: 1, _output: 'late' }) });
    expect(records[2]).toEqual({ status: 'done', arm: 1, reason: null, error: null });
    expect(state).toEqual({ a: true, b: 'late' });
  });

  test('by others recovers a failed call only if one of its alternatives has all of its values', () => {
    const both = { _tool: 't', _outputPath: '†state.p && †state.q' };
    const ended = (calls: Json[], outcome: PlanOutcome) =>
      ran({ calls, context: [{ type: 'state', p: 1 }] }, { 0: failure, 1: outcome }).records[0];
    expect(ended([both, both], result(2))?.recovered).toBe(true);
    expect(ended([both, both], failure)).not.toHaveProperty('recovered');
    expect(ended([both], failure)).not.toHaveProperty('recovered');
  });

  test('never changes what a call has read', () => {
    const calls = [
      { _tool: 't', _outputPath: '†state.list', _outputMethod: 'push' },
      { _tool: 't', all: '†state', _outputPath: '†state.read' },
      { _tool: 't', after: '†state.read', _outputPath: '†state.list', _outputMethod: 'push' },
      { _tool: 't', after: '†state.read', _outputPath: '†state.deep.list', _outputMethod: 'push' },
    ];
    const given = { list: ['given'], deep: { list: [1] } };
    const { parameters, state } = ran({ calls, context: [{ type: 'state', ...given }] }, { 0: result('first') });
    const list = ['given', 'first'];
    expect(parameters[1]).toEqual({ all: { list, deep: { list: [1] } } });
    expect(state).toEqual({ list: [...list, true], deep: { list: [1, true] }, read: true });
  });

  test('to several paths waits for the earlier writers of each, though an arm of one was not taken', () => {
    const plan = soundPlan([
      { _tool: 't', _outputPath: '†state.c || †state.g' },
      { _tool: 't', _outputPath: '†state.d', _outputMethod: 'push' },
      { _tool: 't', _outputPath: '†state.d && †state.g', _outputMethod: 'push' },
    ]);
    const scheduler = new PlanScheduler(plan, { limit: 9 });
    expect(scheduler.next().map(({ call }) => call.index)).toEqual([0, 1, 2]);
    for (const index of [2, 0, 1]) scheduler.settle(index, result(index));
    expect(scheduler.data.all()).toEqual({ state: { c: 0, d: [1, 2], g: [2] } });
  });

  test('happens once: an existing result does not run again', () => {
    const calls = [{ _tool: 't', _outputPath: '†state.a || †state.b' }];
    expect(ran({ calls, context: [{ type: 'state', b: null }] }).records[0]).toMatchObject({
      status: 'satisfied',
      arm: 1,
    });
  });

  test('of a later call is not seen by an earlier one that still waits for something else', () => {
    const calls: Json[] = [
      { _tool: 't', _outputPath: '†state.x' },
      { _tool: 't', l: '†state.l', s: '†state.slow', _outputPath: '†state.out' },
      { _tool: 't', _outputPath: '†state.slow' },
      { _tool: 't', z: '†state.x || †state.out', _outputPath: '†state.l', _outputMethod: 'set' },
    ];
    const plan = soundPlan({ calls, context: [{ type: 'state', l: 'old' }] });
    const scheduler = new PlanScheduler(plan, { limit: 9 });
    scheduler.next();
    scheduler.settle(0, result(0));
    expect(scheduler.next().map(({ call }) => call.index)).toEqual([3]);
    scheduler.settle(3, result('new'));
    expect(scheduler.data.all()).toMatchObject({ state: { l: 'new' } });
    scheduler.settle(2, result('end'));
    expect(scheduler.next().map(({ parameters }) => parameters)).toEqual([{ l: 'old', s: 'end' }]);
  });

  test('of a denied call is seen by calls below it, although a later call was faster', () => {
    const calls: Json[] = [
      { _tool: 't', ok: '†state.approvals.go', _outputPath: '†state.a || †state.why' },
      { _tool: 't', e: '†state.why', s: '†state.slow', _outputPath: '†state.out' },
      { _tool: 't', _outputPath: '†state.slow' },
      { _tool: 't', z: '†state.k || †state.out', _outputPath: '†state.why', _outputMethod: 'set' },
    ];
    const plan = soundPlan({ calls, context: [{ type: 'state', k: 1 }] });
    const scheduler = new PlanScheduler(plan, { limit: 9 });
    scheduler.next();
    scheduler.settle(3, result('new'));
    scheduler.approve(['state', 'approvals', 'go'], false);
    scheduler.settle(2, result('end'));
    expect(scheduler.next().map(({ parameters }) => parameters)).toMatchObject([{ e: { code: 'denied' }, s: 'end' }]);
  });

  test('of a denied call does not depend on when people answer what else it reads', () => {
    const calls: Json[] = [
      { _tool: 't', ok: '†state.approvals.go', _outputPath: '†state.a || †state.why' },
      { _tool: 't', ok: '†state.approvals.no', e: '†state.why', _outputPath: '†state.b || †state.c' },
    ];
    const plan = soundPlan({ calls, context: [{ type: 'state', approvals: { no: false } }] });
    for (const [outcome, status] of [
      [result(1), 'skipped'],
      [failure, 'denied'],
    ] as const) {
      const scheduler = new PlanScheduler(plan, { limit: 9 });
      expect(scheduler.next()).toEqual([]);
      scheduler.approve(['state', 'approvals', 'go'], true);
      expect(scheduler.next().map(({ call }) => call.index)).toEqual([0]);
      scheduler.settle(0, outcome);
      expect(scheduler.data.callRecords()[1]?.status).toBe(status);
    }
  });

  test('to elements of a list happens in the order of the calls', () => {
    const calls = [
      { _tool: 't', _outputPath: '†state.l[0]', _outputMethod: 'set' },
      { _tool: 't', _outputPath: '†state.l[1]', _outputMethod: 'set' },
    ];
    const scheduler = new PlanScheduler(soundPlan({ calls, context: [{ type: 'state', l: [] }] }), { limit: 9 });
    scheduler.next();
    for (const index of [1, 0]) scheduler.settle(index, result(index));
    expect(scheduler.data.all()).toEqual({ state: { l: [0, 1] } });
  });

  test('by a person counts as given from the beginning, also for a call that does not see what others wrote', () => {
    const calls: Json[] = [
      { _tool: 't', ok: '†state.approvals.go', s: '†state', _outputPath: '†state.out' },
      { _tool: 't', z: '†state.k || †state.out', _outputPath: '†state.later' },
    ];
    const scheduler = new PlanScheduler(soundPlan({ calls, context: [{ type: 'state', k: 1 }] }), { limit: 9 });
    scheduler.next();
    scheduler.settle(1, result(1));
    scheduler.approve(['state', 'approvals', 'go'], 'yes');
    const [started] = scheduler.next();
    expect(started?.parameters).toEqual({ ok: 'yes', s: { k: 1, approvals: { go: 'yes' } } });
  });

  test('to several paths happens to all of them or to none', () => {
    const calls = [
      { _tool: 't', _outputPath: '†state.q' },
      { _tool: 't', _outputPath: '†state.p && †state.q', _outputMethod: 'push' },
    ];
    const { state, records } = ran(calls, { 0: result('text') });
    expect(state).toEqual({ q: 'text' });
    expect(records[1]?.error).toEqual({ code: 'bad_value', message: '`push` needs a list' });
  });

  test('of one path by two calls is decided by their order', () => {
    const calls = [
      { _tool: 't', _outputPath: '†state.a' },
      { _tool: 't', _outputPath: '†state.a' },
    ];
    expect(ran(calls)).toMatchObject({ statuses: ['done', 'superseded'], state: { a: true } });
    expect(ran(calls, { 0: failure }).records).toMatchObject([
      { status: 'failed', recovered: true },
      { status: 'done' },
    ]);
  });

  test('waits for earlier ones if these may write all that it could, and only then', () => {
    const begun = (...paths: readonly string[]) => {
      const calls = paths.map((_outputPath) => ({ _tool: 't', _outputPath }));
      return new PlanScheduler(soundPlan({ calls }), { limit: 9 }).next().map(({ call }) => call.index);
    };
    expect(begun('†state.a', '†state.a')).toEqual([0]);
    expect(begun('†state.a', '†state.a || †state.b')).toEqual([0, 1]);
    expect(begun('†state.a || †state.b', '†state.a')).toEqual([0]);
    expect(begun('†state.a || †state.b', '†state.b || †state.a')).toEqual([0]);
    expect(begun('†state.a', '†state.b')).toEqual([0, 1]);
  });

  test('an arm that another call has taken drops the result', () => {
    const calls = [
      { _tool: 't', _outputPath: '†state.a || †state.error' },
      { _tool: 't', _outputPath: '†state.b || †state.error' },
    ];
    const { statuses, state } = ran(calls, { 0: failure, 1: { ...failure, code: 2 } as PlanOutcome });
    expect(statuses).toEqual(['done', 'superseded']);
    expect(state).toEqual({ error: { code: 1, message: 'no' } });
  });

  test('to a list takes what is there and its end, and nothing beyond', () => {
    const context = [{ type: 'state', list: [1] }];
    const at = (index: number) => ({ context, calls: [{ _tool: 't', _outputPath: `†state.list[${index}]` }] });
    expect(ran(at(1)).state).toEqual({ list: [1, true] });
    expect(ran(at(2)).records[0]).toMatchObject({ status: 'failed', error: { code: 'bad_value' } });
    expect(ran([{ _tool: 't', _outputPath: '†state.list[1]' }]).state).toEqual({ list: { 1: true } });
  });

  test('with a method changes the existing value', () => {
    const context = [{ type: 'state', a: { x: { y: 1 } }, b: { x: { y: 1 } }, c: 'ab', d: 1 }];
    const calls = ['a merge', 'b assign', 'c concat', 'list push', 'list push', 'd push'].map((text) => {
      const [name, _outputMethod] = text.split(' ') as [string, string];
      return { _tool: 't', _outputPath: `†state.${name}`, _outputMethod };
    });
    const deep = result({ x: { z: 2 } });
    const { state, statuses } = ran(
      { calls, context },
      { 0: deep, 1: deep, 2: result('c'), 3: result(1), 4: result(2) },
    );
    expect(state).toEqual({ a: { x: { y: 1, z: 2 } }, b: { x: { z: 2 } }, c: 'abc', d: 1, list: [1, 2] });
    expect(statuses).toEqual(['done', 'done', 'done', 'done', 'done', 'failed']);
  });

  test('never reaches a prototype', () => {
    const value = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 2}') as Json;
    const { state, parameters } = ran(
      [
        { _tool: 't', _outputPath: '†state.a', _outputMethod: 'merge' },
        { _tool: 't', x: '†state.a' },
      ],
      { 0: result(value) },
    );
    expect(JSON.stringify(state)).toBe('{"a":{"__proto__":{"polluted":1},"constructor":2}}');
    expect(JSON.stringify(parameters[1])).toBe('{"x":{"__proto__":{"polluted":1},"constructor":2}}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

test('a value in the call itself is written without a tool', () => {
  const { statuses, parameters, output } = ran({
    calls: [
      { _output: { n: '††x', r: '†state.a' }, _outputPath: '†state.b' },
      { _output: 1, _outputPath: '†state.a' },
    ],
    output: { b: '†state.b', gone: ['†input.gone'] },
  });
  expect(statuses).toEqual(['done', 'done']);
  expect(parameters).toEqual({});
  expect(output).toEqual({ b: { n: '†x', r: 1 }, gone: [null] });
});

test('a value in the call itself may go nowhere', () => {
  expect(ran([{ _output: 1 }]).statuses).toEqual(['done']);
});

test('at most `max` calls run at once, the first of the plan first', () => {
  const scheduler = new PlanScheduler(soundPlan({ calls: [{ _tool: 't' }, { _tool: 't' }, { _tool: 't' }], max: 2 }), {
    limit: 9,
  });
  expect(scheduler.next().map(({ call }) => call.index)).toEqual([0, 1]);
  scheduler.settle(1, result(null));
  expect(scheduler.next().map(({ call }) => call.index)).toEqual([2]);
});
