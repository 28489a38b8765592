/** What reports say about the worktree of a run, from its files alone. */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { readOwn, writeOwn } from '../store/own-file.js';
import { errorCode, storeError } from '../store/store-error.js';
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

/** In the folder of a run whose worktree another machine has. */
const FACTS = 'worktree.json';

/** Keeps what another machine said last about the worktree of a run. `path`: the folder of the run. */
export function keepFacts(path: string, facts: WorktreeFacts): void {
  const file = join(path, FACTS);
  try {
    writeOwn(`${file}.new`, Buffer.from(`${JSON.stringify(facts)}\n`), 'w', true);
    renameSync(`${file}.new`, file);
  } catch (cause) {
    throw storeError('write', file, cause);
  }
}

/** What another machine said last; null: nothing. */
export function keptFacts(path: string): WorktreeFacts | null {
  const file = join(path, FACTS);
  try {
    return JSON.parse(readOwn(file).toString('utf8')) as WorktreeFacts;
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT' || cause instanceof SyntaxError) return null;
    throw storeError('read', file, cause);
  }
}
