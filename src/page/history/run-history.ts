/** The models of a run that parts of its screen share. Each takes every line when it comes, before a part is drawn. */
import type { Recorded } from '../../runtime/record/record-facts.js';
import type { RecordLine } from '../data/page-data.js';
import { type RecordLines, recordOf } from '../data/record-lines.js';
import { firstIndex } from '../timeline/bars.js';
import { Timeline } from '../timeline/timeline.js';
import { EdgeCounts } from './edge-counts.js';
import { SourceLines } from './source-lines.js';
import { StepHistory } from './step-history.js';

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

export class ModelCheckpoints<M extends Copyable<M>> {
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

/** A timeline that grows; a new object whenever it does. */
export interface GrowingTimeline {
  readonly model: Timeline;
  /** How many lines of the record it has taken. */
  readonly taken: number;
}

export class RunHistory {
  /** The numbers of the events by which something was tried again. */
  readonly retries: number[] = [];
  readonly timeline = new Timeline();
  readonly steps = new StepHistory(this.timeline.run);
  readonly edges = new ModelCheckpoints(() => new EdgeCounts());
  readonly lines = new ModelCheckpoints(() => new SourceLines());

  take(line: RecordLine): void {
    const record = recordOf(line);
    if (record !== null) {
      if (line.type === 'effect_retried' || line.type === 'retry_triggered') this.retries.push(line.seq);
      this.timeline.take(record);
      this.steps.take(record);
    }
    this.edges.take(record);
    this.lines.take(record);
  }

  /** How many of the retries were at an event or before it. */
  retriesUntil(seq: number): number {
    return firstIndex(this.retries.length, (index) => (this.retries[index] as number) > seq);
  }

  /** The digest of the program that was executed at an event; null: the one with which the run started. */
  programAt(seq: number): string | null {
    const [, ...edited] = this.timeline.run.programs;
    return edited.findLast((one) => one.seq <= seq)?.digest ?? null;
  }
}
