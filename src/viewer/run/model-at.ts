/** Models of a run as it was at the shown event. Going on continues them; going back builds them again from the first event. */
import { computed, type ReadonlySignal, untracked } from '@preact/signals';
import type { Recorded } from '../../views/report/facts.js';
import { isEvent, type RunModel } from './run-model.js';

export interface ModelAt<M> {
  readonly model: M;
  /** The last event that it has taken; it differs whenever the model does. */
  readonly seq: number;
}

export function modelAt<M extends { take(record: Recorded): void }>(
  run: RunModel,
  create: () => M,
): ReadonlySignal<ModelAt<M>> {
  let model = create();
  let taken = 0;
  return computed(() => {
    const { lines } = run.record.value;
    const until = run.shownSeq.value;
    return untracked(() => {
      if ((lines[taken - 1]?.seq ?? 0) > until) [model, taken] = [create(), 0];
      for (; taken < lines.length; taken++) {
        const line = lines[taken];
        if (line === undefined || line.seq > until) break;
        if (isEvent(line)) model.take({ seq: line.seq, time: line.ts, event: line });
      }
      return { model, seq: until };
    });
  });
}
