/** Streams of events: where they begin, what they follow, and what they do about a journal that is damaged, cut or gone. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventStream } from '../../src/app/folder/event-stream.js';
import type { EventLine, EventStream, Follow } from '../../src/app/runs.js';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { journalLine, LineBuffer } from '../../src/runtime/store/journal-line.js';
import { longTest, some } from '../amount.js';

const TIME = '2026-01-01T00:00:00.000Z';
const entered = (seq: number, state = `S${seq}`): string => journalLine({ type: 'state_entered', state }, seq, TIME);
const returned = (seq: number): string =>
  journalLine({ type: 'run_returned', value: null } as unknown as RunEvent, seq, TIME);
const failed = (seq: number, kind: string): string =>
  journalLine({ type: 'run_failed', error: { kind } } as unknown as RunEvent, seq, TIME);

interface Run {
  readonly folder: string;
  readonly journal: string;
}

/** A run of events that was made by hand. */
function run(lines: readonly string[], end = '\n'): Run {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-events-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const journal = join(folder, 'journal.ndjson');
  writeFileSync(journal, lines.length === 0 ? '' : `${lines.join('\n')}${end}`);
  return { folder, journal };
}

function open({ folder }: Run, after = 0, follow: Follow = 'no', signal?: AbortSignal): EventStream {
  return eventStream({ folder, after, follow, signal });
}

async function read(stream: EventStream): Promise<EventLine[]> {
  const all: EventLine[] = [];
  for await (const lines of stream.lines()) all.push(...lines);
  return all;
}

/** Calls `next` each time after the stream has given that many lines. */
async function follow(
  stream: EventStream,
  steps: readonly (() => void)[],
  counts: readonly number[],
): Promise<number[]> {
  const seen: number[] = [];
  let step = 0;
  for await (const lines of stream.lines()) {
    for (const { seq } of lines) seen.push(seq);
    while (step < steps.length && seen.length >= (counts[step] as number)) steps[step++]?.();
  }
  return seen;
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

test('lines are passed on as the journal has them', async () => {
  const lines = [entered(1), entered(2, 'Größe\n'), returned(3)];
  const stream = open(run(lines));
  expect(await read(stream)).toEqual(lines.map((text, at) => ({ seq: at + 1, text })));
  expect(stream.end).toEqual({ reason: 'caught-up' });
  expect(() => stream.lines()).toThrow(TypeError);
});

test('a stream starts after any event, however long the lines are', async () => {
  const lines = range(1, 3000).map((seq) =>
    entered(seq, 'x'.repeat((seq * 7919) % 997 === 0 ? 300_000 : (seq * 31) % 400)),
  );
  const one = run(lines);
  for (const after of some([0, 1, 2, 500, 996, 997, 998, 1499, 1500, 2998, 2999, 3000, 3001, 9999], 7))
    expect((await read(open(one, after))).map(({ seq }) => seq)).toEqual(after >= 3000 ? [] : range(after + 1, 3000));
});

test('a damaged line is shown with its position, and the others are usable', async () => {
  const lines = range(1, 9).map((seq) => entered(seq));
  const offset = lines.slice(0, 3).join('\n').length + 1;
  const changed = lines.with(3, lines[3]?.replace('S4', 'S5') as string);
  const found = (await read(open(run(changed)))).map(({ text }) => JSON.parse(text));
  expect(found.map(({ seq, type }) => `${seq} ${type}`)).toEqual([
    '1 state_entered',
    '2 state_entered',
    '3 state_entered',
    '4 journal_damaged',
    '5 state_entered',
    '6 state_entered',
    '7 state_entered',
    '8 state_entered',
    '9 state_entered',
  ]);
  expect(found[3]).toMatchObject({ seq: 4, byte: offset });
  for (const after of range(0, 8))
    expect((await read(open(run(changed), after))).map(({ seq }) => seq)).toEqual(range(after + 1, 9));
  const missing = run([...lines.slice(0, 3), ...lines.slice(5)]);
  expect((await read(open(missing))).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 6, 7, 8, 9]);
  const noise = run([...lines.slice(0, 2), 'what', '{}', '\0\0', ...lines.slice(2)]);
  expect((await read(open(noise))).map(({ seq, text }) => `${seq} ${JSON.parse(text).type}`).slice(1, 4)).toEqual([
    '2 state_entered',
    '2 journal_damaged',
    '3 state_entered',
  ]);
  // A reader that continues after a number that it has seen misses no event.
  expect((await read(open(noise, 2))).map(({ seq, isDamage = false }) => `${seq} ${isDamage}`)).toEqual([
    '2 true',
    ...range(3, 9).map((seq) => `${seq} false`),
  ]);
  const atEnd = run([...lines.slice(0, 3), lines[3]?.replace('S4', 'S5') as string]);
  expect((await read(open(atEnd))).map(({ seq, isDamage = false }) => `${seq} ${isDamage}`).slice(2)).toEqual([
    '3 false',
    '3 true',
  ]);
});

