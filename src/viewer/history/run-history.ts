/** The models of a run that parts of its screen share, fed with its record as it comes. Each is built only when a part asks for it. */
import { computed, type ReadonlySignal, untracked } from '@preact/signals';
import { EdgeCounts } from '../../views/history/edge-counts.js';
import { SourceLines } from '../../views/history/source-lines.js';
import { StepHistory } from '../../views/history/step-history.js';
import type { Recorded } from '../../views/report/facts.js';
import { Timeline } from '../../views/timeline/timeline.js';
import { isEvent, type RunModel } from '../run/run-model.js';

/** A model and how many lines of the record it has taken: a part that reads `value` is drawn again when there are more. */
export interface Fed<M> {
  readonly model: M;
  readonly taken: number;
}

export interface RunHistory {
  readonly timeline: ReadonlySignal<Fed<Timeline>>;
  readonly lines: ReadonlySignal<Fed<SourceLines>>;
  readonly edges: ReadonlySignal<Fed<EdgeCounts>>;
  readonly steps: ReadonlySignal<Fed<StepHistory>>;
}

const histories = new WeakMap<RunModel, RunHistory>();

export function historyOf(run: RunModel): RunHistory {
  const known = histories.get(run);
  if (known !== undefined) return known;
  const history = {
    timeline: feed(run, new Timeline()),
    lines: feed(run, new SourceLines()),
    edges: feed(run, new EdgeCounts()),
    steps: feed(run, new StepHistory()),
  };
  histories.set(run, history);
  return history;
}

/** The model with all lines so far. Lines are only added, so each is taken once. */
function feed<M extends { take(record: Recorded): void }>({ record }: RunModel, model: M): ReadonlySignal<Fed<M>> {
  let taken = 0;
  return computed(() => {
    const { lines } = record.value;
    untracked(() => {
      for (; taken < lines.length; taken++) {
        const line = lines[taken];
        if (line !== undefined && isEvent(line)) model.take({ seq: line.seq, time: line.ts, event: line });
      }
    });
    return { model, taken };
  });
}
