/** The parts of the loop of a run, each on its own: questions, mail, the clock, limits on disk, and lengths of turns. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { AskRequest } from '../../src/interpreter/request.js';
import type { OutputUse } from '../../src/runtime/process/scratch.js';
import { Turns } from '../../src/runtime/run/drive.js';
import { Flights, Questions } from '../../src/runtime/run/flights.js';
import { Growth, keptOutput } from '../../src/runtime/run/growth.js';
import { Mailbox } from '../../src/runtime/run/mailbox.js';
import { RunClock } from '../../src/runtime/run/run-clock.js';
import { VirtualTime } from '../../src/runtime/virtual-time.js';
import { driven, inboxOf, nextTurn, signal } from './driven.js';

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const ask = (effect: string, choices: readonly string[] | null = null) =>
  ({ effect, kind: 'ask', attempt: 1, name: `q${effect}`, choices }) as unknown as AskRequest;

/** A person who answers when the test says so. */
function asked() {
  const flights = new Flights();
  const shown: string[] = [];
  const replies: ((reply: string | null) => void)[] = [];
  const handler = ({ name }: { name: string }) => {
    shown.push(name);
    return new Promise<string | null>((resolve) => replies.push(resolve));
  };
  const questions = new Questions(handler, { by: 'ann', through: 'terminal' }, flights);
  const reply = async (text: string | null) => {
    replies.shift()?.(text);
    await nextTurn();
  };
  return { flights, questions, shown, reply };
}

test('questions are asked one at a time, and those that are no longer needed not at all', async () => {
  const { flights, questions, shown, reply } = asked();
  for (const effect of ['1', '2', '3']) questions.put(ask(effect));
  // No person can answer it.
  questions.put({ ...ask('4'), kind: 'signal' } as unknown as AskRequest);
  await nextTurn();
  expect(shown).toEqual(['q1']);
  flights.stop('2');
  await reply('yes');
  expect(shown).toEqual(['q1', 'q3']);
  expect(flights.takeNext()).toEqual({ kind: 'answer', effect: '1', value: 'yes', by: 'ann', through: 'terminal' });
  flights.stop('3');
  await reply('late');
  expect(shown).toHaveLength(2);
  expect(flights.takeNext()).toBeNull();
});

test('an answer is one of the choices, and without an answer the question stays open', async () => {
  const { flights, questions, reply } = asked();
  questions.put(ask('1', ['a', 'b']));
  await nextTurn();
  await reply('b');
  expect(flights.takeNext()).toMatchObject({ kind: 'answer', value: 'b' });
  questions.put(ask('2', ['a', 'b']));
  await nextTurn();
  await reply('c');
  expect(flights.takeNext()).toMatchObject({ kind: 'outcome', outcome: { kind: 'failed', error_type: 'bad_value' } });
  questions.put(ask('3'));
  await nextTurn();
  await reply(null);
  expect(questions.openOne('3')).toMatchObject({ name: 'q3' });
});

test('mail comes once: what was posted here, then the inbox, then what was sent before', () => {
  const inbox = inboxOf([signal('inbox')]);
  const mailbox = new Mailbox(inbox, [signal('before')], () => undefined);
  mailbox.post(signal('posted'));
  const names = () => mailbox.take().map(({ delivery }) => ('name' in delivery ? delivery.name : ''));
  expect([mailbox.hasMail, names()]).toEqual([true, ['posted', 'inbox', 'before']]);
  expect([mailbox.hasMail, names()]).toEqual([false, []]);
  mailbox.post(signal('again'));
  expect([mailbox.look(), names(), mailbox.look()]).toEqual([true, ['again'], false]);
  mailbox.close();
});

test('an inbox is polled until the run ends', () => {
  const polled = vi.spyOn(globalThis, 'setInterval');
  const cleared = vi.spyOn(globalThis, 'clearInterval');
  const inbox = inboxOf([]);
  let mail = 0;
  const mailbox = new Mailbox(inbox, [], () => void mail++);
  const poll = polled.mock.calls[0]?.[0] as unknown as () => void;
  poll();
  inbox.send(signal('go'));
  expect(mail).toBe(0);
  poll();
  expect([mail, mailbox.hasMail]).toEqual([1, true]);
  mailbox.close();
  expect(cleared.mock.calls[0]?.[0]).toBe(polled.mock.results[0]?.value);
});

test('the clock of a run says once that the time is up, and nothing after the end of the run', async () => {
  const time = new VirtualTime(0);
  let ups = 0;
  const clock = new RunClock(30, 50, () => ups++, time);
  expect(clock.isTimeUp).toBe(false);
  time.advance();
  expect([clock.isTimeUp, ups, clock.activeMs]).toEqual([true, 1, 50]);
  new RunClock(0, 50, () => ups++, time).close();
  await driven('STATE: A\n  RETURN\n', { time, timeMs: 50 });
  expect([time.advance(), ups]).toEqual([null, 1]);
});

test('the clock of a run that a debugger holds stands still', () => {
  const time = new VirtualTime(0);
  let ups = 0;
  const clock = new RunClock(10, 50, () => ups++, time);
  const other = new RunClock(0, 100, () => ups++, time);
  clock.pause();
  time.advance();
  expect([other.isTimeUp, clock.isTimeUp, clock.activeMs, ups]).toEqual([true, false, 10, 1]);
  clock.proceed();
  time.advance();
  expect([clock.isTimeUp, clock.activeMs, time.now, ups]).toEqual([true, 50, 140, 2]);
});

test('a run is warned once before a limit on disk, and exceeds it with the first byte after it', () => {
  let journal = 0;
  const output = { bytes: 0 } as unknown as OutputUse & { bytes: number };
  const growth = new Growth({ journal: 100 }, () => journal, output);
  expect(output.limit).toBe(256 * 1024 ** 2);
  const wake = () => undefined;
  growth.watch(wake);
  expect(output.onExceeded).toBe(wake);
  const warnings = () => growth.warnings('A').length;
  const seen = [90, 91, 95, 100, 101].map((bytes) => {
    journal = bytes;
    return [growth.exceededLimit()?.used ?? null, warnings()];
  });
  expect(seen).toEqual([
    [null, 0],
    [null, 1],
    [null, 0],
    [null, 0],
    [101, 0],
  ]);
  expect(new Growth({ journal: 100 }, () => 101, output).warnings('A')).toEqual([]);
});

test('the output that earlier processes left counts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-kept-'));
  for (const name of ['a', 'b']) writeFileSync(join(folder, name), '12345');
  expect([keptOutput(folder), keptOutput(join(folder, 'none')), keptOutput(null)]).toEqual([10, 0, 0]);
});

test('turns become longer while they are short, and shorter when they take long', () => {
  vi.useFakeTimers({ toFake: ['Date', 'hrtime'], now: 0 });
  const turns = new Turns();
  const sizes: number[] = [];
  for (const ms of [0, 0, 0, 0, 0, 0, 0, 10, 1000, 1000]) {
    sizes.push(turns.begin());
    vi.advanceTimersByTime(ms);
    turns.end();
  }
  expect([...sizes, turns.size]).toEqual([64, 128, 256, 512, 1024, 2048, 4096, 4096, 4096, 20, 1]);
});
