/** Runs by the day on which they started and by program: how many, how many of them failed, and what they took. */

/** One program on one day. */
export interface RunDay {
  /** `2030-01-31`, in the zone of the reader. */
  readonly day: string;
  readonly machine: string | null;
  readonly runs: number;
  readonly failed: number;
  readonly duration_ms: number;
  /** US dollars, as far as they are known. */
  readonly cost: number;
}

interface DatedRun {
  readonly machine: string | null;
  readonly status: string;
  /** ISO 8601. */
  readonly started_at: string;
  readonly duration_ms: number | null;
  readonly cost: number | null;
}

const HOUR_MS = 3_600_000;

/** Days from old to new, and the programs of each day by name. `zone`: as `Intl` names it. */
export function runDays(runs: readonly DatedRun[], zone: string): RunDay[] {
  const dayOf = dayNames(zone);
  const days = new Map<string, { -readonly [Name in keyof RunDay]: RunDay[Name] }>();
  for (const { machine, status, started_at, duration_ms, cost } of runs) {
    const day = dayOf(Date.parse(started_at));
    const key = `${day} ${machine ?? ''}`;
    const sums = days.get(key) ?? { day, machine, runs: 0, failed: 0, duration_ms: 0, cost: 0 };
    days.set(key, sums);
    sums.runs++;
    if (status === 'failed') sums.failed++;
    sums.duration_ms += duration_ms ?? 0;
    sums.cost += cost ?? 0;
  }
  return [...days].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sums]) => sums);
}

/** Formatting a time is slow, and no zone changes its day within a quarter of an hour. */
function dayNames(zone: string): (timeMs: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const known = new Map<number, string>();
  return (timeMs) => {
    const quarter = Math.floor(timeMs / (HOUR_MS / 4));
    const name = known.get(quarter) ?? format.format(quarter * (HOUR_MS / 4));
    known.set(quarter, name);
    return name;
  };
}

/** Whether there is a time zone with this name. */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
