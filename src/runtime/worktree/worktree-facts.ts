/** What reports say about the worktree of a run, from its files alone. */
import { looseBranch, readRecord, type Worktree } from './checkout.js';
import { realStore } from './git/repository.js';

/** The git worktree of a run. */
export interface WorktreeFacts {
  readonly branch: string;
  /** Its folder, absolute. */
  readonly directory: string;
  /** Whether the branch has commits that its starting commit does not have. */
  readonly changed: boolean;
  /** Why its last changes are only in the folder. */
  readonly problem?: string;
}

export function factsOf(worktree: Omit<Worktree, 'trees'>): WorktreeFacts {
  const { branch, root, base } = worktree;
  return { branch, directory: root, changed: looseBranch(worktree) !== base };
}

/** The facts of the worktree of a run, by the run's id; null if it has none. */
export function worktreeFacts(store: string, runId: string): WorktreeFacts | null {
  const record = readRecord(realStore(store), runId);
  return record === null ? null : factsOf(record);
}
