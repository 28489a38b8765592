/** What other processes send to a run: which question an answer belongs to, and what a run refuses. */
import { describe, expect, test } from 'vitest';
import { planMachine } from '../../src/check/plan/plan-machine.js';
import { link, openQuestions, type Run, startRun } from '../../src/interpreter/run.js';
import { applyDeliveries, applyDelivery } from '../../src/runtime/run/apply-delivery.js';
import type { Delivery } from '../../src/runtime/store/inbox.js';
import { type Code, done, drive, machine, OPTIONS, World } from '../interpreter/machine-builder.js';
import { soundPlan } from '../interpreter/plan/compiled-plan.js';

const ask = (name: string, bind: number, ...choices: readonly string[]): Code => ({
  op: 'ask',
  name,
  question: [`${name}?`],
  choices: choices.map((one) => [one]),
  value: null,
  deadline: null,
  bind,
});

/** A run that waits for several answers at the same time. */
function asking(...questions: readonly Code[]): Run {
  const branches = questions.map((_, index) => ({ pc: 1 + 2 * index, collect: [] }));
  const code = questions.flatMap((one): Code[] => [one, { op: 'branch-end' }]);
  const join = 1 + code.length;
  const fork: Code = { op: 'fork', branches, join, max: null, agents: false, quorum: null, wait: null };
  const run = startRun(
    link(machine({ A: { locals: questions.map((_, at) => `l${at}`), code: [fork, ...code, done()] } })),
    OPTIONS,
  );
  drive(run, new World());
  return run;
}

const answers = (run: Run, ...values: readonly (readonly [string, string | number])[]): void =>
  applyDeliveries(
    run,
    values.map(([name, value]): Delivery => ({ kind: 'answer', name, value, by: 'ada' })),
  );

const openNames = (run: Run): string[] => openQuestions(run).map(({ name }) => name);

describe('answers', () => {
  test('reach the question with their name, with their value as it is', () => {
    const run = asking(ask('one', 0), ask('two', 1));
    answers(run, ['two', '17']);
    expect(openNames(run)).toEqual(['one']);
    expect(run.takeEvents()).toMatchObject([{ type: 'answered', name: 'two', value: '17', by: 'ada' }]);
  });

  test('must be one of the choices', () => {
    const run = asking(ask('one', 0, 'yes', '2'), ask('two', 1));
    expect(() => answers(run, ['two', 'x'], ['one', 'no'])).toThrow('`no` is not one of the choices for `one`');
    expect(openNames(run)).toEqual(['one', 'two']);
    answers(run, ['one', 2]);
    expect(openNames(run)).toEqual(['two']);
  });

  test('to one question are given once, and to questions with the same name one each', () => {
    const run = asking(ask('one', 0), ask('two', 1), ask('two', 2));
    expect(() => answers(run, ['one', 'a'], ['one', 'b'])).toThrow('`one` is answered twice');
    expect(() => answers(run, ['three', 'a'])).toThrow('the run does not ask for `three`');
    expect(openNames(run)).toEqual(['one', 'two', 'two']);
    answers(run, ['two', 'a'], ['two', 'b']);
    expect(openNames(run)).toEqual(['one']);
  });

  test('that come after their question was closed leave a warning', () => {
    const run = asking(ask('one', 0), ask('two', 1));
    const answer: Delivery = { kind: 'answer', name: 'one', value: 'yes', by: 'ada' };
    expect(applyDelivery(run, answer, { inbox: 70 })).not.toBeNull();
    expect(run.takeEvents()).toMatchObject([{ type: 'answered', inbox: 70 }]);
    expect(applyDelivery(run, answer, { inbox: 140 })).toBeNull();
    const message = 'the answer to `one` came when the run did not ask for it';
    expect(run.takeEvents()).toMatchObject([{ type: 'warned', message, by: 'runner', inbox: 140 }]);
  });

  test('to approvals are JSON, and text where they are not', () => {
    const calls = ['x', 'y'].map((name) => ({
      _tool: 't',
      first: '†state.approvals.go',
      other: `†state.approvals.${name}`,
      _outputPath: `†state.${name}`,
    }));
    const plans = { outer: soundPlan({ calls }) };
    const run = startRun(link(planMachine({ name: 'p', file: 'p.json', plan: 'outer', plans, inputs: [] })), OPTIONS);
    drive(run, new World());
    expect(openNames(run)).toEqual(['approvals.go', 'approvals.x', 'approvals.y']);
    answers(run, ['approvals.go', 'true'], ['approvals.x', 'because']);
    expect(run.takeEvents().filter(({ type }) => type === 'answered')).toMatchObject([
      { value: true },
      { value: 'because' },
    ]);
  });
});

test('a cancellation ends the run, and names who asked for it', () => {
  const run = asking(ask('one', 0));
  expect(applyDelivery(run, { kind: 'cancel', by: 'grace' }, { inbox: 9 })).toBeNull();
  expect(run.takeEvents()[0]).toEqual({ type: 'run_cancelled', by: 'grace', inbox: 9 });
  expect(run.result?.error).toMatchObject({ kind: 'cancelled', message: expect.stringContaining('grace') });
});

test('a signal reaches the run with its sender and its position', () => {
  const run = asking(ask('one', 0));
  applyDelivery(run, { kind: 'signal', name: 'go', payload: [1], by: 'grace' }, { inbox: 9 });
  expect(run.takeEvents()).toMatchObject([
    { type: 'signal_received', name: 'go', payload: [1], by: 'grace', inbox: 9 },
  ]);
});
