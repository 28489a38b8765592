/** What each line of a source did in a run. Events name a line and a state; the machine knows in which file that is. */
import type { Machine } from '../../machine/machine.js';
import type { LineTotals, SourceLines } from '../../views/history/source-lines.js';

/** By file, then by line. */
export type FileOfLine = (state: string, line: number) => number;

/** A line of a state comes from one file, but for a pattern that happens to have the same number: then the first counts. */
export function fileFinder({ states, plans = {}, files }: Machine): FileOfLine {
  const known = new Map<string, number>();
  const add = (state: string, line: number, file: number): void => {
    const key = `${line} ${state}`;
    if (!known.has(key)) known.set(key, file);
  };
  for (const { name, code } of states) for (const { origin } of code) add(name, origin.line, origin.file);
  // The calls of a plan have the lines of its document.
  for (const { name, code } of states)
    for (const instruction of code) {
      if (instruction.op !== 'plan' || instruction.main === true) continue;
      const file = documentOf(instruction.plan, files[instruction.origin.file] ?? '', files);
      for (const { line } of plans[instruction.plan]?.calls ?? []) if (line > 0 && file >= 0) add(name, line, file);
    }
  return (state, line) => known.get(`${line} ${state}`) ?? 0;
}

/** The number of the file of a plan, which is named as the file that uses it names it; -1: it is not known. */
function documentOf(plan: string, usedBy: string, files: Machine['files']): number {
  const name = plan.replace(/^PLAN /, '');
  const exact = files.indexOf(pathFrom(usedBy, name));
  if (exact >= 0) return exact;
  const path = name.replace(/^(\.{1,2}\/)+/, '');
  return files.findIndex((file) => file === path || file.endsWith(`/${path}`));
}

/** The path of what a file names relative to its folder. */
function pathFrom(file: string, name: string): string {
  if (name.startsWith('/')) return name;
  const parts = file.split('/').slice(0, -1);
  for (const part of name.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
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
