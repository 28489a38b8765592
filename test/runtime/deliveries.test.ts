/** What other processes send to a run: which question an answer belongs to, and what a run refuses. */
import { describe, expect, test } from 'vitest';
import { exchange } from '../../src/app/library/live-run.js';
import { chosenAnswer } from '../../src/cli/running/ask.js';
import { refuseUnexpected } from '../../src/engine/refusals.js';
import { link, openQuestions, type Run, startRun, valueOfAnswer } from '../../src/interpreter/run.js';
import { planMachine } from '../../src/language/check/plan/plan-machine.js';
import type { Json } from '../../src/machine/expression.js';
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

  test('to one question are given once, and to questions with the same name by their ids', () => {
    const run = asking(ask('one', 0), ask('two', 1), ask('two', 2));
    expect(() => answers(run, ['one', 'a'], ['one', 'b'])).toThrow('`one` is answered twice');
    expect(() => answers(run, ['three', 'a'])).toThrow('the run does not ask for `three`');
    expect(openNames(run)).toEqual(['one', 'two', 'two']);
    expect(() => answers(run, ['two', 'a'])).toThrow('`two` fits `two@1` and `two@2`, which the run waits for at once');
    answers(run, ['two@2', 'b'], ['two', 'a']);
    expect(run.takeEvents()).toMatchObject([
      { type: 'answered', id: 'two@2', name: 'two', value: 'b' },
      { type: 'answered', id: 'two@1', name: 'two', value: 'a' },
    ]);
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

  test('at a terminal are words of the choices, or the first letter of only one', () => {
    const choices = ['yes', 'no', 'Never', 'yes, all'];
    const chosen = (line: string) => chosenAnswer(line, { choices });
    expect([' yes ', 'no', 'Yes', 'ye', 'y', 'n', ''].map(chosen)).toEqual(['yes', 'no', null, null, null, null, null]);
    expect(['y', 'Y', 'N', 'no way'].map((line) => chosenAnswer(line, { choices: ['yes', 'no'] }))).toEqual([
      'yes',
      'yes',
      'no',
      null,
    ]);
    expect(chosenAnswer(' any text', { choices: null })).toBe(' any text');
  });
});

describe('the answer to a question', () => {
  const question = { kind: 'ask', choices: null } as const;

  test('is a text, also where a request has a number, true or false', () => {
    for (const [given, text] of [
      ['5', '5'],
      [' a ', ' a '],
      ['', ''],
      [5, '5'],
      [true, 'true'],
      [false, 'false'],
    ] as const)
      expect(valueOfAnswer(question, given)).toBe(text);
  });

  test.each([null, ['a'], { a: 1 }])('is not %j', (given) => {
    expect(valueOfAnswer(question, given)).toBeUndefined();
    const run = asking(ask('who', 0));
    const answer: Delivery = { kind: 'answer', name: 'who', value: given, by: 'ada' };
    expect(() => applyDeliveries(run, [answer])).toThrow(/is not a text, and the answer to `who` is one/);
  });
});

const WRONG: readonly Json[] = ['no', 'No', 'False', 'FALSE', '"false"', 0, 1, null, '', ' ', [], {}, 'yes', 'True'];
const TOOLS = '{ t: { run: [t], idempotent: true }, asked: { run: [t], idempotent: true, gate: value } }';
const REFUSAL = /neither approves nor denies `approvals.go`/;

describe('an approval', () => {
  const begin = (): Run => {
    const calls: Json[] = [
      { _tool: 't', ok: '†state.approvals.go', who: '†state.approvals.who', _outputPath: '†state.x' },
      { _tool: 'asked', who: '†state.approvals.any', _outputPath: '†state.y' },
      { _tool: 'asked', who: '†state.approvals.who', _outputPath: '†state.z' },
    ];
    const plans = { outer: soundPlan({ calls }, TOOLS) };
    const run = startRun(link(planMachine({ name: 'p', file: 'p.json', plan: 'outer', plans, inputs: [] })), OPTIONS);
    drive(run, new World());
    expect(openNames(run)).toEqual(['approvals.go', 'approvals.who', 'approvals.any']);
    return run;
  };
  const answer = (value: Json): Delivery => ({ kind: 'answer', name: 'approvals.go', value, by: 'ada' });

  const answered = (run: Run): Json[] =>
    run.takeEvents().flatMap((one) => (one.type === 'answered' ? [one.value] : []));

  test.each(WRONG)('is not given or denied by %j, whichever way it comes', (value) => {
    const run = begin();
    const questions = openQuestions(run);
    const effect = questions[0]?.effect as string;
    expect(() => applyDeliveries(run, [answer(value)])).toThrow(REFUSAL);
    expect(() => refuseUnexpected(questions, [answer(value)], [])).toThrow(/`true` to approve or `false` to deny/);
    for (const finished of [
      { kind: 'answer', effect, value, by: 'ada' },
      { kind: 'outcome', effect, outcome: { kind: 'value', value } },
    ] as const)
      expect(() => exchange(run as never, finished)).toThrow(REFUSAL);
    expect(applyDelivery(run, answer(value), { inbox: 9 })).toBeNull();
    expect(run.takeEvents()).toMatchObject([{ type: 'warned', message: expect.stringMatching(REFUSAL), inbox: 9 }]);
    expect(openNames(run)).toContain('approvals.go');
  });

  test.each([true, 'true', ' true ', false, 'false'])('is decided by %j', (value) => {
    const run = begin();
    applyDeliveries(run, [answer(value)]);
    expect(answered(run)).toEqual([String(value).trim() === 'true']);
  });

  test('that only tools with `gate: value` read takes any answer: JSON, and text that is not JSON', () => {
    const run = begin();
    answers(run, ['approvals.any', 'because']);
    expect(answered(run)).toEqual(['because']);
    const other = begin();
    answers(other, ['approvals.any', '{"n": 1}']);
    expect(answered(other)).toEqual([{ n: 1 }]);
    expect(() => answers(other, ['approvals.who', 'ada'])).toThrow(/neither approves nor denies/);
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
