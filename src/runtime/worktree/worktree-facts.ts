/** What reports say about the worktree of a run, from its files alone. */
import { looseBranch, readRecord, type Worktree } from './checkout.js';
import { realStore } from './git/repository.js';

/** The git worktree of a run. */
export interface WorktreeFacts {
  readonly branch: string;
  /** Its folder, absolute. */
  readonly directory: string;
  /** The branch holds something that the commit it began at does not. */
  readonly changed: boolean;
  /** Why the last of what it did is in the folder only. */
  readonly problem?: string;
}

export function factsOf(worktree: Omit<Worktree, 'trees'>): WorktreeFacts {
  const { branch, root, base } = worktree;
  return { branch, directory: root, changed: looseBranch(worktree) !== base };
}

/** Those of a run by its id; null when it has none, or not any more. */
export function worktreeFacts(store: string, runId: string): WorktreeFacts | null {
  const record = readRecord(realStore(store), runId);
  return record === null ? null : factsOf(record);
}
