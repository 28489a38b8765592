/** Lists the runs of a folder, filtered and in pages. */
import { type ListedRun, listedRun } from '../../runtime/list-runs.js';
import { runCondition } from '../run-filter.js';
import type { RunFilter, RunList } from '../runs.js';
import type { RunIndex } from './run-index.js';

/** Throws a `RunRefused` or a `StoreError`. */
export function listFolder(index: RunIndex, filter: RunFilter): RunList {
  const { limit = Number.POSITIVE_INFINITY, after } = filter;
  const isWanted = runCondition(filter);
  const entries = index.read();
  const runs: ListedRun[] = [];
  for (const id of index.newestFirst()) {
    if (after !== undefined && id >= after) continue;
    const run = listedRun(index.directory, id, entries.get(id));
    const error = entries.get(id)?.error ?? '';
    if (!isWanted(run, (text) => error.toLowerCase().includes(text) || index.inputsOf(id).includes(text))) continue;
    if (runs.length >= limit) return { runs, next: runs[runs.length - 1]?.run_id ?? '' };
    runs.push(run);
  }
  return { runs };
}
