/** The lines of a record that have certain words, wherever they are in the event. A long record is searched in parts. */
import { useEffect, useMemo, useReducer } from 'preact/hooks';
import { firstIndex } from '../../views/timeline/bars.js';
import { Pace } from '../data/pace.js';
import type { RecordLines } from '../data/record-lines.js';

export interface FoundLines {
  readonly count: number;
  /** Whether everything that is on record was searched. */
  readonly isComplete: boolean;
  /** The index in the record of a found line. */
  indexAt(row: number): number;
  /** The row of the first found line at this index or after it. */
  rowOf(index: number): number;
}

/** A search that continues when there are more lines. */
export class Search {
  readonly found: number[] = [];
  searched = 0;
  private readonly words: readonly string[];

  constructor(text: string) {
    this.words = text.toLowerCase().split(/\s+/).filter(Boolean);
  }

  get isForAll(): boolean {
    return this.words.length === 0;
  }

  /** Searches some more lines; false: there are none. */
  continue(lines: RecordLines): boolean {
    if (this.isForAll || this.searched >= lines.length) return false;
    const { next, found } = lines.search(this.words, this.searched);
    for (const index of found) this.found.push(index);
    this.searched = next;
    return true;
  }

  result(lines: RecordLines): FoundLines {
    const { found } = this;
    if (this.isForAll) return { count: lines.length, isComplete: true, indexAt: (row) => row, rowOf: (index) => index };
    return {
      count: found.length,
      isComplete: this.searched >= lines.length,
      indexAt: (row) => found[row] as number,
      rowOf: (index) => firstIndex(found.length, (row) => (found[row] as number) >= index),
    };
  }
}

export function useFoundLines(lines: RecordLines, text: string): FoundLines {
  const search = useMemo(() => new Search(text), [lines, text]);
  const [, render] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    let isStopped = false;
    const read = async (): Promise<void> => {
      const pace = new Pace();
      while (search.continue(lines)) {
        if (!pace.isDue) continue;
        render(undefined);
        await pace.pause();
        if (isStopped) return;
      }
      render(undefined);
    };
    if (!search.isForAll && search.searched < lines.length) void read();
    return () => {
      isStopped = true;
    };
  }, [search, lines.length]);
  return search.result(lines);
}
