import { afterEach, expect, it, vi } from 'vitest';
import { timeStamp } from '../../src/runtime/clock.js';

afterEach(() => vi.useRealTimers());

it.each([0, 951_782_400_000, 1_764_000_000_007, 1_709_210_096_089, 253_402_300_799_999])(
  'the time stamp of %d ms is the one that JavaScript gives',
  (ms) => {
    vi.useFakeTimers({ now: ms, toFake: ['Date'] });
    expect(timeStamp()).toBe(new Date(ms).toISOString());
  },
);
