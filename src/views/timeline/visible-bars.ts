/**
 * What is drawn of a lane: bars that are wide enough one by one, all others as pixels that stand for many. The effort
 * depends on the width of the picture and hardly on the number of bars.
 */
import { type Bars, firstIndex } from './bars.js';
import type { Lane } from './lanes.js';

/** A period on the screen. Positions are those of the axis. */
export interface Window {
  readonly from: number;
  readonly to: number;
  readonly pixels: number;
  readonly positionOf: (timeMs: number) => number;
  readonly timeAt: (position: number) => number;
  /** Open bars end here. */
  readonly nowMs: number;
}

/** A rectangle to draw. */
export interface VisibleBar {
  /** Pixels from the left edge of the window. */
  readonly x: number;
  readonly width: number;
  /** The bar, or the first one of many. */
  readonly bar: number;
  /** How many bars it represents. */
  readonly count: number;
  /** Whether one of them failed. */
  readonly failed: boolean;
}

export function visibleBars(lane: Lane, bars: Bars, window: Window): VisibleBar[] {
  const { from, to, pixels, positionOf, timeAt, nowMs } = window;
  const perPixel = (to - from) / pixels;
  const [fromMs, toMs] = [timeAt(from), timeAt(to)];
  const barAt = (index: number): number => lane.bars.at(index);
  const endOf = (bar: number): number =>
    Math.min(bars.endedMs[bar] as number, Math.max(nowMs, bars.beganMs[bar] as number));
  const xOf = (timeMs: number): number => (positionOf(timeMs) - from) / perPixel;
  const end = firstIndex(lane.bars.length, (index) => (bars.beganMs[barAt(index)] as number) > toMs);
  let index = firstIndex(end, (at) => endOf(barAt(at)) >= fromMs);
  const shown: VisibleBar[] = [];
  while (index < end) {
    const bar = barAt(index);
    const left = xOf(bars.beganMs[bar] as number);
    const right = xOf(endOf(bar));
    if (right - left >= 1) {
      shown.push({ x: left, width: right - left, bar, count: 1, failed: bars.statusOf(bar) === 'failed' });
      index++;
      continue;
    }
    const x = Math.floor(left);
    const next = timeAt(from + (x + 1) * perPixel);
    const after = Math.max(
      index + 1,
      firstIndex(end, (at) => (bars.beganMs[barAt(at)] as number) >= next),
    );
    // A long bar at the end of the pixel is drawn for itself.
    const isLong =
      after - 1 > index && xOf(endOf(barAt(after - 1))) - xOf(bars.beganMs[barAt(after - 1)] as number) >= 1;
    const last = isLong ? after - 1 : after;
    addDense(shown, { x, width: 1, bar, count: last - index, failed: hasFailure(lane, index, last) });
    index = last;
  }
  return shown;
}

/** Neighboring pixels that look the same become one rectangle. */
function addDense(shown: VisibleBar[], pixel: VisibleBar): void {
  const before = shown[shown.length - 1];
  if (
    before !== undefined &&
    before.count > 1 &&
    pixel.count > 1 &&
    before.failed === pixel.failed &&
    before.x + before.width === pixel.x
  )
    shown[shown.length - 1] = { ...before, width: before.width + 1, count: before.count + pixel.count };
  else shown.push(pixel);
}

/** Whether a bar between two indexes of the lane failed. */
function hasFailure({ bars, failed }: Lane, from: number, to: number): boolean {
  return failed.countBelow(bars.at(to - 1) + 1) > failed.countBelow(bars.at(from));
}

/** The bar of a lane at a time; the nearest within `withinMs`, or -1. */
export function barAtTime(lane: Lane, bars: Bars, timeMs: number, withinMs: number): number {
  const after = firstIndex(lane.bars.length, (index) => (bars.beganMs[lane.bars.at(index)] as number) > timeMs);
  const distance = (index: number): number => {
    if (index < 0 || index >= lane.bars.length) return Number.POSITIVE_INFINITY;
    const bar = lane.bars.at(index);
    return Math.max((bars.beganMs[bar] as number) - timeMs, timeMs - (bars.endedMs[bar] as number), 0);
  };
  const nearest = distance(after - 1) <= distance(after) ? after - 1 : after;
  return distance(nearest) <= withinMs ? lane.bars.at(nearest) : -1;
}
