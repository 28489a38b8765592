/** The timeline of a run: what is a bar, on which lane, from when until when, and what is drawn of many bars. */
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import type { Bar } from '../../src/page/timeline/bars.js';
import { Timeline } from '../../src/page/timeline/timeline.js';
import { barAtTime, IdleSpans, TimeAxis, visibleBars, type Window } from '../../src/page/timeline/visible-bars.js';
import { amount, longTest } from '../amount.js';
import {
  entered,
  exited,
  requested,
  resumed,
  retried,
  returned,
  settled,
  started,
  suspended,
  type Timed,
  taken,
} from './events.js';

const timeline = (...events: readonly Timed[]): Timeline => taken(new Timeline(), ...events);

/** Each bar that is not a state, as `kind text status from-to @lane`, in seconds. */
function barsOf(model: Timeline): string[] {
  return all(model)
    .filter(({ kind }) => kind !== 'state')
    .map(({ kind, text, status, beganMs, endedMs, lane, undone }) => {
      const end = endedMs === null ? '' : endedMs / 1000;
      return `${kind} ${text} ${status} ${beganMs / 1000}-${end} @${lane}${undone ? ' undone' : ''}`;
    });
}

const all = (model: Timeline): Bar[] => Array.from({ length: model.bars.length }, (_, bar) => model.describe(bar));

