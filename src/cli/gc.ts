/** `statedsl gc`: removes old runs. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Removal, removeOldRuns } from '../runtime/store/remove-runs.js';
import { requireOwnStore } from '../runtime/store/store-ownership.js';
import { drawRemoval } from '../views/removal.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { refusalsAsErrors, type StoreFlags, storeOf } from './stored-runs.js';
import { stderr, stdout } from './streams.js';

interface GcFlags extends StoreFlags {
  readonly keepLast: number;
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export async function gcCommand(flags: GcFlags): Promise<ExitCode> {
  return refusalsAsErrors(async () => {
    const { keepLast, all = false, dryRun = false } = flags;
    const store = storeOf(flags);
    await requireOwnStore(store);
    const unapplied = all ? new Set<string>() : await findUnapplied(store);
    const runs = removeOldRuns(store, { keepLast, all, unapplied, dryRun });
    if (!dryRun) await stopLeftovers(runs);
    const worktrees = await removeTheirWorktrees(store, runs, { unapplied, dryRun });
    const removal = { ...runs, worktrees, dry_run: dryRun };
    if (flags.json) stdout.write(`${JSON.stringify(removal)}\n`);
    else {
      stdout.write(drawRemoval(removal, await stdout.paint()));
      if (!flags.quiet) for (const hint of hintsOn(removal)) stderr.write(`${hint}\n`);
    }
    return EXIT.returned;
  });
}

/** Why older runs were kept, other than because a process is using them. */
function hintsOn({ kept }: Removal): string[] {
  const isWaiting = kept.some(
    ({ status, unapplied, link }) => status !== 'running' && !unapplied && link === undefined,
  );
  const work = kept.filter(({ unapplied }) => unapplied).map(({ run_id }) => run_id);
  const them = work.length === 1 ? `run ${work[0]}` : `${work.length} runs`;
  return [
    ...(isWaiting ? ['runs that can be resumed are kept; use --all to remove them too'] : []),
    ...(work.length > 0
      ? [`the changes of ${them} have not been applied, so they are kept; use --all to remove them too`]
      : []),
    ...kept.flatMap(({ run_id, link }) =>
      link === undefined
        ? []
        : [`run ${run_id} is kept because its \`${link}\` is a symbolic link; remove its folder yourself`],
    ),
  ];
}

/** Stops processes that a killed runner left behind: they would continue for a run that no longer exists. */
async function stopLeftovers({ removed }: Removal): Promise<void> {
  const killed = removed.filter(({ status }) => status === 'killed');
  if (killed.length === 0) return;
  const { stopEffects } = await import('../runtime/process/leftovers.js');
  for (const { run_id } of killed) await stopEffects(run_id, null);
}

async function findUnapplied(store: string): Promise<Set<string>> {
  if (!existsSync(join(store, 'worktrees'))) return new Set();
  return (await import('../runtime/worktree/apply/unapplied.js')).unappliedRuns(store);
}

/**
 * Removes worktrees after their runs. If a process dies in between, the next `gc` removes the rest. Returns the removed
 * worktrees, or those that would be removed.
 */
async function removeTheirWorktrees(
  store: string,
  { removed }: Removal,
  { unapplied, dryRun }: { readonly unapplied: ReadonlySet<string>; readonly dryRun: boolean },
): Promise<readonly { readonly directory: string; readonly branch: string }[]> {
  if (!existsSync(join(store, 'worktrees'))) return [];
  const { abandonedWorktrees, removeAll, worktreesOf } = await import('../runtime/worktree/remove-worktrees.js');
  const gone = new Set(removed.map(({ run_id }) => run_id));
  const isKept = (runId: string): boolean => unapplied.has(runId) || existsSync(join(store, 'runs', runId));
  const leaving = [...worktreesOf(store, gone), ...abandonedWorktrees(store, (id) => gone.has(id) || isKept(id))];
  if (!dryRun) await removeAll(store, leaving);
  return leaving.map(({ root, branch }) => ({ directory: root, branch }));
}
