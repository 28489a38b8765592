/** Parts of plans on their own: the queue of ready calls, what a CALL may try again, why a path has no value. */
import { expect, test } from 'vitest';
import type { Outcome } from '../../../src/interpreter/events/event.js';
import { mayRetry } from '../../../src/interpreter/plan/active-plan.js';
import { CallQueue } from '../../../src/interpreter/plan/scheduler/call-queue.js';
import { absenceReason } from '../../../src/interpreter/plan/scheduler/plan-data.js';
import type { PlanOutcome } from '../../../src/interpreter/plan/scheduler/plan-outcome.js';
import { Approvals } from '../../../src/interpreter/plan/scheduler/plan-scheduler.js';
import { advance, link, restoreRun, settle, snapshotOf, startRun } from '../../../src/interpreter/run.js';
import { planMachine } from '../../../src/language/check/plan/plan-machine.js';
import type { Json } from '../../../src/machine/expression.js';
import type { PlanPath, ToolBinding } from '../../../src/machine/plan.js';
import { OPTIONS, printed } from '../machine-builder.js';
import { soundPlan } from './compiled-plan.js';
import { engineOf } from './plans-inside.js';

test('calls come out in the order of the plan, whenever they went in', () => {
  const queue = new CallQueue();
  for (const call of [5, 3, 8, 1, 4]) queue.push(call);
  expect(queue.pop()).toBe(1);
  queue.push(2);
  const rest: (number | undefined)[] = [];
  for (let size = 5; size > 0; size--) {
    expect(queue.size).toBe(size);
    rest.push(queue.pop());
  }
  expect([...rest, queue.size, queue.pop()]).toEqual([2, 3, 4, 5, 8, 0, undefined]);
});

test('an answer wakes the calls of all approvals, in the order of the plan, and keeps who gave it', () => {
  const approvals = new Approvals();
  const one: PlanPath = ['a', 'bc'];
  const other: PlanPath = ['ab', 'c'];
  approvals.waitFor([one, other], 7);
  approvals.waitFor([one], 3);
  approvals.waitFor([other], 5);
  expect(approvals.listOpen()).toEqual([
    { path: one, calls: new Set([7, 3]) },
    { path: other, calls: new Set([7, 5]) },
  ]);
  expect(approvals.answer(one, 'ann')).toEqual([3, 5, 7]);
  expect(approvals.isEmpty).toBe(true);
  expect(approvals.answer(other, undefined)).toEqual([]);
  approvals.answer(one, undefined);
  expect([approvals.answeredBy(one), approvals.answeredBy(other)]).toEqual(['ann', undefined]);
});

test('a failed CALL is tried again as often as it says, if the failure is one of those that it names', () => {
  const asked: unknown[] = [];
  const options = (answer: boolean) => ({
    timeoutMs: null,
    retry: { times: 2, pauseMs: 0 },
    retryOn: (failure: unknown) => {
      asked.push(failure);
      return answer;
    },
    once: false,
  });
  const binding = { outcomes: { '3': ['state', 'no'] } } as unknown as ToolBinding;
  const may = (outcome: PlanOutcome, answer = true, attempt = 1) =>
    mayRetry(options(answer), attempt, outcome, binding);
  const broken: PlanOutcome = { kind: 'broken', code: 'timeout', message: '' };
  const exited = (exitCode: number): PlanOutcome => ({ kind: 'failure', code: exitCode, message: '', exitCode });
  expect([may(broken), may(broken, false)]).toEqual([true, false]);
  expect([may(broken, true, 2), may(broken, true, 3)]).toEqual([true, false]);
  expect([may(exited(1)), may(exited(1), false)]).toEqual([true, false]);
  // An exit code that the tool has a path for is a result.
  expect(may(exited(3))).toBe(false);
  expect(may({ kind: 'result', value: 1 })).toBe(false);
  expect(may({ kind: 'in-doubt', message: '' })).toBe(false);
  expect(asked.slice(0, 1)).toEqual([{ errorType: 'timeout', exit: null }]);
  expect(asked).toContainEqual({ errorType: 'tool_failure', exit: 1 });
});

test('an input that was not given is missing, in the plan of an instance, too', () => {
  const given = (path: readonly string[]) => path.length === 2 && path[0] === 'instance';
  expect(absenceReason(['instance', 'one', 'input', 'a'], [], given)).toBe('missing');
  expect(absenceReason(['instance', 'one', 'input', 'a', 'b'], [], (path) => path.length === 4)).toBe('unresolved');
});

test('an instance names its own path for a result', () => {
  const calls = [{ _tool: 't', _outputPath: '†state.a || †state.b' }];
  const context = ['one', 'two'].map((id) => ({ type: 'input', _instance: id, x: 1 }));
  const engine = engineOf({ top: soundPlan({ calls, context }) }, 'top', 9);
  for (const { key } of engine.launchReady())
    engine.settle(key, { kind: 'result', value: { _path: key === '1' ? '†state.b' : '†state.a', _output: key } });
  expect(engine.root.scheduler.data.kind('state')).toMatchObject({
    one: { state: { b: '1' } },
    two: { state: { a: '2' } },
  });
});

test('what people give and what was there already is passed on as the data of the plan', () => {
  const passed: unknown[] = [];
  const sink = {
    write: (path: readonly string[], value: unknown) => passed.push([path.join('.'), value]),
    note: (path: readonly string[]) => passed.push(path.join('.')),
  };
  const calls: Json[] = [
    { _tool: 't', _outputPath: '†state.there' },
    { _tool: 't', ok: '†state.approvals.go' },
  ];
  const top = soundPlan({ calls, context: [{ type: 'state', there: 1 }] });
  const engine = engineOf({ top }, 'top', 9, { sink });
  engine.approve('approvals.go', 'yes');
  expect(passed).toEqual(['state.there', ['state.approvals.go', 'yes']]);
});

test('calls that wait for budget wait again after a restart, and begin when others have used less', () => {
  const calls = ['a', 'b', 'c', 'd'].map((one) => ({ _tool: 'ask', n: one, _outputPath: `†data.${one}` }));
  const plan = soundPlan({ calls }, '{ ask: { agent: worker, prompt: "{n}", idempotent: true } }');
  const machine = planMachine({ name: 'p', file: 'p.json', plan: 'p.json', plans: { 'p.json': plan }, inputs: [] });
  const linked = link(machine);
  const limited = { ...OPTIONS, limits: { cost: 1 }, agentMaxCost: { worker: 0.4 } };
  const ran = (cost: number, isRestarted: boolean) => {
    let run = startRun(linked, limited);
    const begun: string[] = [];
    const most: number[] = [];
    for (let round = 0; advance(run) === 'blocked' && round < 10; round++) {
      if (isRestarted) {
        run.takeEvents();
        run.takeRequests();
        run = restoreRun(linked, snapshotOf(run), limited);
      }
      const [open = ''] = [...run.pending.keys()];
      most.push(run.pending.size);
      begun.push(open);
      settle(run, open, { ...printed('done'), cost } as Outcome);
    }
    return { begun, most, result: run.result?.status, reserved: run.usage.reserved };
  };
  const [first, second] = [ran(0.05, false), ran(0.4, false)];
  expect(first).toMatchObject({ most: [2, 2, 2, 1], result: 'returned', reserved: 0 });
  expect(first.begun).toHaveLength(4);
  // The third call may cost more than the others have left.
  expect(second).toMatchObject({ most: [2, 1], result: 'failed' });
  expect([ran(0.05, true), ran(0.4, true)]).toEqual([first, second]);
});
