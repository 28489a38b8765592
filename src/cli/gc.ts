/** `statedsl gc`: removes old runs. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Removal, removeOldRuns } from '../runtime/store/remove-runs.js';
import { drawRemoval } from '../views/removal.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { guarded, type StoreFlags, storeOf } from './kept-runs.js';
import { stderr, stdout } from './streams.js';

export interface GcFlags extends StoreFlags {
  readonly keepLast: number;
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export async function gcCommand(flags: GcFlags): Promise<ExitCode> {
  return guarded(async () => {
    const { keepLast, all = false, dryRun = false } = flags;
    const store = storeOf(flags);
    const removal = { ...removeOldRuns(store, { keepLast, all, dryRun }), dry_run: dryRun };
    if (!dryRun && existsSync(join(store, 'worktrees'))) await removeTheirWorktrees(store, removal);
    if (flags.json) stdout.write(`${JSON.stringify(removal)}\n`);
    else {
      stdout.write(drawRemoval(removal, await stdout.paint()));
      if (!flags.quiet && removal.kept.some(({ status }) => status !== 'running'))
        stderr.write('runs that can be resumed are kept; --all removes them too\n');
    }
    return EXIT.returned;
  });
}

/** Worktrees go after their runs: what a process that dies in between leaves is swept up the next time. */
async function removeTheirWorktrees(store: string, { removed }: Removal): Promise<void> {
  const { removeWorktrees, sweepWorktrees } = await import('../runtime/worktree/remove-worktrees.js');
  for (const { run_id } of removed) await removeWorktrees(store, run_id);
  await sweepWorktrees(store, (runId) => existsSync(join(store, 'runs', runId)));
}
