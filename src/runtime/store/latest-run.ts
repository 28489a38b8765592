/** The run that a command without a run id means: the latest one that has begun. */
import { hasBegun, runIds } from './stored-run.js';

/** Null: there is none. */
export function latestRun(directory: string, fits: (runId: string) => boolean = () => true): string | null {
  const ids = runIds(directory).reverse();
  return ids.find((id) => hasBegun(directory, id) && fits(id)) ?? null;
}
