/** The states that a run visited, or its steps, as the parts of a small bar. */
import type { PageRun } from '../data/page-data.js';

export interface BarPart {
  /** Of the state or step; several visits of one state after the other are one part. */
  readonly name: string;
  readonly visits: number;
  /** The number of a color; the same name has the same color. */
  readonly color: number;
  readonly isFailed: boolean;
}

const COLORS = 5;
/** Steps have the color of their status. */
const COLOR_OF_PASSED = 2;
const COLOR_OF_OPEN = 0;
/** More parts cannot be told apart. */
const MOST = 24;

export function stateBar({ states, steps = [], status }: Pick<PageRun, 'states' | 'steps' | 'status'>): BarPart[] {
  const colors = new Map<string, number>();
  const colorOf = (name: string): number => {
    const known = colors.get(name) ?? colors.size % COLORS;
    colors.set(name, known);
    return known;
  };
  if (states.length === 0 || (states.length === 1 && steps.length > 0))
    return steps.slice(-MOST).map(({ path, status: of }) => {
      const color = of === 'pass' ? COLOR_OF_PASSED : COLOR_OF_OPEN;
      return { name: path, visits: 1, color, isFailed: of === 'fail' || of === 'fatal' };
    });
  const parts: { name: string; visits: number; color: number; isFailed: boolean }[] = [];
  for (const name of states) {
    const last = parts[parts.length - 1];
    if (last?.name === name) last.visits++;
    else parts.push({ name, visits: 1, color: colorOf(name), isFailed: false });
  }
  const shown = parts.slice(-MOST);
  const end = shown[shown.length - 1];
  if (end !== undefined && status === 'failed') end.isFailed = true;
  return shown;
}

/** For those who cannot see it. */
export function barWords(parts: readonly BarPart[]): string {
  return parts
    .map(({ name, visits, isFailed }) => `${name}${visits > 1 ? ` ×${visits}` : ''}${isFailed ? ' failed' : ''}`)
    .join(' → ');
}
