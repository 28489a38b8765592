/** Lists the runs of a folder, filtered and in pages. */
import { dirname } from 'node:path';
import { type ListedRun, listedRun } from '../../runtime/list-runs.js';
import { RunRefused } from '../../runtime/store/store-error.js';
import { hasBegun, openFoundRun } from '../../runtime/store/stored-run.js';
import { programOf } from '../project/stored-program.js';
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
    if (!isFrom(index.directory, id, filter)) continue;
    const run = listedRun(index.directory, id, entries.get(id));
    const error = entries.get(id)?.error ?? '';
    const hidden = {
      hasText: (text: string) => error.toLowerCase().includes(text) || index.inputsOf(id).includes(text),
      hasInput: (input: string) => hasInput(index.inputsOf(id), input),
    };
    if (!isWanted(run, hidden)) continue;
    if (runs.length >= limit) return { runs, next: runs[runs.length - 1]?.run_id ?? '' };
    runs.push(run);
  }
  return { runs };
}

/** `inputs`: their JSON in lower case. */
function hasInput(inputs: string, wanted: string): boolean {
  const [name = '', ...rest] = wanted.toLowerCase().split('=');
  const key = `${JSON.stringify(name.trim())}:`;
  if (rest.length === 0) return inputs.includes(key);
  const value = rest.join('=').trim();
  const isOther = /^["[{]/.test(value);
  return (
    inputs.includes(`${key}${value}`) || (!isOther && inputs.includes(`${key}${JSON.stringify(value).slice(0, -1)}`))
  );
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
