/** What a filter of runs means: for a folder, an engine and the queue of a service alike. */
import { RunRefused } from '../runtime/store/run-refused.js';
import type { RunFilter } from './runs.js';

/** What is known of a run in a list. */
interface FilteredRun {
  readonly run_id: string;
  readonly machine: string | null;
  readonly status: string;
  readonly started_at: string;
  readonly state?: string | null;
  readonly branch?: string;
}

/**
 * Whether a run is wanted, apart from `limit`. `hasText`: whether a text in lower case is in what a list does not show of a
 * run. Throws a `RunRefused` for a wrong time.
 */
export function runCondition(
  filter: Omit<RunFilter, 'limit'>,
): (run: FilteredRun, hasText?: (text: string) => boolean) => boolean {
  const { status, machine, after, q = '' } = filter;
  const statuses = status === undefined ? null : new Set<string>(typeof status === 'string' ? [status] : status);
  const since = timeOf('since', filter.since) ?? Number.NEGATIVE_INFINITY;
  const until = timeOf('until', filter.until) ?? Number.POSITIVE_INFINITY;
  const text = q.toLowerCase();
  return (run, hasText) => {
    if (after !== undefined && run.run_id >= after) return false;
    if (statuses !== null && !statuses.has(run.status)) return false;
    if (machine !== undefined && run.machine !== machine) return false;
    const started = Date.parse(run.started_at);
    if (started < since || started >= until) return false;
    if (text === '') return true;
    const { run_id, machine: name, state, branch } = run;
    return [run_id, name, state, branch].some((one) => one?.toLowerCase().includes(text)) || hasText?.(text) === true;
  };
}

function timeOf(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw new RunRefused('wrong-use', `\`${text}\` is not a time for \`${name}\``, 'write it as 2026-01-31T12:00:00Z');
  return time;
}
