/** Removes old runs of a folder, with their worktrees and the processes that they left behind. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Removal, removeOldRuns } from '../../runtime/store/remove-runs.js';
import { requireOwnStore } from '../../runtime/store/store-ownership.js';
import type { RemovedRuns, RemoveOptions } from '../runs.js';

/** Rejects with a `RunRefused` or a `StoreError`. */
export async function removeRuns(directory: string, options: RemoveOptions): Promise<RemovedRuns> {
  const { runs: only, keepLast, all = false, dryRun = false } = options;
  await requireOwnStore(directory);
  const unapplied = all ? new Set<string>() : await findUnapplied(directory);
  const runs = removeOldRuns(directory, { runs: only, keepLast, all, unapplied, dryRun });
  if (!dryRun) await stopLeftovers(runs);
  const gone = new Set(runs.removed.map(({ run_id }) => run_id));
  const worktrees = await removeTheirWorktrees(directory, gone, { unapplied, dryRun });
  const isGone = (run: string): boolean => gone.has(run) || !existsSync(join(directory, 'runs', run));
  const memo = await forgetOutcomesOf(directory, isGone, dryRun);
  const trials = await forgetTrialsOf(directory, isGone, dryRun);
  if (!dryRun && existsSync(join(directory, 'keys')))
    (await import('../../runtime/store/run-keys.js')).forgetFreeKeys(directory);
  const forgotten = { ...(memo === 0 ? {} : { memo }), ...(trials === 0 ? {} : { trials }) };
  return { ...runs, ...worktrees, ...forgotten, dry_run: dryRun };
}

/** Removes the trials of which no run is left, with what they have spent. */
async function forgetTrialsOf(directory: string, isGone: (run: string) => boolean, dryRun: boolean): Promise<number> {
  if (!existsSync(join(directory, 'trials'))) return 0;
  const { forgetTrials } = await import('../../runtime/store/kept-trials.js');
  const gone = forgetTrials(directory, isGone, dryRun);
  if (gone.length > 0 && !dryRun) {
    const { spendingsIn, trialAccount } = await import('../../runtime/agents/daily-budget.js');
    for (const id of gone) spendingsIn(directory).clear(trialAccount(id));
  }
  return gone.length;
}

/** Removes the outcomes that removed runs remembered. */
async function forgetOutcomesOf(directory: string, isGone: (run: string) => boolean, dryRun: boolean): Promise<number> {
  if (!existsSync(join(directory, 'memo'))) return 0;
  return (await import('../../runtime/memo.js')).forgetRuns(directory, isGone, dryRun);
}

/** Stops processes that a killed runner left behind: they would continue for a run that no longer exists. */
async function stopLeftovers({ removed }: Removal): Promise<void> {
  const killed = removed.filter(({ status }) => status === 'killed');
  if (killed.length === 0) return;
  const { stopEffects } = await import('../../runtime/process/leftovers.js');
  for (const { run_id } of killed) await stopEffects(run_id, null);
}

async function findUnapplied(directory: string): Promise<Set<string>> {
  if (!existsSync(join(directory, 'worktrees'))) return new Set();
  return (await import('../../runtime/worktree/apply/unapplied.js')).unappliedRuns(directory);
}

/**
 * Removes the worktrees of runs that are gone. If a process dies in between, the next removal removes the rest. Returns the removed
 * worktrees, or those that would be removed.
 */
async function removeTheirWorktrees(
  directory: string,
  gone: ReadonlySet<string>,
  { unapplied, dryRun }: { readonly unapplied: ReadonlySet<string>; readonly dryRun: boolean },
): Promise<Pick<RemovedRuns, 'worktrees' | 'left'>> {
  if (!existsSync(join(directory, 'worktrees'))) return { worktrees: [] };
  const { abandonedWorktrees, removeAll, worktreesOf } = await import('../../runtime/worktree/remove-worktrees.js');
  const isKept = (runId: string): boolean => unapplied.has(runId) || existsSync(join(directory, 'runs', runId));
  const all = [...worktreesOf(directory, gone), ...abandonedWorktrees(directory, (id) => gone.has(id) || isKept(id))];
  // What an earlier removal could not remove may belong to a run that is removed now.
  const leaving = [...new Map(all.map((one) => [one.root, one])).values()];
  const left = dryRun ? [] : await removeAll(directory, leaving);
  const worktrees = leaving
    .filter(({ root }) => !left.some((one) => one.directory === root))
    .map(({ root, branch, commonDir }) => ({ directory: root, branch: commonDir === null ? null : branch }));
  return left.length === 0 ? { worktrees } : { worktrees, left };
}
