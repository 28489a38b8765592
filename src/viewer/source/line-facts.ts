/** What each line of a source did in a run. Events name a line and a state; the machine knows in which file that is. */
import type { Machine } from '../../machine/machine.js';
import type { LineTotals, SourceLines } from '../../views/history/source-lines.js';

/** By file, then by line. */
export type FileOfLine = (state: string, line: number) => number;

/** A line of a state comes from one file, but for a pattern that happens to have the same number: then the first counts. */
export function fileFinder({ states }: Machine): FileOfLine {
  const known = new Map<string, number>();
  for (const { name, code } of states)
    for (const { origin } of code) {
      const key = `${origin.line} ${name}`;
      if (!known.has(key)) known.set(key, origin.file);
    }
  return (state, line) => known.get(`${line} ${state}`) ?? 0;
}

export type LineFacts = Pick<LineTotals, 'count' | 'ms' | 'cost' | 'failed'>;

/** The totals of the lines of one file. A line of a pattern can run in several states. */
export function factsOfFile(lines: SourceLines, file: number, fileOf: FileOfLine): ReadonlyMap<number, LineFacts> {
  const facts = new Map<number, LineFacts>();
  for (const { state, line, count, ms, cost, failed } of lines.all) {
    if (fileOf(state, line) !== file) continue;
    const before = facts.get(line) ?? { count: 0, ms: 0, cost: 0, failed: 0 };
    facts.set(line, {
      count: before.count + count,
      ms: before.ms + ms,
      cost: before.cost + cost,
      failed: before.failed + failed,
    });
  }
  return facts;
}
