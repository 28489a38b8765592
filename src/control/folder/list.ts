/** Lists the runs of a folder, filtered and in pages. */

import { join } from 'node:path';
import { type ListedRun, listedRun } from '../../runtime/list-runs.js';
import { readOwn } from '../../runtime/store/own-file.js';
import type { IndexEntry } from '../../runtime/store/run-header.js';
import { readIndex, runIds } from '../../runtime/store/stored-run.js';
import type { RunFilter, RunList } from '../runs.js';

/** Throws a `StoreError` if the folder cannot be read. */
export function listFolder(directory: string, filter: RunFilter): RunList {
  const { limit = Number.POSITIVE_INFINITY, after } = filter;
  const index = readIndex(directory);
  const runs: ListedRun[] = [];
  for (const id of runIds(directory).reverse()) {
    if (after !== undefined && id >= after) continue;
    const entry = index.get(id);
    const run = listedRun(directory, id, entry);
    if (!isWanted(directory, run, entry, filter)) continue;
    if (runs.length === limit) return { runs, next: runs[runs.length - 1]?.run_id as string };
    runs.push(run);
  }
  return { runs };
}

function isWanted(directory: string, run: ListedRun, entry: IndexEntry | undefined, filter: RunFilter): boolean {
  const { status, machine, since, until, q } = filter;
  const isStatus = status === undefined || (typeof status === 'string' ? [status] : status).includes(run.status);
  if (!isStatus || (machine !== undefined && run.machine !== machine)) return false;
  const started = Date.parse(run.started_at);
  if (since !== undefined && !(started >= Date.parse(since))) return false;
  if (until !== undefined && !(started < Date.parse(until))) return false;
  return q === undefined || q === '' || mentions(directory, run, entry, q.toLowerCase());
}

function mentions(directory: string, run: ListedRun, entry: IndexEntry | undefined, text: string): boolean {
  const known = [run.run_id, run.machine, run.state, run.branch, entry?.error];
  if (known.some((one) => one?.toLowerCase().includes(text))) return true;
  return inputsText(join(directory, 'runs', run.run_id)).includes(text);
}

/** The inputs as JSON in lower case. */
function inputsText(folder: string): string {
  try {
    const { inputs } = JSON.parse(readOwn(join(folder, 'run.json')).toString('utf8')) as { inputs?: object };
    return JSON.stringify(inputs ?? {}).toLowerCase();
  } catch {
    // A run that never began has no inputs.
    return '';
  }
}
