/** The models of a run that parts of its screen share. Each takes every line when it comes, before a part is drawn. */
import { EdgeCounts } from '../../views/history/edge-counts.js';
import { SourceLines } from '../../views/history/source-lines.js';
import { StepHistory } from '../../views/history/step-history.js';
import { firstIndex } from '../../views/timeline/bars.js';
import { Timeline } from '../../views/timeline/timeline.js';
import { recordOf } from '../data/record-lines.js';
import type { RecordLine } from '../data/run-data.js';
import { Checkpoints } from './checkpoints.js';

/** A timeline that grows; a new object whenever it does. */
export interface GrowingTimeline {
  readonly model: Timeline;
  /** How many lines of the record it has taken. */
  readonly taken: number;
}

/** A program in which the run was resumed. */
interface EditedProgram {
  /** The event from which on it is executed. */
  readonly seq: number;
  readonly digest: string;
}

export class RunHistory {
  private readonly edited: EditedProgram[] = [];
  /** The numbers of the events by which something was tried again. */
  readonly retries: number[] = [];
  readonly timeline = new Timeline();
  readonly steps = new StepHistory();
  readonly edges = new Checkpoints(() => new EdgeCounts());
  readonly lines = new Checkpoints(() => new SourceLines());

  take(line: RecordLine): void {
    const record = recordOf(line);
    if (record !== null) {
      if (line.type === 'run_resumed' && line.digest !== undefined)
        this.edited.push({ seq: line.seq, digest: line.digest });
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
    return this.edited.findLast((one) => one.seq <= seq)?.digest ?? null;
  }
}
