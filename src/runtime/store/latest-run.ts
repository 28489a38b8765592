/**
 * The run that a person means who names none. What the index says is enough: one whose process died has no line there,
 * or an old one, and even when it had come to its end by then, nobody was told.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readIndex, runIds, runStatus } from './stored-run.js';

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

/** `run.json` is written last: a folder without it is what is left of a process that died before its run began. */
function hasBegun(directory: string, id: string): boolean {
  return existsSync(join(directory, 'runs', id, 'run.json'));
}
