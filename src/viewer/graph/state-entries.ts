/** Finds when a state was entered. */
import { indexOfSeq, type RunModel } from '../run/run-model.js';

/**
 * The number of the entry before the shown event; from an entry itself, the one before it; the last one if there is none.
 * So choosing a state again and again leads through all its visits. Null: it was never entered.
 */
export function findEntry({ record, shownSeq }: RunModel, state: string): number | null {
  const { lines } = record.peek();
  const start = indexOfSeq(lines, shownSeq.peek());
  const find = (from: number, until: number): number | null => {
    for (let at = from; at >= until; at--) {
      const line = lines[at];
      if (line?.type === 'state_entered' && line.state === state) return line.seq;
    }
    return null;
  };
  return find(start - 1, 0) ?? find(lines.length - 1, 0);
}
