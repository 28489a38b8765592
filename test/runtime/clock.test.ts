import { afterEach, expect, it, vi } from 'vitest';
import { timeStamp, timeText } from '../../src/runtime/clock.js';

afterEach(() => vi.useRealTimers());

it.each([0, 951_782_400_000, 1_764_000_000_007, 1_709_210_096_089, 253_402_300_799_999])(
  'the time stamp of %d ms is the one that JavaScript gives',
  (ms) => {
    vi.useFakeTimers({ now: ms, toFake: ['Date'] });
    expect(timeStamp()).toBe(new Date(ms).toISOString());
  },
);

it.each([
  [1_764_000_000_007, 1_764_000_000_999.5, 1_764_000_001_000, 1_764_000_000_999],
  [253_402_300_800_000, 253_402_300_800_001, 8_640_000_000_000_000, 0],
])('the texts of times that follow each other are those that JavaScript gives', (...times) => {
  expect(times.map(timeText)).toEqual(times.map((ms) => new Date(ms).toISOString()));
});
