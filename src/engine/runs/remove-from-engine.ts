/** Removes old runs of an engine, with their copies. */
import type { RemovedRuns, RemoveOptions } from '../../app/runs.js';
import { isOver } from '../../interpreter/events/status-after.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { ListedRun } from '../../runtime/list-runs.js';
import { requireCountOfKept } from '../../runtime/store/remove-runs.js';
import { RunRefused, StoreError } from '../../runtime/store/store-error.js';
import { type EngineClient, EngineFailure } from '../client.js';
import { forgetRuns } from '../engine-memo.js';

interface EngineRemoval {
  readonly client: EngineClient;
  readonly copy: (run: string) => Promise<string>;
}

/** Rejects with an `EngineFailure` if there is no list. Runs that have not ended are kept, since only canceling ends them. */
export async function removeFromEngine(
  removal: EngineRemoval,
  { runs, keepLast, dryRun = false, archive = false }: RemoveOptions,
): Promise<RemovedRuns> {
  requireCountOfKept(keepLast);
  const removed: ListedRun[] = [];
  const kept: (ListedRun & { readonly problem?: string })[] = [];
  /** Why the engine cannot be asked any more. */
  let broken: string | null = null;
  for (const run of (await removal.client.list(Number.POSITIVE_INFINITY)).slice(keepLast)) {
    if (runs?.includes(run.run_id) === false) continue;
    if (!isOver(run)) kept.push(run);
    else if (broken !== null) kept.push({ ...run, problem: broken });
    else if (dryRun) removed.push(run);
    else
      try {
        const status = await removeOne(removal, run.run_id, archive);
        if (status === null) removed.push(run);
        else kept.push({ ...run, status });
      } catch (cause) {
        if (!(cause instanceof EngineFailure || cause instanceof RunRefused || cause instanceof StoreError))
          throw cause;
        if (cause instanceof EngineFailure && cause.kind !== 'refused') broken = cause.message;
        kept.push({ ...run, problem: cause.message });
      }
  }
  if (broken === null && !dryRun) await forgetRuns(removal.client, new Set(removed.map(({ run_id }) => run_id)));
  return {
    removed: removed.map(({ run_id, machine, status }) => ({ run_id, machine, status, bytes: 0 })),
    kept: kept.map(({ run_id, machine, status, problem }) => ({
      ...{ run_id, machine, status },
      ...omitUndefined({ problem }),
    })),
    leftovers: [],
    bytes: 0,
    worktrees: [],
    dry_run: dryRun,
  };
}

/** Null: it is not there anymore. Otherwise its status, because it was resumed since it was listed. */
async function removeOne(
  { client, copy }: EngineRemoval,
  id: string,
  archive: boolean,
): Promise<ListedRun['status'] | null> {
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
