/** The record of a run as the page holds it, the models of a run at any event, and where events are in the program. */
import { describe, expect, test } from 'vitest';
import { compile } from '../../src/index.js';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import type { Json } from '../../src/machine/expression.js';
import type { RecordLine } from '../../src/page/data/page-data.js';
import { RecordLines, recordOf as recordedOf } from '../../src/page/data/record-lines.js';
import { EdgeCounts } from '../../src/page/history/edge-counts.js';
import { ModelCheckpoints, RunHistory } from '../../src/page/history/run-history.js';
import { SourceLines } from '../../src/page/history/source-lines.js';
import { effectAt } from '../../src/page/output/attempts.js';
import { wordsInRecord } from '../../src/page/record/event-words.js';
import { Search } from '../../src/page/record/record-panel.jsx';
import { modelLine } from '../../src/page/run/screen-model.js';
import { findLine, positionAt, waitingPosition } from '../../src/page/source/source-panel.jsx';
import { Timeline } from '../../src/page/timeline/timeline.js';
import { compareRuns, differentMembers } from '../../src/views/compare/compare-runs.js';
import { RunTrace } from '../../src/views/compare/run-trace.js';
import { entered, exited, recordsOf, requested, retried, returned, settled, type Timed } from '../views/events.js';

function linesOf(events: readonly Timed[]): RecordLine[] {
  return recordsOf(events).map(({ seq, time, event }) => ({ seq, ts: time, ...event }));
}

/** `count` visits of each of two states, each with a command. */
function longRun(count: number): RecordLine[] {
  const events = Array.from({ length: count }, (_, at): Timed[] => {
    const state = at % 2 === 0 ? 'A' : 'B';
    return [
      [at, entered(state)],
      [at, requested(String(at), `make ${at}`, { state, line: at % 2 === 0 ? 3 : 5 })],
      [at, settled(String(at), exited(at % 10 === 0 ? 1 : 0))],
    ];
  });
  return linesOf([...events.flat(), [count, returned]]);
}

function recordOf(all: readonly RecordLine[], isText = true): RecordLines {
  const lines = new RecordLines();
  for (const line of all) lines.add(line, isText ? JSON.stringify(line) : undefined);
  return lines;
}

const LONG = longRun(3000);

describe('a long record', () => {
  test.each([true, false])('gives every line back, wherever it is (as text: %s)', (isText) => {
    const lines = recordOf(LONG, isText);
    expect(lines.length).toBe(LONG.length);
    for (const at of [0, 1, 1023, 1024, 5000, 2, LONG.length - 1]) {
      expect(lines.at(at)).toEqual(LONG[at]);
      expect(lines.find(at + 1)).toEqual(LONG[at]);
    }
    expect([...Array(LONG.length).keys()].map((at) => lines.at(at))).toEqual(LONG);
  });

  test('has nothing before and after its lines, and between numbers that are missing', () => {
    const lines = recordOf([LONG[0], LONG[9]] as RecordLine[]);
    expect([lines.at(-1), lines.at(2), lines.find(5)]).toEqual([null, null, null]);
    expect([lines.last, lines.indexOf(5), lines.indexOf(11), new RecordLines().last]).toEqual([10, 1, 2, 0]);
  });

  test('finds the events of a type in both directions', () => {
    const lines = recordOf(LONG);
    expect(lines.before('run_started', lines.length).next().value).toEqual(LONG[0]);
    expect(lines.after('run_returned', 0).next().value).toEqual(LONG.at(-1));
    const entries = [...lines.after('state_entered', 0)];
    expect(entries).toEqual(LONG.filter(({ type }) => type === 'state_entered'));
    expect([...lines.before('state_entered', lines.length)].reverse()).toEqual(entries);
  });

  test('is searched for words in any order, in upper or lower case', () => {
    const lines = recordOf(LONG);
    const search = new Search('2999  MAKE');
    let parts = 0;
    while (search.continue(lines)) parts++;
    const result = search.result(lines);
    expect(parts).toBeGreaterThan(5);
    expect(result.isComplete).toBe(true);
    expect(result.count).toBe(1);
    expect(lines.at(result.indexAt(0))).toMatchObject({ type: 'effect_requested', text: 'make 2999' });
    expect([result.rowOf(0), result.rowOf(lines.length)]).toEqual([0, 1]);
  });

  test('without words, all of it is found', () => {
    const lines = recordOf(LONG);
    const search = new Search('  ');
    expect(search.continue(lines)).toBe(false);
    const { count, isComplete, indexAt, rowOf } = search.result(lines);
    expect([count, isComplete, indexAt(7), rowOf(7)]).toEqual([LONG.length, true, 7, 7]);
  });

  test('continues a search with lines that come later', () => {
    const lines = recordOf(LONG.slice(0, 1500));
    const search = new Search('run_returned');
    while (search.continue(lines));
    expect(search.result(lines).count).toBe(0);
    for (const line of LONG.slice(1500)) lines.add(line);
    while (search.continue(lines));
    expect(search.result(lines).count).toBe(1);
  });
});

