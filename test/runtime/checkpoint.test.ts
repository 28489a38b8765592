/** When a checkpoint is due, and which ones count. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { link, receiveSignal, startRun } from '../../src/interpreter/run.js';
import { createRedactor } from '../../src/runtime/redact.js';
import { checkpoints, readCheckpoint } from '../../src/runtime/store/checkpoint.js';
import { digestOf } from '../../src/runtime/store/image.js';
import { constant, done, machine, OPTIONS } from '../interpreter/machine-builder.js';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'statedsl-checkpoint-'));
  mkdirSync(join(folder, 'artifacts'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = startRun(link(machine({ A: { code: [done(constant(1))] } })), OPTIONS);
receiveSignal(run, 'WHO', 'Ada Lovelace', 'me');
const facts = { seq: 20_000, offset: 30_000_000, activeMs: 1234, inbox: 56, isExecuted: true };
const file = () => join(folder, 'checkpoint.json');

test('one is due after so many events or bytes since the last one, or since the run was resumed', () => {
  const last = { seq: 100, offset: 1000 };
  const kept = checkpoints(folder, null, last);
  const due = (events: number, bytes: number, { seq, offset } = last): boolean =>
    kept.due({ seq: seq + events, offset: offset + bytes });
  const mib8 = 8 * 1024 * 1024;
  const rule = [due(2047, mib8 - 1), due(2048, 0), due(0, mib8)];
  expect(rule).toEqual([false, true, true]);
  kept.write(run, facts);
  const part = 16 * readFileSync(file(), 'utf8').trimEnd().length;
  expect([due(2047, mib8 - 1, facts), due(2048, part, facts), due(0, mib8, facts)]).toEqual(rule);
  // A checkpoint that is large next to the journal is written less often.
  expect([due(8191, 0, facts), due(8192, 0, facts)]).toEqual([false, true]);
});

test.each([3, -3])(
  'one is due when the clock was set by %i hours, because times of events do not say how long a run was executed',
  (hours) => {
    vi.useFakeTimers({ toFake: ['Date', 'hrtime'] });
    onTestFinished(() => void vi.useRealTimers());
    const kept = checkpoints(folder, null, facts);
    vi.advanceTimersByTime(10 * 3_600_000);
    expect(kept.due(facts)).toBe(false);
    vi.setSystemTime(Date.now() + hours * 3_600_000);
    expect(kept.due(facts)).toBe(true);
    kept.write(run, facts);
    expect(kept.due(facts)).toBe(false);
  },
);

test('it reads back with its position, its time and its limits', () => {
  checkpoints(folder, null, facts).write(run, facts);
  expect(readCheckpoint(folder)).toMatchObject({
    seq: 20_000,
    offset: 30_000_000,
    digest: digestOf(run.linked.machine),
    active_ms: 1234,
    inbox: 56,
    limits: { transitions: 1000 },
  });
});

test('one with a change anywhere, of another version or without an end does not count', () => {
  checkpoints(folder, null, facts).write(run, facts);
  const text = readFileSync(file(), 'utf8');
  const changed = [
    text.replace('"seq":20000', '"seq":20001'),
    text.replace(/"crc":"./, '"crc":"g'),
    text.slice(0, -1),
    `${text}\n`,
    text.replace(/,"crc":"[0-9a-f]{8}"/, ''),
    '',
  ];
  for (const one of changed) {
    expect(one).not.toBe(text);
    writeFileSync(file(), one);
    expect(readCheckpoint(folder)).toBeNull();
  }
  writeFileSync(file(), text);
  expect(readCheckpoint(folder)?.seq).toBe(20_000);
});

test('a state with a secret is not written', () => {
  const redactor = createRedactor([{ name: 'TOKEN', value: 'Ada Lovelace' }]);
  checkpoints(folder, redactor, facts).write(run, facts);
  expect(existsSync(file())).toBe(false);
  checkpoints(folder, createRedactor([{ name: 'TOKEN', value: 'Somebody else' }]), facts).write(run, facts);
  expect(existsSync(file())).toBe(true);
});
