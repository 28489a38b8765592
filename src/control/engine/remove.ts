/** Removes old runs of an engine that have ended. */

import type { EngineClient } from '../../engine/client.js';
import type { RemovedRuns, RemoveOptions } from '../runs.js';

/** Rejects with an `EngineFailure`. Runs that have not ended are kept, since only canceling ends them. */
export async function removeFromEngine(
  { client, copy }: { readonly client: EngineClient; readonly copy: (run: string) => Promise<string> },
  { keepLast, dryRun = false, archive = false }: RemoveOptions,
): Promise<RemovedRuns> {
  const old = (await client.list(Number.POSITIVE_INFINITY)).slice(keepLast);
  const isOver = (status: string): boolean => status === 'returned' || status === 'failed';
  const removed = old.filter(({ status }) => isOver(status));
  if (!dryRun)
    for (const { run_id } of removed) {
      // A run that cannot be copied stays.
      if (archive) await copy(run_id);
      await client.drop(run_id);
    }
  return {
    removed: removed.map(({ run_id, machine, status }) => ({ run_id, machine, status, bytes: 0 })),
    kept: old
      .filter(({ status }) => !isOver(status))
      .map(({ run_id, machine, status }) => ({ run_id, machine, status })),
    leftovers: [],
    bytes: 0,
    worktrees: [],
    dry_run: dryRun,
  };
}
