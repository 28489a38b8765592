/** When `state.json` is written: often enough for whoever looks at it, and never for most of the time of a run. */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import type { Run } from '../../src/interpreter/run.js';
import { stateFile } from '../../src/runtime/store/state-file.js';

const ENTERED = { type: 'state_entered', state: 'A', visit: 1 } as unknown as RunEvent;
const COMPLETED = { type: 'step_completed' } as unknown as RunEvent;

/** A state file whose writes take so long on its own clock, and of a run with so many values. */
function written(tookMs: number, values: number) {
  const data = { written: Object.fromEntries(Array.from({ length: values }, (_, at) => [`state.r${at}`, at])) };
  const run = { inputs: {}, tracked: {}, data, steps: { keys: new Map() }, undo: { entries: [] } };
  const clock = { now: 0 };
  const writes: number[] = [];
  const folder = {
    writeState: () => {
      writes.push(clock.now);
      clock.now += tookMs;
    },
    writeStateBag: () => undefined,
  };
  const linked = { machine: {} };
  const file = stateFile(folder, null, () => clock.now);
  const step = (event: RunEvent): void => {
    file.note([event]);
    file.now({ ...run, linked } as unknown as Run);
  };
  const later = (): void => file.later({ ...run, linked } as unknown as Run);
  return { clock, writes, step, later };
}

test('entering states writes it at intervals', () => {
  const { clock, writes, step } = written(1, 3);
  for (; clock.now < 1000; clock.now++) step(ENTERED);
  expect(writes).toEqual([0, 251, 502, 753]);
});

test.each([
  [ENTERED, 5000],
  [COMPLETED, 5000],
])('writing many values takes a small part of the time', (event, values) => {
  const { clock, writes, step } = written(300, values);
  for (; clock.now < 60_000; clock.now++) step(event);
  expect(writes.length * 300).toBeLessThanOrEqual(60_000 / 20);
  expect(writes.length).toBeGreaterThan(5);
});

test('the end of an attempt writes a few values at once, also where writing takes long', () => {
  const { writes, step } = written(300, 30);
  for (let count = 0; count < 5; count++) step(COMPLETED);
  expect(writes).toEqual([0, 300, 600, 900, 1200]);
});

test('what changes right after a write is written by itself, once', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { clock, writes, step, later } = written(1, 3);
  step(ENTERED);
  later();
  step(ENTERED);
  later();
  later();
  clock.now = 400;
  vi.advanceTimersByTime(400);
  expect(writes).toEqual([0, 400]);
  later();
  vi.advanceTimersByTime(5000);
  expect(writes).toEqual([0, 400]);
});
