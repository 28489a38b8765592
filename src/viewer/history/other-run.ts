/** Another run of the same program, read for a comparison. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { RunTrace } from '../../views/history/run-trace.js';
import { Timeline } from '../../views/timeline/timeline.js';
import type { RecordLine, RunData } from '../data/run-data.js';
import { isEvent } from '../run/run-model.js';
import type { Fed } from './run-history.js';

export interface OtherRun {
  readonly run: string;
  readonly timeline: ReadonlySignal<Fed<Timeline>>;
  readonly trace: RunTrace;
  readonly lines: readonly RecordLine[];
  readonly isComplete: ReadonlySignal<boolean>;
  close(): void;
}

export function openOtherRun(data: RunData, run: string): OtherRun {
  const timeline = signal<Fed<Timeline>>({ model: new Timeline(), taken: 0 });
  const isComplete = signal(false);
  const trace = new RunTrace();
  const lines: RecordLine[] = [];
  const close = data.follow(run, 0, {
    take(portion) {
      const { model } = timeline.peek();
      for (const line of portion) {
        lines.push(line);
        if (!isEvent(line)) continue;
        const record = { seq: line.seq, time: line.ts, event: line };
        model.take(record);
        trace.take(record);
      }
      timeline.value = { model, taken: lines.length };
    },
    caughtUp() {
      isComplete.value = true;
    },
    end() {
      isComplete.value = true;
    },
  });
  return { run, timeline, trace, lines, isComplete, close };
}
