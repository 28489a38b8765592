/** What the chart of the list shows: for each day one bar, in parts by program. */
import type { RunDay } from '../../app/run-filter.js';

export const MEASURES = ['runs', 'time', 'money'] as const;
export type Measure = (typeof MEASURES)[number];

export interface ProgramBars {
  /** Null: all programs that have no bars of their own. */
  readonly program: string | null;
  /** One number for each day. */
  readonly values: readonly number[];
  readonly total: number;
}

export interface DayBars {
  /** `2030-01-31`, without gaps. */
  readonly days: readonly string[];
  /** The largest program first. */
  readonly programs: readonly ProgramBars[];
  /** The highest bar. */
  readonly highest: number;
}

/** Draws bars into an element, one color for each program, with a line at a height; the result removes them. */
export type DrawPlot = (
  element: HTMLElement,
  bars: DayBars,
  looks: { readonly line: number | null; readonly format: (value: number) => string },
) => () => void;

const MOST_PROGRAMS = 5;
const LEAST_DAYS = 14;
const MOST_DAYS = 90;
const DAY_MS = 86_400_000;

/** `today`: the last day that is shown, unless there are later ones. */
export function dayBars(all: readonly RunDay[], measure: Measure, today: string): DayBars {
  const days = daysUntil(all, today);
  const index = new Map(days.map((day, at) => [day, at]));
  const shown = all.filter(({ day }) => index.has(day));
  const totals = new Map<string, number>();
  for (const one of shown) totals.set(nameOf(one), (totals.get(nameOf(one)) ?? 0) + amountOf(one, measure));
  const named = [...totals]
    .filter(([, total]) => total > 0)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([name]) => name);
  // A rest of one program needs no name for the rest.
  const own = named.length <= MOST_PROGRAMS + 1 ? named : named.slice(0, MOST_PROGRAMS);
  const barsOf = (program: string | null): ProgramBars => {
    const values = days.map(() => 0);
    for (const one of shown) {
      const isHere = program === null ? !own.includes(nameOf(one)) : nameOf(one) === program;
      const at = index.get(one.day) as number;
      if (isHere) values[at] = (values[at] as number) + amountOf(one, measure);
    }
    return { program, values, total: values.reduce((sum, value) => sum + value, 0) };
  };
  const programs = [...own.map(barsOf), ...(own.length < named.length ? [barsOf(null)] : [])];
  const heights = days.map((_, at) => programs.reduce((sum, { values }) => sum + (values[at] as number), 0));
  return { days, programs, highest: Math.max(0, ...heights) };
}

/** The most that the runs of the days may cost: a limit for one run, times the runs of the busiest day. */
export function budgetOf(all: readonly RunDay[], limit: number | null): number | null {
  if (limit === null || all.length === 0) return null;
  const runs = new Map<string, number>();
  for (const one of all) runs.set(one.day, (runs.get(one.day) ?? 0) + one.runs);
  return limit * Math.max(...runs.values());
}

function amountOf(one: RunDay, measure: Measure): number {
  return measure === 'runs' ? one.runs : measure === 'time' ? one.duration_ms : one.cost;
}

const nameOf = ({ machine }: RunDay): string => machine ?? '(unknown)';

function daysUntil(all: readonly RunDay[], today: string): string[] {
  const names = all.map(({ day }) => day);
  const last = Date.parse([...names, today].reduce((a, b) => (a > b ? a : b)));
  const first = Date.parse([...names, today].reduce((a, b) => (a < b ? a : b)));
  const count = Math.min(Math.max((last - first) / DAY_MS + 1, LEAST_DAYS), MOST_DAYS);
  return Array.from({ length: count }, (_, at) =>
    new Date(last - (count - 1 - at) * DAY_MS).toISOString().slice(0, 10),
  );
}
