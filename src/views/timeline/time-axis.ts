/**
 * From times to positions on a line. Idle times are folded to a short piece of fixed length if there is much of them: a
 * run that worked for a minute and waited for a night would otherwise be two dots.
 */
import { firstIndex } from './bars.js';
import type { IdleSpans } from './idle-spans.js';

/** A period of the real time with the position of its beginning. */
interface Piece {
  readonly fromMs: number;
  readonly toMs: number;
  readonly position: number;
  /** Length on the line for each millisecond. */
  readonly rate: number;
  readonly isIdle: boolean;
}

export interface AxisOptions {
  readonly fromMs: number;
  readonly toMs: number;
  readonly isFolded: boolean;
}

/** What a folded time is long, as a part of the time in which the run was executed. */
const FOLDED_PART = 0.02;
const SHORTEST_FOLD_MS = 1;

/** Positions count milliseconds from the beginning, with folded times shortened. */
export class TimeAxis {
  private readonly pieces: Piece[] = [];
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
  *unfoldedBetween(fromMs: number, toMs: number): Generator<Pick<Piece, 'fromMs' | 'toMs'>> {
    const first = firstIndex(this.pieces.length, (at) => (this.pieces[at] as Piece).toMs > fromMs);
    for (let at = first; at < this.pieces.length; at++) {
      const piece = this.pieces[at] as Piece;
      if (piece.fromMs > toMs) return;
      if (piece.rate === 1) yield { fromMs: Math.max(piece.fromMs, fromMs), toMs: Math.min(piece.toMs, toMs) };
    }
  }

  private pieceAt(isAfter: (piece: Piece) => boolean): Piece {
    const index = firstIndex(this.pieces.length, (at) => isAfter(this.pieces[at] as Piece));
    return this.pieces[Math.min(index, this.pieces.length - 1)] as Piece;
  }
}
