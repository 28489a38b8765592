/**
 * The run that a command without a run id means. The index is enough to find it: a run whose process died has no line
 * there, or one that does not say that it ended, so it counts as unfinished.
 */
import { hasBegun, readIndex, runIds, runStatus } from './stored-run.js';

/** The latest run that has not ended, or null. */
export function latestUnfinished(directory: string, fits: (runId: string) => boolean = () => true): string | null {
  const index = readIndex(directory);
  for (const id of runIds(directory).reverse()) {
    const entry = index.get(id);
    const status = runStatus(directory, id, entry);
    const over = status === 'returned' || status === 'running' || entry?.cancelled === true;
    if (!over && hasBegun(directory, id) && fits(id)) return id;
  }
  return null;
}

/** The latest run, or null. */
export function latestRun(directory: string, fits: (runId: string) => boolean = () => true): string | null {
  const ids = runIds(directory).reverse();
  return ids.find((id) => hasBegun(directory, id) && fits(id)) ?? null;
}

/** The latest run that a process is executing, or null. */
export function latestRunning(directory: string): string | null {
  const index = readIndex(directory);
  const isRunning = (id: string): boolean => runStatus(directory, id, index.get(id)) === 'running';
  return runIds(directory).reverse().find(isRunning) ?? null;
}
