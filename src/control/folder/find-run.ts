/** Which run of a folder is meant: by its id, by the beginning of it, or the latest. */
import { latestRun } from '../../runtime/store/latest-run.js';
import { RunRefused } from '../../runtime/store/run-refused.js';
import { requireOwnStore } from '../../runtime/store/store-ownership.js';
import { findRunId } from '../../runtime/store/stored-run.js';

/** The id of the named run, or of the latest one for null. Throws a `RunRefused`. */
export function findRun(directory: string, run: string | null): string {
  if (run !== null) return findRunId(directory, run);
  const latest = latestRun(directory);
  if (latest !== null) return latest;
  throw new RunRefused('unknown', `there are no runs in \`${directory}\``, 'name the store of the runs with `--dir`');
}

/** As `findRun`, before the run is changed: refuses a store that another user may have made. */
export async function findOwnRun(directory: string, run: string | null): Promise<string> {
  const id = findRun(directory, run);
  await requireOwnStore(directory, id);
  return id;
}
