/** Another run of the same program, read for a comparison. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { RunTrace } from '../../views/history/run-trace.js';
import { Timeline } from '../../views/timeline/timeline.js';
import { RecordLines, recordOf } from '../data/record-lines.js';
import { DataError, type RunData } from '../data/run-data.js';
import type { GrowingTimeline } from './run-history.js';

export interface OtherRun {
  readonly run: string;
  readonly timeline: ReadonlySignal<GrowingTimeline>;
  readonly trace: RunTrace;
  readonly lines: RecordLines;
  readonly isComplete: ReadonlySignal<boolean>;
  /** Why it cannot be compared. */
  readonly problem: ReadonlySignal<DataError | null>;
  close(): void;
}

export function openOtherRun(data: RunData, run: string): OtherRun {
  const timeline = signal<GrowingTimeline>({ model: new Timeline(), taken: 0 });
  const isComplete = signal(false);
  const problem = signal<DataError | null>(null);
  const trace = new RunTrace();
  const lines = new RecordLines();
  const close = data.follow(run, 0, {
    take(portion, texts) {
      const { model } = timeline.peek();
      for (const [at, line] of portion.entries()) {
        lines.add(line, texts?.[at]);
        const record = recordOf(line);
        if (record === null) continue;
        model.take(record);
        trace.take(record);
      }
      timeline.value = { model, taken: lines.length };
    },
    caughtUp() {
      isComplete.value = true;
    },
    end(end) {
      if (end instanceof DataError) problem.value = end;
      else if (end.reason === 'removed') problem.value = new DataError('unknown', 'the other run was removed');
      else isComplete.value = true;
    },
  });
  return { run, timeline, trace, lines, isComplete, problem, close };
}
