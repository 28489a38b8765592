/**
 * A model of a run at every event: a copy is kept every few thousand events, and continued to the event that is wanted. So
 * going back costs as little in a long run as in a short one.
 */
import type { Recorded } from '../../views/report/facts.js';
import { type RecordLines, recordOf } from '../data/record-lines.js';

/** A model that is built from events one by one. */
export interface Copyable<M> {
  /** About as many parts as a copy has. */
  readonly size: number;
  take(record: Recorded): void;
  copy(): M;
}

/** So many events at least are between two copies. */
const LEAST = 2048;
/** Copies of a large model are rarer, so that all of them together stay small. */
const EVENTS_PER_PART = 16;

/** A model and how many lines it has taken. */
interface Copy<M> {
  readonly model: M;
  taken: number;
}

export class Checkpoints<M extends Copyable<M>> {
  /** With all lines so far. */
  readonly latest: M;
  private readonly create: () => M;
  private readonly copies: Copy<M>[] = [];
  private taken = 0;
  private due = LEAST;
  /** What was shown last, from which the next event is near. */
  private shown: Copy<M> | null = null;

  constructor(create: () => M) {
    this.create = create;
    this.latest = create();
  }

  /** Takes the next line; null: one that is not an event. */
  take(record: Recorded | null): void {
    if (record !== null) this.latest.take(record);
    this.taken++;
    if (this.taken < this.due) return;
    this.copies.push({ model: this.latest.copy(), taken: this.taken });
    this.due = this.taken + Math.max(LEAST, EVENTS_PER_PART * this.latest.size);
  }

  /** The model as it was after the first so many lines. It changes when another one is asked for. */
  at(count: number, lines: RecordLines): M {
    if (count >= this.taken) return this.latest;
    const shown = this.before(count);
    for (; shown.taken < count; shown.taken++) {
      const line = lines.at(shown.taken);
      const record = line === null ? null : recordOf(line);
      if (record !== null) shown.model.take(record);
    }
    this.shown = shown;
    return shown.model;
  }

  private before(count: number): Copy<M> {
    const kept = this.copies.findLast(({ taken }) => taken <= count);
    const { shown } = this;
    if (shown !== null && shown.taken <= count && shown.taken >= (kept?.taken ?? 0)) return shown;
    return kept === undefined ? { model: this.create(), taken: 0 } : { model: kept.model.copy(), taken: kept.taken };
  }
}
