/**
 * The run that a person means who names none. What the index says is enough: one whose process died has no line there,
 * or an old one, and even when it had come to its end by then, nobody was told.
 */
import { hasBegun, readIndex, runIds, runStatus } from './stored-run.js';

/** The latest run that is not over, or null. */
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

/** The latest run of all, or null. */
export function latestRun(directory: string, fits: (runId: string) => boolean = () => true): string | null {
  const ids = runIds(directory).reverse();
  return ids.find((id) => hasBegun(directory, id) && fits(id)) ?? null;
}

/** The latest run that a process executes now, or null. */
export function latestRunning(directory: string): string | null {
  const index = readIndex(directory);
  const isRunning = (id: string): boolean => runStatus(directory, id, index.get(id)) === 'running';
  return runIds(directory).reverse().find(isRunning) ?? null;
}
