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

/** A period of the real time with the position of its beginning. */
interface TimePiece {
  readonly fromMs: number;
  readonly toMs: number;
  readonly position: number;
  /** Length on the line for each millisecond. */
  readonly rate: number;
  readonly isIdle: boolean;
}

interface AxisOptions {
  readonly fromMs: number;
  readonly toMs: number;
  readonly isFolded: boolean;
}

/** What a folded time is long, as a part of the time in which the run was executed. */
const FOLDED_PART = 0.02;
const SHORTEST_FOLD_MS = 1;

/** Positions count milliseconds from the beginning, with folded times shortened. */
export class TimeAxis {
  private readonly pieces: TimePiece[] = [];
  readonly length: number;

  constructor(idle: IdleSpans, { fromMs, toMs, isFolded }: AxisOptions) {
    const spans = isFolded ? idle.all : [];
    const active = Math.max(0, toMs - fromMs - (isFolded ? idle.total(toMs) : 0));
    const fold = Math.max(SHORTEST_FOLD_MS, active * FOLDED_PART);
    let at = fromMs;
    let position = 0;
    const add = (until: number, length: number, isIdle: boolean): void => {
      if (until <= at) return;
      this.pieces.push({ fromMs: at, toMs: until, position, rate: length / (until - at), isIdle });
      position += length;
      at = until;
    };
    for (const span of spans) {
      const end = Math.min(span.toMs ?? toMs, toMs);
      add(Math.min(span.fromMs, toMs), Math.min(span.fromMs, toMs) - at, false);
      add(end, Math.min(end - at, fold), true);
    }
    add(Math.max(toMs, fromMs + 1), Math.max(toMs, fromMs + 1) - at, false);
    this.length = position;
  }

  positionOf(timeMs: number): number {
    const piece = this.pieceAt((one) => one.toMs > timeMs);
    return piece.position + (Math.min(timeMs, piece.toMs) - piece.fromMs) * piece.rate;
  }

  timeAt(position: number): number {
    const piece = this.pieceAt(({ toMs, fromMs, rate, ...one }) => one.position + (toMs - fromMs) * rate > position);
    return Math.min(piece.toMs, piece.fromMs + (position - piece.position) / piece.rate);
  }

  /** The parts of a period in which the axis is not folded, from the first to the last. */
  *unfoldedBetween(fromMs: number, toMs: number): Generator<Pick<TimePiece, 'fromMs' | 'toMs'>> {
    const first = firstIndex(this.pieces.length, (at) => (this.pieces[at] as TimePiece).toMs > fromMs);
    for (let at = first; at < this.pieces.length; at++) {
      const piece = this.pieces[at] as TimePiece;
      if (piece.fromMs > toMs) return;
      if (piece.rate === 1) yield { fromMs: Math.max(piece.fromMs, fromMs), toMs: Math.min(piece.toMs, toMs) };
    }
  }

  private pieceAt(isAfter: (piece: TimePiece) => boolean): TimePiece {
    const index = firstIndex(this.pieces.length, (at) => isAfter(this.pieces[at] as TimePiece));
    return this.pieces[Math.min(index, this.pieces.length - 1)] as TimePiece;
  }
}

/** Why no process executed the run. */
type IdleReason = 'suspended' | 'interrupted' | 'crashed';

/** Milliseconds since the epoch; `toMs` is null while it lasts. */
interface IdleSpan {
  readonly fromMs: number;
  toMs: number | null;
  readonly reason: IdleReason;
  /** The event after which the run was idle. */
  readonly seq: number;
}

/** The times in which no process executed a run: suspended, interrupted, or after a crash. */
export class IdleSpans {
  readonly all: IdleSpan[] = [];

  begin(fromMs: number, seq: number, reason: IdleReason): void {
    this.end(fromMs);
    this.all.push({ fromMs, toMs: null, reason, seq });
  }

  end(toMs: number): void {
    const last = this.all.at(-1);
    if (last !== undefined && last.toMs === null) last.toMs = toMs;
  }

  /** Milliseconds of all spans together, where one that lasts ends at `untilMs`. */
  total(untilMs: number): number {
    return this.all.reduce((sum, { fromMs, toMs }) => sum + Math.max(0, (toMs ?? untilMs) - fromMs), 0);
  }

  /** The index of the first span that ends after this time. */
  firstAfter(timeMs: number): number {
    return firstIndex(this.all.length, (index) => (this.all[index]?.toMs ?? Number.POSITIVE_INFINITY) > timeMs);
  }
}