describe('a line as models read it', () => {
  const stamp = { ts: '2026-01-02T03:04:05.678Z' };
  const textOf = (line: object): string => JSON.stringify({ ...line, crc: '01234567' });

  test.each([
    { seq: 12_345, ...stamp, type: 'state_entered', state: 'TÜR' },
    { seq: 1, ...stamp, type: 'state_entered', state: 'A', with: { n: 1 } },
    { seq: 2, ...stamp, type: 'state_entered', state: 'a "quoted" \\\\ name' },
    { seq: 3, ...stamp, type: 'run_returned', state: 'A', value: 1 },
    { seq: 4, type: 'journal_damaged', byte: 7, message: 'damaged' },
  ])('is the same as the whole line: %j', (line) => {
    expect(modelLine(textOf(line))).toMatchObject(line);
  });

  test('of a tracked variable, the value is left out', () => {
    const line = { seq: 9, ...stamp, type: 'tracked_set', name: 'n', value: 5 };
    expect(modelLine(textOf(line))).toEqual({ ...line, name: '', value: null });
    const lines = new RecordLines();
    lines.add(modelLine(textOf(line)), textOf(line));
    expect(lines.at(0)).toMatchObject(line);
  });
});

describe('a model at an event', () => {
  const lines = recordOf(LONG);
  const counts = new ModelCheckpoints(() => new EdgeCounts());
  const totals = new ModelCheckpoints(() => new SourceLines());
  for (const line of LONG) {
    counts.take(recordedOf(line));
    totals.take(recordedOf(line));
  }

  test.each([0, 1, 2, 2047, 2048, 2049, 7000, 6999, 9000, 100, 4096, LONG.length])(
    'is the same as one that took only the lines until then: %i',
    (count) => {
      const [edges, sums] = [
        new ModelCheckpoints(() => new EdgeCounts()),
        new ModelCheckpoints(() => new SourceLines()),
      ];
      for (const line of LONG.slice(0, count)) {
        edges.take(recordedOf(line));
        sums.take(recordedOf(line));
      }
      expect(counts.at(count, lines).all).toEqual(edges.latest.all);
      expect(totals.at(count, lines).all).toEqual(sums.latest.all);
      expect(totals.at(count, lines).current()).toEqual(sums.latest.current());
    },
  );

  test('does not change the model of the end', () => {
    const before = structuredClone(counts.latest.all);
    counts.at(50, lines);
    counts.at(5000, lines);
    expect(counts.latest.all).toEqual(before);
  });
});

