/** The lines of edges as paths of SVG. */
import { expect, test } from 'vitest';
import { edgePaths } from '../../src/views/picture/edge-paths.js';

test('a line ends where its head begins, and the head points to the end', () => {
  expect(
    edgePaths([
      { x: 0, y: 0 },
      { x: 0, y: 100 },
    ]),
  ).toEqual({
    way: 'M0 0L0 93',
    head: 'M0 100L3.6 92L-3.6 92Z',
  });
});

test('a bend is rounded, but not more than half of its lines', () => {
  expect(
    edgePaths([
      { x: 0, y: 0 },
      { x: 0, y: 4 },
      { x: 50, y: 4 },
    ])?.way,
  ).toBe('M0 0L0 2Q0 4 2 4L43 4');
});

test('one point is not a line', () => {
  expect(edgePaths([{ x: 0, y: 0 }])).toBeNull();
});