describe('bars', () => {
  test('of an effect: from its request to its outcome, or open', () => {
    const model = timeline(
      [1, entered('A')],
      [2, requested('1', 'make')],
      [5, settled('1', exited(2))],
      [5, requested('2', 'test')],
    );
    expect(barsOf(model)).toEqual(['command make failed 2-5 @0', 'command test open 5- @0']);
  });

  longTest('of a command with its values, and of its template if there are too many', () => {
    const echo = (effect: string, value: string) =>
      requested(effect, 'echo {name}', { args: [value], holes: [[5, 11]] });
    expect(barsOf(timeline([1, echo('1', 'Ada')], [2, settled('1')]))).toEqual(['command echo Ada succeeded 1-2 @0']);
    const many = Array.from({ length: 20_000 }, (_, effect): Timed => [1, echo(String(effect), `name ${effect}`)]);
    const model = timeline(...many);
    expect(model.describe(0).text).toBe("echo 'name 0'");
    expect(model.describe(model.bars.length - 1).text).toBe('echo {name}');
  });

  test('of every attempt, with the pause between them', () => {
    const model = timeline(
      [1, requested('1', 'a')],
      [2, settled('1', exited(1))],
      [2, retried('1', 3000)],
      [2, requested('1', 'a', { attempt: 2 })],
      [6, settled('1', exited(0), 2)],
    );
    expect(barsOf(model)).toEqual([
      'command a failed 1-2 @0',
      'pause exit 1 succeeded 2-5 @0',
      'command a succeeded 5-6 @0',
    ]);
  });

  test('an unusable outcome of a successful command is a failure', () => {
    const model = timeline([1, requested('1', 'a')], [2, settled('1')], [2, retried('1', 0)]);
    expect(barsOf(model)[0]).toBe('command a failed 1-2 @0');
  });

  test('an unavailable agent is backed off, and its pause ends when it is called again', () => {
    const model = timeline(
      [1, requested('1', 'Task(a)', { kind: 'agent' })],
      [2, settled('1', exited(1))],
      [2, retried('1', 60_000, 1, 62_000)],
      [30, requested('1', 'Task(a)', { kind: 'agent' })],
    );
    expect(barsOf(model)).toEqual([
      'agent Task(a) put-off 1-2 @0',
      'pause exit 1 succeeded 2-30 @0',
      'agent Task(a) open 30- @0',
    ]);
  });

  test('a command that judges a step is a gate', () => {
    const gate = { step: 's', attempt: 1, gate: 'tests', kind: 'command' };
    const model = timeline(
      [1, requested('1', 'npm test', { tool: 'tests', step: 's' })],
      [2, settled('1', exited(0))],
      [2, { type: 'gate_result', ...gate, pass: false }],
      [3, { type: 'gate_result', ...gate, gate: 'schema', kind: 'schema', pass: true }],
    );
    expect(barsOf(model)).toEqual(['gate npm test failed 1-2 @0', 'gate GATE: schema succeeded 3-3 @0']);
  });

  test('of waits: questions, signals, timers, and deadlines that end them', () => {
    const question = { id: 'q', name: 'q', question: 'Go?', choices: null, default: null, deadline: null };
    const model = timeline(
      [1, { type: 'asked', effect: '1', ...question }],
      [2, { type: 'answered', effect: '1', id: 'q', name: 'q', value: 'yes', by: 'x' }],
      [3, requested('2', 'WAIT: signal go', { kind: 'signal' })],
      [3, { type: 'timer_set', effect: '3', until: 9000 }],
      [4, { type: 'signal_received', name: 'go', payload: null, by: 'x' }],
      [5, { type: 'timer_set', effect: '4', until: 6000 }],
      [6, settled('4')],
      [7, requested('5', 'WAIT: signal go', { kind: 'signal' })],
      [7, { type: 'timer_set', effect: '6', until: 8000 }],
      [8, settled('6')],
      [9, { type: 'asked', effect: '7.approvals.x', ...question }],
    );
    expect(barsOf(model)).toEqual([
      'question Go? succeeded 1-2 @0',
      'signal WAIT: signal go succeeded 3-4 @0',
      'timer WAIT succeeded 5-6 @0',
      'signal WAIT: signal go stopped 7-8 @0',
      'approval Go? open 9- @1',
    ]);
  });

  test('of the approvals that a plan waits for at once: each until it is given', () => {
    const asked = (effect: string): RunEvent =>
      ({
        type: 'asked',
        effect,
        id: effect,
        name: effect,
        question: effect,
        choices: null,
        default: null,
        deadline: null,
      }) as const;
    const model = timeline(
      [1, asked('1.approvals.a')],
      [2, asked('1.approvals.b')],
      [4, { type: 'answered', effect: '1.approvals.a', id: 'a', name: 'a', value: true, by: 'x' }],
    );
    expect(barsOf(model)).toEqual(['approval 1.approvals.a succeeded 1-4 @1', 'approval 1.approvals.b open 2- @2']);
  });

  test('a timer of a join is over as soon as the run does something else', () => {
    const model = timeline(
      [1, { type: 'timer_set', effect: '2', until: 60_000 }],
      [1, requested('1.1.1', 'a')],
      [4, settled('1.1.1')],
      [5, requested('3', 'b')],
    );
    expect(barsOf(model)).toEqual(['timer WAIT stopped 1-5 @0', 'command a succeeded 1-4 @1', 'command b open 5- @0']);
  });

  test('of states follow each other', () => {
    const model = timeline([1, entered('A')], [3, entered('B')], [7, returned]);
    expect(all(model).map(({ text, beganMs, endedMs }) => [text, beganMs, endedMs])).toEqual([
      ['A', 1000, 3000],
      ['B', 3000, 7000],
    ]);
    expect([model.stateAt(1), model.stateAt(2), model.stateAt(4)]).toEqual([null, 'A', 'B']);
  });

  test('a clock that goes back does not turn a bar around', () => {
    const model = timeline([5, requested('1', 'a')], [3, settled('1')]);
    expect(barsOf(model)).toEqual(['command a succeeded 5-5 @0']);
  });
});

describe('lanes', () => {
  test('branches have lanes below the run, which later branches use again', () => {
    const model = timeline(
      [1, requested('1', 'a')],
      [2, settled('1')],
      [2, requested('2.1.1', 'b')],
      [2, requested('2.2.1', 'c')],
      [3, settled('2.2.1')],
      [3, requested('2.3.1', 'd')],
      [4, settled('2.3.1')],
      [4, settled('2.1.1')],
      [4, requested('3', 'e')],
    );
    expect(all(model).map(({ text, lane }) => `${text}${lane}`)).toEqual(['a0', 'b1', 'c2', 'd2', 'e0']);
  });

  test('a branch keeps its lane', () => {
    const model = timeline(
      [1, requested('1.1.1', 'a')],
      [1, requested('1.2.1', 'b')],
      [2, settled('1.1.1')],
      [2, settled('1.2.1')],
      [2, requested('1.2.2', 'c')],
      [2, requested('1.1.2', 'd')],
    );
    expect(all(model).map(({ text, lane }) => `${text}${lane}`)).toEqual(['a1', 'b2', 'c2', 'd1']);
  });
});

