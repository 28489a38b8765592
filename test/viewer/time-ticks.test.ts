/** The marks of the time axis. */
import { expect, test } from 'vitest';
import { visibleTicks } from '../../src/page/timeline/draw-timeline.js';
import { IdleSpans, TimeAxis } from '../../src/page/timeline/visible-bars.js';

const HALF_HOUR = 1_800_000;

test('of very many folded times reach to the right edge, and are nowhere too near to each other', () => {
  const idle = new IdleSpans();
  const count = 300;
  // A second of work on each half hour.
  for (let at = 0; at < count; at++) {
    idle.begin(at * HALF_HOUR + 1000, at * 2 + 1, 'suspended');
    idle.end((at + 1) * HALF_HOUR);
  }
  const toMs = count * HALF_HOUR;
  const axis = new TimeAxis(idle, { fromMs: 0, toMs, isFolded: true });
  const least = axis.length / 10;
  const positions = visibleTicks(axis, 0, toMs, least).map(({ timeMs }) => axis.positionOf(timeMs));
  const distances = positions.slice(1).map((position, at) => position - (positions[at] as number));
  expect(Math.min(...distances)).toBeGreaterThanOrEqual(least * 0.75);
  expect(axis.length - (positions.at(-1) as number)).toBeLessThan(least);
});
