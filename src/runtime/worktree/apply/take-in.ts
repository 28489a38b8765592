/** Commits the last work of a run, if the run could not, before anything of it is merged or removed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../../store/store-error.js';
import { readRecord, type WorktreeRecord } from '../checkout.js';
import { GitFailure } from '../git/git.js';
import { type Refused, realStore } from '../git/repository.js';
import { snapshot } from '../git/snapshot.js';
import { hasLeftWork } from '../left-work.js';
import { branchCommit, reopenWorktree } from '../worktree.js';

/** Commits what only the worktree of a run has; null if the branch then has everything. */
export async function takeInLeftWork(store: string, runId: string): Promise<Refused | null> {
  const record = readRecord(realStore(store), runId);
  if (record === null || !(await hasLeftWork(record))) return null;
  if (!existsSync(record.commonDir) || !existsSync(join(record.gitDir, 'statedsl-index')))
    return leftWork(runId, record, 'the repository no longer knows this worktree');
  try {
    const opened = await reopenWorktree(store, runId);
    if (opened.kind === 'refused') return opened;
    await snapshot(opened.worktree, { label: 'end of the run', onto: await branchCommit(opened.worktree) });
  } catch (cause) {
    if (!(cause instanceof GitFailure) && !(cause instanceof StoreError)) throw cause;
    return leftWork(runId, record, cause.message);
  }
  return (await hasLeftWork(record)) ? leftWork(runId, record, 'git cannot read all of its files') : null;
}

function leftWork(runId: string, { root }: WorktreeRecord, why: string): Refused {
  const message = `run \`${runId}\` has work that cannot be committed: ${why}`;
  const help = `its worktree \`${root}\` is kept; change or remove the file there, and apply the run again`;
  return { kind: 'refused', refusal: { kind: 'left-work', message, help } };
}