describe('resuming', () => {
  test('the time without a process is idle, and work begins again', () => {
    const model = timeline([1, requested('1', 'a')], [2, entered('B')], [10, resumed], [12, settled('1')]);
    expect(model.idle.all).toEqual([{ fromMs: 2000, toMs: 10_000, reason: 'crashed', seq: 3 }]);
    expect(barsOf(model)).toEqual(['command a interrupted 1-2 @0', 'command a succeeded 10-12 @0']);
  });

  test('a question stays open while the run is suspended', () => {
    const question = { id: 'q', name: 'q', question: 'Go?', choices: null, default: null, deadline: null };
    const model = timeline(
      [1, { type: 'asked', effect: '1', ...question }],
      [2, suspended],
      [50, resumed],
      [51, { type: 'answered', effect: '1', id: 'q', name: 'q', value: 1, by: 'x' }],
    );
    expect(barsOf(model)).toEqual(['question Go? succeeded 1-51 @0']);
    expect(model.idle.total(60_000)).toBe(48_000);
  });

  test('a question whose answer is discarded is open again, also after the run had ended', () => {
    const question = { id: 'q', name: 'q', question: 'Go?', choices: null, default: null, deadline: null };
    const failed = { type: 'run_failed', error: { kind: 'tool_failure', message: '' } } as never;
    const model = timeline(
      [1, { type: 'asked', effect: '1', ...question }],
      [2, { type: 'answered', effect: '1', id: 'q', name: 'q', value: 1, by: 'x' }],
      [3, { type: 'asked', effect: '2', ...question }],
      [4, failed],
      [9, { type: 'run_resumed', by: 'x', from: 3 }],
      [10, { type: 'answered', effect: '1', id: 'q', name: 'q', value: 2, by: 'x' }],
    );
    const bars = [
      'question Go? succeeded 1-2 @0',
      'question Go? stopped 3-4 @0 undone',
      'question Go? succeeded 9-10 @0',
    ];
    expect(barsOf(model)).toEqual(bars);
    model.take({ seq: 8, time: new Date(20_000).toISOString(), event: { type: 'run_resumed', by: 'x', from: 7 } });
    expect(barsOf(model).slice(2)).toEqual(['question Go? succeeded 9-10 @0', 'question Go? open 20- @0']);
  });

  test('what is discarded is marked, and the state before it continues', () => {
    const model = timeline(
      [1, entered('A')],
      [2, requested('1', 'a')],
      [3, settled('1')],
      [3, entered('B')],
      [4, requested('2', 'b')],
      [5, settled('2', exited(1))],
      [5, { type: 'run_failed', error: { kind: 'tool_failure', message: '' } } as never],
      [9, { type: 'run_resumed', by: 'x', from: 5 }],
    );
    expect(barsOf(model)).toEqual(['command a succeeded 2-3 @0', 'command b failed 4-5 @0 undone']);
    expect(model.stateAt(9)).toBe('A');
    expect(model.isOver).toBe(false);
  });
});

describe('looking up', () => {
  const model = timeline(
    [1, entered('A')],
    [2, requested('1', 'a', { line: 7 })],
    [4, settled('1')],
    [6, requested('2', 'b', { line: 7 })],
  );

  test('events lead to bars, states and lines, and bars to events', () => {
    const bar = model.events.barOf(3);
    expect(model.describe(bar)).toMatchObject({ text: 'a', seq: 3, endSeq: 4, line: 7 });
    expect(model.events.barOf(4)).toBe(bar);
    expect([model.events.lineOf(3), model.events.lineOf(4)]).toEqual([7, 0]);
    expect([...model.bars.ofLine(7)].map((one) => model.describe(one).text)).toEqual(['b', 'a']);
    expect([model.events.barOf(1), model.events.barOf(99)]).toEqual([-1, -1]);
  });

  test('a time leads to the last event at it or before it', () => {
    const at = (second: number): number => model.events.lastAt(second * 1000);
    expect([at(-1), at(0), at(3), at(4), at(99)]).toEqual([0, 1, 3, 4, 5]);
  });

  test('a point on a lane leads to the nearest bar', () => {
    const lane = model.lanes[0] as Timeline['lanes'][0];
    const near = (second: number): number => barAtTime(lane, model.bars, second * 1000, 500);
    expect([near(1.6), near(3), near(5), near(60)]).toEqual([1, 1, -1, 2]);
  });

  test('numbers that are missing have the marks before them', () => {
    const damaged = new Timeline();
    damaged.take({ seq: 1, time: '1970-01-01T00:00:01Z', event: started });
    damaged.take({ seq: 5, time: '1970-01-01T00:00:09Z', event: entered('A') });
    expect(damaged.events.timeOf(3)).toBe(1000);
    expect(damaged.stateAt(3)).toBe(null);
    expect(damaged.stateAt(5)).toBe('A');
  });
});