describe('where an event is', () => {
  const failed: RunEvent = { type: 'run_failed', error: { kind: 'x', message: '' } } as RunEvent;
  const records = recordsOf([
    [1, entered('A')],
    [1, requested('1', 'a', { line: 3 })],
    [2, settled('1')],
    [3, entered('B')],
    [4, requested('2', 'b', { state: 'B', line: 3 })],
    [5, failed],
  ]);
  const timeline = new Timeline();
  for (const record of records) timeline.take(record);
  const fileOf = (state: string): number => (state === 'B' ? 1 : 0);

  test('is the line of what it begins or ends, or the one before it in the same state', () => {
    const at = (seq: number) => positionAt(timeline, seq, fileOf);
    expect([1, 2, 3, 4, 5, 6, 7].map(at)).toEqual([
      null,
      null,
      { file: 0, line: 3 },
      { file: 0, line: 3 },
      null,
      { file: 1, line: 3 },
      { file: 1, line: 3 },
    ]);
  });

  test('is the line of what a run waits for, in the state that it is in', () => {
    const text = `STATE: A
  ASK user: "x" → first
  GOTO: B
STATE: B
  ASK user: "y" → second
  ASK user: "x" → first
  WAIT: signal go
  RETURN: {second}
`;
    const { machine } = compile(text, { name: 'p' });
    if (machine === null) throw new Error('the program is wrong');
    const at = (state: string, kind: 'ask' | 'signal' | 'time', name: string | null) =>
      waitingPosition(machine as never, state, [{ kind, name }])?.line;
    expect([at('A', 'ask', 'first'), at('B', 'ask', 'first'), at('B', 'signal', 'go')]).toEqual([2, 6, 7]);
    expect([at('B', 'signal', 'first'), at('B', 'time', null), at('C', 'ask', 'first')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('leads back from a line to its events, of the right file', () => {
    expect(findLine(timeline, 7, { file: 0, line: 3 }, fileOf)).toBe(3);
    expect(findLine(timeline, 3, { file: 0, line: 3 }, fileOf)).toBe(3);
    expect(findLine(timeline, 3, { file: 1, line: 3 }, fileOf)).toBe(6);
    expect(findLine(timeline, 7, { file: 1, line: 4 }, fileOf)).toBe(null);
  });

  test('is the effect that prints: its own, or the last one before it', () => {
    const lines = recordOf(records.map(({ seq, time, event }) => ({ seq, ts: time, ...event })));
    const at = (seq: number) => effectAt(lines, seq);
    expect(at(2)).toBe(null);
    expect(at(3)).toMatchObject({ effect: '1', text: 'a', hasEnded: true, seq: 3 });
    expect(at(4)?.effect).toBe('1');
    expect(at(5)?.effect).toBe('1');
    expect(at(7)).toMatchObject({ effect: '2', text: 'b', hasEnded: false, seq: 6 });
  });
});

test('the program at an event is the first one, or the edited one in which the run was resumed last', () => {
  const history = new RunHistory();
  const resumed = (digest?: string): RunEvent => ({ type: 'run_resumed', by: 'x', ...(digest && { digest }) });
  for (const line of linesOf([
    [1, resumed()],
    [2, resumed('b')],
    [3, resumed()],
    [4, resumed('c')],
  ]))
    history.take(line);
  expect([1, 2, 3, 4, 5, 6].map((seq) => history.programAt(seq))).toEqual([null, null, 'b', 'b', 'c', 'c']);
});

test('what differs in two events is named, without what always differs', () => {
  const [one, other] = linesOf([
    [1, { type: 'state_entered', state: 'A', with: { x: 1 } } as RunEvent],
    [2, { type: 'state_entered', state: 'A', with: { x: 2 } } as RunEvent],
  ]).slice(1) as [RecordLine, RecordLine];
  expect(differentMembers(one, other)).toBe('with.x: 1');
  expect(differentMembers(one, one)).toBe('');
  const settledWith = (value: Json): RecordLine =>
    linesOf([[1, settled('1', { kind: 'value', value })]])[1] as RecordLine;
  expect(differentMembers(settledWith({ session: 1, bytes: 5 }), settledWith({ session: 2, bytes: 5 }))).toBe(
    'outcome.value.session: 1',
  );
  const printed = (text: string, duration_ms: number): RecordLine =>
    linesOf([[1, settled('1', exited(0, { duration_ms, stdout: { text, bytes: text.length } }))]])[1] as RecordLine;
  expect(differentMembers(printed('a', 1), printed('bc', 2))).toBe('outcome.stdout.text: "a"');
});

test('two runs that did the same at other times have no difference', () => {
  const traceOf = (second: number): RunTrace => {
    const trace = new RunTrace();
    for (const line of linesOf([
      [second, entered('A')],
      [second, requested('1', 'a')],
      [second, returned],
    ]))
      trace.take({
        seq: line.seq,
        time: 'ts' in line ? line.ts : '',
        event: { ...line, crc: String(second) } as never,
      });
    return trace;
  };
  expect(compareRuns(traceOf(1), traceOf(9)).difference).toBe(null);
});

test('retries are counted up to an event', () => {
  const history = new RunHistory();
  const events: Timed[] = [
    [1, requested('1', 'make')],
    [2, settled('1', exited(1))],
    [2, retried('1', 10)],
    [3, requested('1', 'make', { attempt: 2 })],
    [4, settled('1', exited(1), 2)],
    [4, retried('1', 10, 2)],
  ];
  for (const line of linesOf(events)) history.take(line);
  expect(history.retries).toEqual([4, 7]);
  expect([3, 4, 6, 7, 99].map((seq) => history.retriesUntil(seq))).toEqual([0, 1, 1, 2, 2]);
});

test('an outcome says what it is the outcome of', () => {
  const words = (...events: readonly Timed[]): string => {
    const lines = recordOf(linesOf(events));
    return wordsInRecord(lines.at(lines.length - 1) as RecordLine, lines);
  };
  expect(words([1, requested('1', 'make')], [2, settled('1')])).toContain('make');
  expect(words([1, { type: 'timer_set', effect: '2', until: 5 }], [2, settled('2')])).toBe('the time has come');
  expect(words([2, settled('7')])).toContain('effect 7');
  const clock = requested('1', 'STEP: note', { kind: 'clock' });
  expect(words([1, clock])).toBe('reads the clock · STEP: note');
  expect(words([1, clock], [1, settled('1', { kind: 'value', value: 0 })])).toMatch(/^it is .*\d\d:\d\d · STEP: note$/);
  const changed = { kind: 'changed', commit: 'a', files: [], stdout: { text: '', bytes: 0 } } as const;
  expect(words([2, settled('7', changed)])).toBe('0 files changed');
});
