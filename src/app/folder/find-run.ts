/**
 * Which run of a folder is meant, by its id, the beginning of it, or as the latest; and what is known of it without its
 * record.
 */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { RunRefused } from '../../runtime/store/store-error.js';
import { requireOwnStore } from '../../runtime/store/store-ownership.js';
import { findRunId, latestRun, openFoundRun } from '../../runtime/store/stored-run.js';
import { programOf } from '../project/stored-program.js';
import type { FoundRun } from '../runs.js';

/** The id of the named run, or of the latest one for null. Throws a `RunRefused`. */
export function findRun(directory: string, run: string | null): string {
  if (run !== null) return findRunId(directory, run);
  const latest = latestRun(directory);
  if (latest !== null) return latest;
  throw new RunRefused(
    'unknown',
    `there are no runs in \`${directory}\``,
    'name the store of the runs with `--dir`; `statedsl run FILE` starts one here',
  );
}

/** As `findRun`, before the run is changed: refuses a store that another user may have made. */
export async function findOwnRun(directory: string, run: string | null): Promise<string> {
  const id = findRun(directory, run);
  await requireOwnStore(directory, id);
  return id;
}

/** What is known of a run without its record. Throws a `RunRefused`. */
export function describeRun(directory: string, run: string | null): FoundRun {
  const stored = openFoundRun(directory, findRun(directory, run));
  const { run_id, machine, settings } = stored.about;
  const { engine: on, engine_namespace: namespace } = settings;
  const engine =
    typeof on === 'string'
      ? { on, ...omitUndefined({ namespace: typeof namespace === 'string' ? namespace : undefined }) }
      : undefined;
  return { run_id, machine, program: programOf(stored), ...omitUndefined({ engine }) };
}
