/** Finds the events at which a state was entered or a step began. */
import type { RunModel } from '../run/run-model.js';
import { isStep } from './node-facts.js';

/**
 * The number of the entry before the shown event; from an entry itself, the one before it; the last one if there is none.
 * So choosing a state again and again leads through all its visits. Null: it was never entered.
 */
export function findEntry({ history, shownSeq }: RunModel, state: string): number | null {
  const { bars, events, stateLane } = history.timeline;
  const visits = stateLane.bars;
  const find = (from: number): number | null => {
    for (let at = from; at >= 0; at--) {
      const visit = visits.at(at);
      const seq = bars.seq[visit] as number;
      if (history.timeline.stateAt(seq) === state) return seq;
    }
    return null;
  };
  const before = visits.countBelow(events.visitOf(shownSeq.peek() - 1) + 1) - 1;
  return find(before) ?? find(visits.length - 1);
}

/** The event that began the last attempt of a step, and its path; null: it has not begun. */
export function findStep(model: RunModel, written: string): { readonly seq: number; readonly path: string } | null {
  const { lines } = model.record.peek();
  const findStart = (from: number): { seq: number; path: string } | null => {
    for (const { seq, step } of lines.before('step_started', from))
      if (isStep(written, step)) return { seq, path: step };
    return null;
  };
  return findStart(lines.indexOf(model.shownSeq.peek()) - 1) ?? findStart(lines.length - 1);
}
