/**
 * The run that a person means who names none. What the index says is enough for nearly all runs; one whose process died
 * has no line there, or an old one, and the end of its journal is looked at.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listedRun } from './list-runs.js';
import { readIndex, runIds } from './stored-run.js';

/** The latest run that is not over, or null. */
export function latestUnfinished(directory: string, fits: (runId: string) => boolean = () => true): string | null {
  const index = readIndex(directory);
  for (const id of runIds(directory).reverse()) {
    const { status, cancelled } = listedRun(directory, id, index.get(id));
    const over = status === 'returned' || status === 'running' || cancelled === true;
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
