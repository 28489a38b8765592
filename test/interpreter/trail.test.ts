/** What a run keeps of the states it entered. */
import { expect, test } from 'vitest';
import { REPORTED_STATES, Trail } from '../../src/interpreter/run-state/trail.js';

test.each([0, 1, 15, 16, 17, 999, 1000, 1001, 1023, 1024, 1025, 5000])('the last of %i states are kept', (entered) => {
  const all = Array.from({ length: entered }, (_, at) => (at * 7) % 300);
  const trail = new Trail(300);
  for (const state of all) trail.push(state);
  expect(trail.image).toEqual({ total: entered, last: all.slice(-REPORTED_STATES) });
});

test.each([0, 3, 16, 1000, 1024, 5000])('a trail of %i states that was restored grows like any other', (entered) => {
  const all = Array.from({ length: entered + 1500 }, (_, at) => (at * 7) % 300);
  const before = new Trail(300);
  for (const state of all.slice(0, entered)) before.push(state);
  const trail = new Trail(300);
  trail.restore(before.image);
  expect(trail.image).toEqual(before.image);
  for (const state of all.slice(entered)) trail.push(state);
  expect(trail.image).toEqual({ total: all.length, last: all.slice(-REPORTED_STATES) });
});
