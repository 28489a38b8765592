/** Waiting for time, chance, people and signals. Time is what the test says it is. */
import { describe, expect, test } from 'vitest';
import { answer, link, openQuestions, receiveSignal, settle, startRun, waiting } from '../../src/interpreter/run.js';
import { isoTime } from '../../src/interpreter/values/operations.js';
import {
  type Code,
  check,
  constant,
  done,
  drive,
  execute,
  hole,
  local,
  machine,
  OPTIONS,
  say,
  visible,
  World,
} from './machine-builder.js';

const DEADLINE = 1;
const TIMED_OUT = 2;

/** `WAIT: x == 1 OR timeout=3s every=2s` with a CHECK as block. */
const polling = machine({
  A: {
    locals: ['x', '$deadline', 'timed_out'],
    code: [
      { op: 'wait-start', timeout: ['3s'], deadline: DEADLINE, timedOut: TIMED_OUT },
      check('poll', 0),
      say('turn ', hole(local(0))),
      {
        op: 'unless',
        condition: { op: 'compare', operator: '==', left: local(0), right: constant(1) },
        to: 5,
        text: 'x == 1',
      },
      { op: 'jump', to: 6 },
      { op: 'wait-turn', every: ['2s'], deadline: DEADLINE, timedOut: TIMED_OUT, again: 1, exit: 6 },
      done(local(TIMED_OUT)),
    ],
  },
});

describe('a polling WAIT', () => {
  test('ends when the condition holds', () => {
    expect(execute(polling, { poll: ['0', '1'] }).lines).toEqual(['STATE A', '"turn 0"', '"turn 1"', 'RETURN false']);
  });

  test('reads the condition once more at the deadline', () => {
    const { lines, events } = execute(polling, { poll: '0' });
    expect(lines).toEqual(['STATE A', '"turn 0"', '"turn 0"', '"turn 0"', 'RETURN true']);
    const timers = events.flatMap((event) => (event.type === 'timer_set' ? [event.until] : []));
    expect(timers).toEqual([1_002_000, 1_003_000]);
  });

  test('a failure in its block is at once a failure', () => {
    expect(execute(polling, { poll: '' }).run.result?.error?.kind).toBe('not_json');
  });
});

test('a polling WAIT that backs off waits twice as long after each turn, up to its maximum and to the deadline', () => {
  const backOff = { turns: 3, chance: 4 };
  const every = ['1s..6s'];
  const program = machine({
    A: {
      locals: ['x', '$deadline', 'timed_out', '$turns', '$chance'],
      code: [
        { op: 'wait-start', timeout: ['14s'], deadline: DEADLINE, timedOut: TIMED_OUT },
        check('poll', 0),
        { op: 'wait-turn', every, deadline: DEADLINE, timedOut: TIMED_OUT, again: 1, exit: 3, backOff },
        done(local(TIMED_OUT)),
      ],
    },
  });
  const { events, run } = execute(program, { poll: '0' });
  const timers = events.flatMap((event) => (event.type === 'timer_set' ? [event.until - 1_000_000] : []));
  // The random number is 0.5 each time.
  expect(timers).toEqual([500, 1500, 3500, 6500, 9500, 12_500, 14_000]);
  expect(run.result?.value).toBe(true);
});

test('a pause is a point in time', () => {
  const program = machine({ A: { code: [{ op: 'sleep', duration: ['1.5', 'm'] }, done()] } });
  const run = startRun(link(program), OPTIONS);
  const world = new World();
  const answerNormally = world.answer.bind(world);
  world.answer = (request) => (request.kind === 'timer' ? null : answerNormally(request));
  const events = drive(run, world);
  expect(waiting(run)).toEqual([{ kind: 'time', name: null, until: 1_090_000 }]);
  expect(events.map(({ type }) => type)).toEqual([
    'run_started',
    'state_entered',
    'effect_requested',
    'effect_settled',
    'timer_set',
  ]);
  settle(run, '2', { kind: 'value', value: 1_090_000 });
  drive(run, world);
  expect(run.result?.status).toBe('returned');
});

