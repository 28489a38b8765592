/**
 * What a filter of runs means, for a folder, an engine and the queue of a service alike; and how many runs each day
 * had.
 */
import { printJson, readJson } from '../interpreter/values/json.js';
import type { Json } from '../machine/expression.js';
import { RunRefused } from '../runtime/store/store-error.js';
import type { RunFilter } from './runs.js';

/** What is known of a run in a list. */
interface FilteredRun {
  readonly run_id: string;
  readonly machine: string | null;
  readonly status: string;
  readonly started_at: string;
  readonly state?: string | null;
  readonly branch?: string;
  readonly key?: string;
  readonly title?: string | null;
  readonly replay_of?: string;
  readonly cost?: number | null;
  readonly duration_ms?: number | null;
}

/** What a list does not show of a run, and a filter may ask for. */
interface HiddenFacts {
  /** Whether a text in lower case is in it. */
  readonly hasText?: (text: string) => boolean;
  /** Whether the run has this input, as `name=value`, or has one with the name. */
  readonly hasInput?: (input: string) => boolean;
}

/** Whether a run is wanted, apart from `limit`. Throws a `RunRefused` for a wrong time. */
export function runCondition(filter: Omit<RunFilter, 'limit'>): (run: FilteredRun, hidden?: HiddenFacts) => boolean {
  const { status, machine, after, key, q = '', minCost, minTimeMs, input } = filter;
  const statuses = status === undefined ? null : new Set<string>(typeof status === 'string' ? [status] : status);
  const since = timeOf('since', filter.since) ?? Number.NEGATIVE_INFINITY;
  const until = timeOf('until', filter.until) ?? Number.POSITIVE_INFINITY;
  const text = q.toLowerCase();
  return (run, { hasText, hasInput } = {}) => {
    if (after !== undefined && run.run_id >= after) return false;
    if (statuses !== null && !statuses.has(run.status)) return false;
    if (machine !== undefined && run.machine !== machine) return false;
    if (key !== undefined && run.key !== key) return false;
    const started = Date.parse(run.started_at);
    if (started < since || started >= until) return false;
    if (minCost !== undefined && (run.cost ?? 0) < minCost) return false;
    if (minTimeMs !== undefined && (run.duration_ms ?? 0) < minTimeMs) return false;
    if (input !== undefined && hasInput?.(input) !== true) return false;
    if (text === '') return true;
    const { run_id, machine: name, state, branch, key: shared, title, replay_of: copied } = run;
    return (
      [run_id, name, title, state, branch, shared, copied].some((one) => one?.toLowerCase().includes(text)) ||
      hasText?.(text) === true
    );
  };
}

/** An input as a person writes it, in lower case. */
export interface SearchedInput {
  readonly name: string;
  readonly value: string;
}

/** `printed`: the JSON text of those with numbers that JavaScript would print differently. */
export function searchedInputs(
  inputs: Readonly<Record<string, Json>>,
  printed: Readonly<Record<string, string>> = {},
): SearchedInput[] {
  return Object.entries(inputs).map(([name, value]) => ({
    name: name.toLowerCase(),
    value: (printed[name] ?? (typeof value === 'string' ? value : printJson(value))).toLowerCase(),
  }));
}

/** `wanted`: `name=value`, or only a name. Lists and objects may have spaces that their JSON does not need, and a text quotes. */
export function hasInput(inputs: readonly SearchedInput[], wanted: string): boolean {
  const [name = '', ...rest] = wanted.toLowerCase().split('=');
  const named = inputs.filter((one) => one.name === name.trim());
  if (rest.length === 0) return named.length > 0;
  const value = rest.join('=').trim();
  const read = /^["[{]/.test(value) ? readJson(value) : null;
  const printed = read?.ok !== true ? value : typeof read.value === 'string' ? read.value : printJson(read.value);
  return named.some((one) => one.value === value || one.value === printed);
}

function timeOf(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw new RunRefused('wrong-use', `\`${text}\` is not a time for \`${name}\``, 'write it as 2026-01-31T12:00:00Z');
  return time;
}

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