describe('the axis', () => {
  test('folds idle time to a short piece, and finds times again', () => {
    const model = timeline([1, entered('A')], [11, suspended], [1011, resumed], [21, entered('B')], [1101, returned]);
    const axis = new TimeAxis(model.idle, { fromMs: 0, toMs: 1_101_000, isFolded: true });
    expect(axis.length).toBe(101_000 + 101_000 * 0.02);
    for (const second of [0, 5, 11, 500, 1011, 1050, 1101])
      expect(axis.timeAt(axis.positionOf(second * 1000))).toBeCloseTo(second * 1000, 3);
    expect(new TimeAxis(model.idle, { fromMs: 0, toMs: 1_101_000, isFolded: false }).length).toBe(1_101_000);
  });

  test('of a run without a duration has one', () => {
    const axis = new TimeAxis(timeline().idle, { fromMs: 5, toMs: 5, isFolded: true });
    expect([axis.length, axis.positionOf(5), axis.timeAt(0)]).toEqual([1, 0, 5]);
  });

  test('knows which parts of a period are not folded', () => {
    const idle = new IdleSpans();
    idle.begin(1000, 1, 'suspended');
    idle.end(901_000);
    const axis = new TimeAxis(idle, { fromMs: 0, toMs: 902_000, isFolded: true });
    expect([...axis.unfoldedBetween(500, 901_500)]).toEqual([
      { fromMs: 500, toMs: 1000 },
      { fromMs: 901_000, toMs: 901_500 },
    ]);
  });
});

describe('what is visible', () => {
  const COUNT = amount(5000, 200_000);
  /** A bar of one millisecond every two milliseconds; five of them fail. */
  const model = new Timeline();
  const time = (ms: number): string => new Date(ms).toISOString();
  for (let at = 0; at < COUNT / 2; at++) {
    const effect = String(at + 1);
    model.take({ seq: 2 * at + 1, time: time(2 * at), event: requested(effect, 'a') });
    const outcome = exited((at + 1) % (COUNT / 10) === 0 ? 1 : 0);
    model.take({ seq: 2 * at + 2, time: time(2 * at + 1), event: settled(effect, outcome) });
  }
  const lane = model.lanes[0] as Timeline['lanes'][0];

  const seen = (from: number, to: number, pixels = 1000) => {
    let looks = 0;
    const window: Window = {
      ...{ from, to, pixels, nowMs: COUNT },
      positionOf: (ms) => {
        looks++;
        return ms;
      },
      timeAt: (position) => position,
    };
    return { shown: visibleBars(lane, model.bars, window), looks };
  };

  test('of many bars: as much as there are pixels, with every failure', () => {
    const { shown, looks } = seen(0, COUNT);
    expect(shown.reduce((sum, { count }) => sum + count, 0)).toBe(COUNT / 2);
    expect(shown.filter(({ failed }) => failed)).toHaveLength(5);
    expect(shown.length).toBeLessThan(20);
    expect(looks).toBeLessThan(10_000);
  });

  test('of few bars: each', () => {
    const { shown } = seen(1000, 1010, 100);
    expect(shown.map(({ x, width, count }) => [x, width, count])).toEqual([
      [0, 10, 1],
      [20, 10, 1],
      [40, 10, 1],
      [60, 10, 1],
      [80, 10, 1],
      [100, 10, 1],
    ]);
  });
});
