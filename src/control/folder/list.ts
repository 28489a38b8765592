/** Lists the runs of a folder, filtered and in pages. */
import { type ListedRun, listedRun } from '../../runtime/list-runs.js';
import { RunRefused } from '../../runtime/store/run-refused.js';
import type { RunFilter, RunList } from '../runs.js';
import type { RunIndex } from './run-index.js';

/** Throws a `RunRefused` or a `StoreError`. */
export function listFolder(index: RunIndex, filter: RunFilter): RunList {
  const { limit = Number.POSITIVE_INFINITY, after } = filter;
  const isWanted = conditionOf(index, filter);
  const entries = index.read();
  const runs: ListedRun[] = [];
  for (const id of index.newestFirst()) {
    if (after !== undefined && id >= after) continue;
    const run = listedRun(index.directory, id, entries.get(id));
    if (!isWanted(run, entries.get(id)?.error ?? '')) continue;
    if (runs.length >= limit) return { runs, next: runs[runs.length - 1]?.run_id ?? '' };
    runs.push(run);
  }
  return { runs };
}

function conditionOf(index: RunIndex, filter: RunFilter): (run: ListedRun, error: string) => boolean {
  const { status, machine, q = '' } = filter;
  const statuses = status === undefined ? null : new Set(typeof status === 'string' ? [status] : status);
  const since = timeOf('since', filter.since) ?? Number.NEGATIVE_INFINITY;
  const until = timeOf('until', filter.until) ?? Number.POSITIVE_INFINITY;
  const text = q.toLowerCase();
  return (run, error) => {
    if (statuses !== null && !statuses.has(run.status)) return false;
    if (machine !== undefined && run.machine !== machine) return false;
    const started = Date.parse(run.started_at);
    if (started < since || started >= until) return false;
    const { run_id, machine: name, state, branch } = run;
    const known = [run_id, name, state, branch, error];
    return known.some((one) => one?.toLowerCase().includes(text)) || index.inputsOf(run_id).includes(text);
  };
}

function timeOf(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw new RunRefused('wrong-use', `\`${text}\` is not a time for \`${name}\``, 'write it as 2026-01-31T12:00:00Z');
  return time;
}
