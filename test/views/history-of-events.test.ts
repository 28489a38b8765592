/** Models of a run that are built from its events one by one, event by event. */
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { EdgeCounts } from '../../src/page/history/edge-counts.js';
import { momentAt } from '../../src/page/history/run-moment.js';
import { SourceLines } from '../../src/page/history/source-lines.js';
import { IdleSpans } from '../../src/page/timeline/visible-bars.js';
import { OpenWaits } from '../../src/runtime/record/open-waits.js';
import type { RecordedWait } from '../../src/runtime/record/record-facts.js';
import { RunModel } from '../../src/runtime/record/run-model.js';

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString();
/** Only the members that are read. */
const recorded = (...events: readonly object[]) =>
  events.map((event, index) => ({ seq: index + 1, time: at(index), event: event as RunEvent }));
const entered = (state: string, more: object = {}) => ({ type: 'state_entered', state, ...more });
const failed = { type: 'instruction_failed', thread: '', state: 'A', line: 2 };
const requested = (effect: string, more: object = {}) => ({
  ...{ type: 'effect_requested', effect, kind: 'shell', text: 'work', state: 'A', line: 2, attempt: 1 },
  ...more,
});

test('a transition after a failure is one of its own, and only the next one', () => {
  const edges = new EdgeCounts();
  const take = (...events: readonly object[]): void => {
    for (const record of recorded(...events)) edges.take(record);
  };
  take(entered('A'), failed, entered('ERROR'), entered('A'));
  const before = edges.copy();
  take(failed, { type: 'run_resumed' }, entered('B'), { ...failed, kept: true }, { type: 'run_returned' });
  const printed = (counts: EdgeCounts) =>
    counts.all.map(({ from, to, afterFailure, count }) => `${from}-${to}${afterFailure ? '!' : ''} ${count}`);
  expect(printed(before)).toEqual(['null-A 1', 'A-ERROR! 1', 'ERROR-A 1']);
  expect(printed(edges)).toEqual(['null-A 1', 'A-ERROR! 1', 'ERROR-A 1', 'A-B 1', 'B-null 1']);
  take(entered('A'));
  const copy = edges.copy();
  take(entered('A'));
  expect([copy.entriesOf('A'), edges.entriesOf('A')]).toEqual([3, 4]);
});

test('a count of a copied transition stays', () => {
  const edges = new EdgeCounts();
  const loop = recorded(entered('A'), entered('A'));
  for (const record of loop) edges.take(record);
  const copy = edges.copy();
  for (const record of loop) edges.take(record);
  expect([copy.all.at(-1)?.count, edges.all.at(-1)?.count]).toEqual([1, 3]);
});

test('a moment has the values of its state, and what a resume discarded is not in it', () => {
  const records = recorded(
    entered('A', { with: { x: 1 } }),
    { type: 'asked', effect: '1', id: 'go', name: 'go', question: 'Go?', choices: null, deadline: null },
    { type: 'answered', effect: '1', id: 'go', name: 'go', value: 'yes', by: 'ann' },
    { type: 'tracked_set', name: 'n', value: 1 },
    { type: 'tracked_set', name: 'n', value: 2 },
    { type: 'run_resumed', from: 5 },
    entered('B', { with: { y: 2 } }),
  );
  const values = (seq: number) => {
    const moment = momentAt(records, seq);
    return [moment?.bound, moment?.tracked, moment?.waiting.length];
  };
  expect(values(2)).toEqual([{ x: 1 }, {}, 1]);
  expect(values(3)).toEqual([{ x: 1, go: 'yes' }, {}, 0]);
  expect(values(5)).toEqual([{ x: 1, go: 'yes' }, { n: 2 }, 0]);
  expect(values(6)).toEqual([{ x: 1, go: 'yes' }, { n: 1 }, 0]);
  expect(values(7)).toEqual([{ y: 2 }, { n: 1 }, 0]);
});

test('nothing waits any more where a state begins or the run ends', () => {
  const waits = { type: 'asked', effect: '1', id: 'go', name: 'go', question: 'Go?', choices: null, deadline: null };
  for (const next of [entered('B'), { type: 'run_returned', value: null }, { type: 'run_failed', error: null }])
    expect(momentAt(recorded(entered('A'), waits, next), 3)?.waiting).toEqual([]);
});

test('a wait that a discarded failure left is open again', () => {
  const timer = { type: 'timer_set', effect: '2', until: 60_000 };
  const resumed = { type: 'run_resumed', from: 3 };
  const moments = (...events: readonly object[]) =>
    momentAt(recorded(entered('A'), timer, ...events), 2 + events.length)?.waiting.length;
  expect(moments(failed, entered('ERROR'))).toBe(0);
  expect(moments(failed, entered('ERROR'), resumed)).toBe(1);
  expect(moments(failed, requested('3'), resumed)).toBe(1);
});

