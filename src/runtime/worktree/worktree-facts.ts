/** What reports say about the worktree of a run, from its files alone. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readOwn, writeOwn } from '../store/own-file.js';
import { errorCode, storeError } from '../store/store-error.js';
import { looseBranch, pointsBack, readRecord, type Worktree } from './checkout.js';
import { GitFailure } from './git/git.js';
import { realStore } from './git/repository.js';
import { lookAt } from './restore-call.js';

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

/** A file in the repository's directory of the worktree: it lists what gates left at the end, which is not work. */
const END_NOTE = 'statedsl-end';

/** A file in the same directory: the work is stored elsewhere, and removing the worktree has begun. */
const LEAVING_NOTE = 'statedsl-leaving';

type LeftWorktree = Omit<Worktree, 'trees'>;

/** Notes that gates left everything that differs from the branch now, so it may be removed with the worktree. */
export async function noteLeftovers(worktree: LeftWorktree): Promise<void> {
  const { commit, files } = await lookAt(worktree);
  const path = join(worktree.gitDir, END_NOTE);
  try {
    if (files.size === 0) rmSync(path, { force: true });
    else writeOwn(path, `${JSON.stringify({ commit, files: Object.fromEntries(files) })}\n`);
  } catch (cause) {
    throw storeError('write', path, cause);
  }
}

/** Forgets what gates left, because it is in a commit now or work continues. */
export function forgetLeftovers({ gitDir }: LeftWorktree): void {
  rmSync(join(gitDir, END_NOTE), { force: true });
}

/** From now on files that are missing in the worktree do not count as changes. */
export function noteLeaving({ gitDir }: LeftWorktree): void {
  try {
    writeOwn(join(gitDir, LEAVING_NOTE), '');
  } catch {
    // The repository no longer lists the worktree, or was removed.
  }
}

/** Whether removing a worktree has begun, and did not end. */
export function isLeaving(worktree: Pick<LeftWorktree, 'root' | 'gitDir' | 'commonDir'>): boolean {
  return pointsBack(worktree.root, worktree) && existsSync(join(worktree.gitDir, LEAVING_NOTE));
}

/** Whether a worktree holds anything that its branch does not; true if it cannot be examined. */
export async function hasLeftWork(worktree: LeftWorktree): Promise<boolean> {
  const { root, gitDir } = worktree;
  if (!existsSync(root) || readdirSync(root).every((name) => name === '.git')) return false;
  // Without a directory, it is what is left of an interrupted removal.
  if (gitDir === '' || existsSync(join(gitDir, LEAVING_NOTE))) return false;
  // What is in another repository is examined no further.
  if (!pointsBack(root, worktree) || !existsSync(join(gitDir, 'statedsl-index'))) return true;
  try {
    const { files, unseen } = await lookAt(worktree);
    if (unseen) return true;
    if (files.size === 0) return false;
    const known = readNote(gitDir);
    return [...files].some(([name, stamp]) => known[name] !== stamp);
  } catch (cause) {
    if (cause instanceof GitFailure) return true;
    throw cause;
  }
}

function readNote(gitDir: string): Readonly<Record<string, string>> {
  try {
    return (JSON.parse(readFileSync(join(gitDir, END_NOTE), 'utf8')) as { files: Record<string, string> }).files;
  } catch {
    return {};
  }
}
