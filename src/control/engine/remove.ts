/** Removes old runs of an engine that have ended. */
import { type EngineClient, EngineFailure } from '../../engine/client.js';
import type { ListedRun } from '../../runtime/list-runs.js';
import type { RemovedRuns, RemoveOptions } from '../runs.js';

interface Removal {
  readonly client: EngineClient;
  readonly copy: (run: string) => Promise<string>;
}

/**
 * Rejects with an `EngineFailure`, or with why a run cannot be copied, which then stays. Runs that have not ended are kept,
 * since only canceling ends them.
 */
export async function removeFromEngine(
  removal: Removal,
  { keepLast, dryRun = false, archive = false }: RemoveOptions,
): Promise<RemovedRuns> {
  const removed: ListedRun[] = [];
  const kept: ListedRun[] = [];
  for (const run of (await removal.client.list(Number.POSITIVE_INFINITY)).slice(keepLast)) {
    const status = !isOver(run) ? run.status : dryRun ? null : await removeOne(removal, run.run_id, archive);
    if (status === null) removed.push(run);
    else kept.push({ ...run, status });
  }
  return {
    removed: removed.map(({ run_id, machine, status }) => ({ run_id, machine, status, bytes: 0 })),
    kept: kept.map(({ run_id, machine, status }) => ({ run_id, machine, status })),
    leftovers: [],
    bytes: 0,
    worktrees: [],
    dry_run: dryRun,
  };
}

/** Null: it is not there anymore. Otherwise its status, because it was resumed since it was listed. */
async function removeOne({ client, copy }: Removal, id: string, archive: boolean): Promise<ListedRun['status'] | null> {
  const state = await client.status(id);
  if (state === null) return null;
  if (!isOver(state)) return state.status;
  if (archive) await copy(id);
  try {
    // What came after the copy began is not lost.
    await client.drop(id, state.seq);
    return null;
  } catch (cause) {
    if (!(cause instanceof EngineFailure) || cause.status !== 409) throw cause;
    return (await client.status(id))?.status ?? null;
  }
}

function isOver({ status }: { readonly status: string }): boolean {
  return status === 'returned' || status === 'failed';
}
