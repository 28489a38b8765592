/** Lists the runs of a folder, filtered and in pages. */
import { dirname } from 'node:path';
import { type ListedRun, listedRun } from '../../runtime/list-runs.js';
import { RunRefused } from '../../runtime/store/store-error.js';
import { hasBegun, openFoundRun } from '../../runtime/store/stored-run.js';
import { programOf } from '../project/stored-program.js';
import { hasInput, runCondition } from '../run-filter.js';
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
    if (!isFrom(index.directory, id, filter)) continue;
    const run = listedRun(index.directory, id, entries.get(id));
    const error = entries.get(id)?.error ?? '';
    const hidden = {
      hasText: (text: string) => error.toLowerCase().includes(text) || index.inputsOf(id).text.includes(text),
      hasInput: (input: string) => hasInput(index.inputsOf(id).each, input),
    };
    if (!isWanted(run, hidden)) continue;
    if (runs.length >= limit) return { runs, next: runs[runs.length - 1]?.run_id ?? '' };
    runs.push(run);
  }
  return { runs };
}

/** Whether the run began in the folder, and with the program, of a filter. */
function isFrom(directory: string, id: string, { program, begunIn }: RunFilter): boolean {
  if (program === undefined && begunIn === undefined) return true;
  if (!hasBegun(directory, id)) return false;
  // A store has runs of its own folder only.
  if (program === undefined && dirname(directory) === begunIn) return true;
  try {
    const stored = openFoundRun(directory, id);
    const { cwd, settings } = stored.about;
    const isHere = begunIn === undefined || cwd === begunIn || settings.here === begunIn;
    return isHere && (program === undefined || programOf(stored) === program);
  } catch (cause) {
    // An unreadable run is skipped.
    if (cause instanceof RunRefused) return false;
    throw cause;
  }
}
