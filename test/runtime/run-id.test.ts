/** Ids of runs sort by the order in which one process made them. */
import { expect, test, vi } from 'vitest';
import { newRunId } from '../../src/runtime/run/run-id.js';

const made = (count: number): string[] => Array.from({ length: count }, newRunId);

test('ids of one millisecond keep their order', () => {
  const ids = made(2_000);
  expect(new Set(ids.map((id) => id.slice(0, 13))).size).toBeLessThan(ids.length);
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

test('a clock that is set back does not change the order', () => {
  const clock = vi.spyOn(Date, 'now');
  try {
    const now = performance.timeOrigin + performance.now();
    clock.mockReturnValue(Math.floor(now) + 50);
    const before = made(2);
    clock.mockReturnValue(Math.floor(now) - 60_000);
    const ids = [...before, ...made(2)];
    expect([...ids].sort()).toEqual(ids);
  } finally {
    clock.mockRestore();
  }
});

test('an id begins with the time at which it was made', () => {
  const clock = vi.spyOn(Date, 'now');
  try {
    const later = Math.floor(performance.timeOrigin + performance.now()) + 100;
    clock.mockReturnValue(later);
    const id = newRunId();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(later);
  } finally {
    clock.mockRestore();
  }
});