test('a step whose gate failed has failed until its next attempt begins', () => {
  const started = (attempt: number) => ({ type: 'step_started', step: 'one', attempt, agent: null });
  const records = recorded(started(1), { type: 'retry_triggered', step: 'one', attempt: 2 }, started(2));
  const statuses = [1, 2, 3].map((seq) => momentAt(records, seq)?.steps[0]?.status);
  expect(statuses).toEqual(['running', 'fail', 'running']);
});

test('a step is as it was when a resume takes back what followed', () => {
  const started = (step: string, attempt: number) => ({ type: 'step_started', step, attempt, agent: null });
  const over = { type: 'step_completed', step: 'one', attempt: 1, status: 'pass', cost: 2 };
  const retry = { type: 'retry_triggered', step: 'one', attempt: 2 };
  const status = (...events: readonly object[]) =>
    momentAt(recorded(...events), events.length)?.steps.map((step) => [
      step.path,
      step.status,
      step.attempt,
      step.cost,
    ]);
  expect(status(started('one', 1), over, started('one', 1), { type: 'run_resumed', from: 3 })).toEqual([
    ['one', 'pass', 1, 2],
  ]);
  expect(status(started('one', 1), over, { type: 'run_resumed', from: 2 })).toEqual([['one', 'running', 1, null]]);
  expect(status(started('one', 1), retry, started('one', 2), { type: 'run_resumed', from: 3 })).toEqual([
    ['one', 'fail', 1, null],
  ]);
  const again = [started('two', 1), started('one', 1)];
  expect(status(started('one', 1), started('two', 1), { type: 'run_resumed', from: 1 }, ...again)).toEqual([
    ['two', 'running', 1, null],
    ['one', 'running', 1, null],
  ]);
});

test('a line counts what the program does there, and not what the engine emits', () => {
  const lines = new SourceLines();
  const take = (...events: readonly object[]): void => {
    for (const record of recorded(...events)) lines.take(record);
  };
  take({ type: 'emitted', by: 'program', state: 'A', line: 1 });
  const copy = lines.copy();
  take({ type: 'emitted', by: 'engine', state: 'A', line: 1 }, { type: 'warned', state: 'A', line: 0 });
  expect(lines.all.map(({ line, count }) => [line, count])).toEqual([[1, 1]]);
  take(requested('2'), requested('2', { attempt: 2 }));
  expect(lines.all.at(-1)).toMatchObject({ line: 2, count: 1, attempts: 2 });
  expect([copy.current(), lines.current()]).toEqual([[{ state: 'A', line: 1 }], [{ state: 'A', line: 2 }]]);
});

test('waits end with what their own branch does next, and those from an event on can be left out', () => {
  const waits = new OpenWaits();
  const begin = (effect: string, seq: number): void =>
    waits.begin({ kind: 'ask', name: effect, seq, effect } as RecordedWait);
  begin('3', 1);
  begin('2.1.4', 2);
  begin('2.10.4', 3);
  const names = () => waits.all.map(({ name }) => name);
  waits.endOf('2.1');
  expect(names()).toEqual(['3', '2.10.4']);
  waits.endOf('');
  expect(names()).toEqual(['2.10.4']);
  waits.endFrom(3);
  expect(names()).toEqual([]);
  expect(waits.endOf('2.10')).toEqual([]);
});

test('a time without a process ends where the next one begins', () => {
  const spans = new IdleSpans();
  spans.begin(10, 1, 'crashed');
  spans.begin(15, 2, 'suspended');
  spans.end(20);
  expect(spans.all.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
    [10, 15],
    [15, 20],
  ]);
  expect(spans.total(100)).toBe(10);
});

test('the copy of a copy was copied from the copy, and each program is known from its event on', () => {
  const run = new RunModel();
  const begun = { type: 'run_started', machine: 'm', digest: 'first', inputs: {} };
  const copied = (of: string, from: number, more: object = {}) => ({ type: 'run_resumed', by: 'x', of, from, ...more });
  const edited = { type: 'run_resumed', by: 'x', digest: 'edited' };
  const events = recorded(begun, entered('A'), copied('one', 2), entered('A'), edited, copied('two', 4));
  for (const record of events) run.take(record);
  expect(run.copy).toEqual({ of: 'two', seq: 6 });
  expect(run.programs).toEqual([
    { seq: 1, digest: 'first' },
    { seq: 5, digest: 'edited' },
  ]);
});

test('a resume finds what it repeats among very many effects of which none is kept', () => {
  const run = new RunModel({ keeps: () => false });
  let seq = 0;
  const take = (event: object): void => run.take({ seq: ++seq, time: at(0), event: event as RunEvent });
  const settle = (effect: string): number => {
    take(requested(effect));
    take({ type: 'effect_settled', effect, attempt: 1, outcome: { kind: 'exited', exit: 1 } });
    return seq;
  };
  take(entered('A'));
  const failed = settle('failed');
  for (let effect = 1; effect <= 10_000; effect++) settle(String(effect));
  take({ type: 'run_resumed', by: 'x', from: seq, without: [failed] });
  expect([...run.open.keys()]).toEqual(['failed']);
});