test('a last line without its end counts when it is complete', async () => {
  expect((await read(open(run([entered(1), entered(2)], '')))).map(({ seq }) => seq)).toEqual([1, 2]);
  const torn = run([entered(1), entered(2).slice(0, -5)], '');
  expect((await read(open(torn))).map(({ seq }) => seq)).toEqual([1]);
});

test('a stream follows what another process appends, piece by piece', async () => {
  const one = run([entered(1)]);
  const line = entered(2);
  const aborting = new AbortController();
  const seen = await follow(
    open(one, 0, 'forever', aborting.signal),
    [
      () => {
        appendFileSync(one.journal, line.slice(0, 20));
        setTimeout(() => appendFileSync(one.journal, `${line.slice(20)}\n${entered(3)}`), 30);
      },
      () => appendFileSync(one.journal, `\n${entered(4)}\n`),
      () => aborting.abort(),
    ],
    [1, 3, 4],
  );
  expect(seen).toEqual([1, 2, 3, 4]);
});

test('a torn line that a resume cuts off is never shown', async () => {
  const whole = `${entered(1)}\n`;
  const one = run([entered(1), entered(2).slice(0, 30)], '');
  const aborting = new AbortController();
  const stream = open(one, 0, 'forever', aborting.signal);
  const seen = await follow(
    stream,
    [
      () => {
        truncateSync(one.journal, whole.length);
        appendFileSync(one.journal, `${entered(2, 'OTHER')}\n`);
      },
      () => aborting.abort('enough'),
    ],
    [1, 2],
  );
  expect(seen).toEqual([1, 2]);
  expect(stream.end).toEqual({ reason: 'aborted' });
});

test('removing the run ends the stream with a reason', async () => {
  const one = run([entered(1)]);
  const stream = open(one, 0, 'forever');
  expect(await follow(stream, [() => rmSync(one.folder, { recursive: true })], [1])).toEqual([1]);
  expect(stream.end).toEqual({ reason: 'removed' });
  const gone = open(one, 0, 'forever');
  expect(await read(gone)).toEqual([]);
  expect(gone.end).toEqual({ reason: 'removed' });
});

test('another file in the place of the journal is not read on', async () => {
  const one = run([entered(1)]);
  const replace = (): void => {
    rmSync(one.journal);
    mkdirSync(one.folder, { recursive: true });
    writeFileSync(one.journal, `${entered(1)}\n${entered(2)}\n`);
  };
  const stream = open(one, 0, 'forever');
  expect(await follow(stream, [replace], [1])).toEqual([1]);
  expect(stream.end).toEqual({ reason: 'removed' });
});

test('a stream ends when the run is over, if that is wanted', async () => {
  const one = run([entered(1), returned(2)]);
  const stream = open(one, 0, 'until-over');
  expect((await read(stream)).map(({ seq }) => seq)).toEqual([1, 2]);
  expect(stream.end).toEqual({ reason: 'over' });
  const late = open(one, 2, 'until-over');
  expect(await read(late)).toEqual([]);
  expect(late.end).toEqual({ reason: 'over' });
});

test.each([
  ['has returned', returned(2), true],
  ['was cancelled', failed(2, 'cancelled'), true],
  ['has failed and can be resumed', failed(2, 'exit'), false],
])('a stream until nothing can follow: of a run that %s', async (_, last, isFinal) => {
  const aborting = new AbortController();
  const stream = open(run([entered(1), last]), 0, 'until-final', aborting.signal);
  const seen: number[] = [];
  for await (const { seq } of stream) {
    seen.push(seq);
    if (seq === 2) setTimeout(() => aborting.abort(), 50);
  }
  expect(seen).toEqual([1, 2]);
  expect(stream.end).toEqual({ reason: isFinal ? 'over' : 'aborted' });
});

test('lines are passed on as the file has them, also around damage', async () => {
  const one = run([entered(1), entered(2), entered(3), entered(4).replace('S4', 'S5'), entered(5)]);
  let bytes = '';
  for await (const piece of open(one).ndjson()) bytes += new TextDecoder().decode(piece);
  const lines: string[] = [];
  for await (const batch of open(one).lines()) for (const { text } of batch) lines.push(text);
  expect(bytes).toBe(lines.map((line) => `${line}\n`).join(''));
  expect(lines.map((line) => JSON.parse(line).type)).toEqual([
    ...['state_entered', 'state_entered', 'state_entered', 'journal_damaged', 'state_entered'],
  ]);
});

longTest('a long journal passes through in pieces', async () => {
  const one = run([]);
  const buffer = new LineBuffer();
  for (let seq = 1; seq <= 100_000; seq++) buffer.add({ type: 'state_entered', state: `S${seq}` }, seq, TIME);
  writeFileSync(one.journal, buffer.take());
  let most = 0;
  let count = 0;
  for await (const lines of open(one).lines()) {
    most = Math.max(most, lines.length);
    count += lines.length;
  }
  expect(count).toBe(100_000);
  expect(most).toBeLessThan(30_000);
});
