/** The times in which no process executed a run: suspended, interrupted, or after a crash. */
import { firstIndex } from './bars.js';

/** Why no process executed the run. */
export type IdleReason = 'suspended' | 'interrupted' | 'crashed';

/** Milliseconds since the epoch; `toMs` is null while it lasts. */
export interface IdleSpan {
  readonly fromMs: number;
  toMs: number | null;
  readonly reason: IdleReason;
  /** The event after which the run was idle. */
  readonly seq: number;
}

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
