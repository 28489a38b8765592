/** Finds the events at which a state was entered, a step began, or a call was made. */
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

/** The event that began a call of the plan that the run is, or where it waits; null: it has not begun. */
export function findCall({ record }: RunModel, index: number): number | null {
  const { lines } = record.peek();
  const isOfCall = (effect: string): boolean => effect.split('.')[1] === String(index + 1);
  for (const { seq, effect } of lines.before('effect_requested', lines.length - 1)) if (isOfCall(effect)) return seq;
  return null;
}

/** The indexes of the calls of that plan that were being made at the shown event. */
export function openCalls({ record, shownSeq }: RunModel): ReadonlySet<number> {
  const { lines } = record.value;
  const last = lines.indexOf(shownSeq.value + 1) - 1;
  const ended = new Set([...lines.before('effect_settled', last)].map(({ effect }) => effect));
  const open = [...lines.before('effect_requested', last)].filter(({ effect }) => !ended.has(effect));
  return new Set(open.map(({ effect }) => Number(effect.split('.')[1]) - 1));
}