test('samples are values of their own', () => {
  const program = machine({
    A: {
      locals: ['now', 'uuid', 'random'],
      code: [
        { op: 'sample', source: 'now', slot: 0 },
        { op: 'sample', source: 'uuid', slot: 1 },
        { op: 'sample', source: 'random', slot: 2 },
        done({ op: 'list', items: [local(0), local(1), local(2)] }),
      ],
    },
  });
  expect(execute(program).run.result?.value).toEqual(['1970-01-01T00:16:40.000Z', 'uuid-2', 0.5]);
});

test.each([0, 951_827_696_789, 4_107_542_399_999, -1, 1_709_164_800_000])('%d as ISO 8601', (ms) => {
  expect(isoTime(ms)).toBe(new Date(ms).toISOString());
});

describe('ASK', () => {
  const ask = (more: Partial<Extract<Code, { op: 'ask' }>>): Code => ({
    op: 'ask',
    name: 'x',
    question: ['Go ', hole(constant('on')), '?'],
    choices: [],
    value: null,
    deadline: null,
    bind: 0,
    ...more,
  });
  const program = (more: Partial<Extract<Code, { op: 'ask' }>>) =>
    machine({ A: { locals: ['x'], code: [ask(more), done(local(0))] } });

  test('waits for an answer, which is text', () => {
    const run = startRun(link(program({ choices: [['yes'], ['no']], value: ['no'] })), OPTIONS);
    const events = drive(run, new World());
    expect(waiting(run)).toEqual([
      { kind: 'ask', id: 'x@1', name: 'x', question: 'Go on?', choices: ['yes', 'no'], until: null },
    ]);
    expect(events.at(-1)).toEqual({
      type: 'asked',
      effect: '1',
      id: 'x@1',
      name: 'x',
      question: 'Go on?',
      choices: ['yes', 'no'],
      default: 'no',
      deadline: null,
    });
    const [open] = openQuestions(run);
    answer(run, open?.effect ?? '', 'yes', 'ada');
    expect(visible(drive(run, new World()))).toEqual(['ANSWER x "yes" ada', 'RETURN "yes"']);
  });

  test('the deadline gives the default, and says so', () => {
    const run = startRun(link(program({ value: ['no'], deadline: ['1h'] })), OPTIONS);
    const events = drive(run, new World());
    expect(events.at(-1)).toEqual({ type: 'timer_set', effect: '3', until: 4_600_000 });
    settle(run, '3', { kind: 'value', value: 4_600_000 });
    expect(visible(drive(run, new World()))).toEqual(['ANSWER x "no" deadline', 'RETURN "no"']);
    expect(run.takeCancellations()).toEqual(['2']);
  });

  test('an answer in time stops the timer', () => {
    const run = startRun(link(program({ value: ['no'], deadline: ['1h'] })), OPTIONS);
    drive(run, new World());
    answer(run, '2', 'yes', 'ada');
    expect(run.takeCancellations()).toEqual(['3']);
    settle(run, '3', { kind: 'value', value: 4_600_000 });
    drive(run, new World());
    expect(run.result?.value).toBe('yes');
  });
});

describe('WAIT: signal', () => {
  const program = (timeout: string | null) =>
    machine({
      A: {
        locals: ['GO', 'timed_out'],
        code: [
          { op: 'signal', name: 'GO', timeout: timeout === null ? null : [timeout], bind: 0, timedOut: 1 },
          done({ op: 'list', items: [local(0), local(1)] }),
        ],
      },
    });

  test('takes the payload', () => {
    const run = startRun(link(program('24h')), OPTIONS);
    drive(run, new World());
    expect(waiting(run)).toEqual([{ kind: 'signal', id: 'GO@1', name: 'GO', until: 87_400_000 }]);
    receiveSignal(run, 'OTHER', 1, 'ada');
    receiveSignal(run, 'GO', { n: 1 }, 'ada');
    drive(run, new World());
    expect(run.result?.value).toEqual([{ n: 1 }, false]);
  });

  test('that came early is kept until it is read once', () => {
    const run = startRun(link(program(null)), OPTIONS);
    receiveSignal(run, 'GO', null, 'ada');
    drive(run, new World());
    expect(run.result?.value).toEqual([null, false]);
    expect(run.signals).toEqual([]);
  });

  test('times out', () => {
    const run = startRun(link(program('1s')), OPTIONS);
    drive(run, new World());
    settle(run, '3', { kind: 'value', value: 1_001_000 });
    drive(run, new World());
    expect(run.result?.value).toEqual([null, true]);
  });
});
