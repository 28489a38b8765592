/**
 * A worktree with its own branch, and its record in the store. The record is written last and read first: a worktree
 * without one was never finished and is made again, so making one can be repeated after any interruption.
 *
 * Every operation uses a private index. A program in the worktree can make git overlook files in the ordinary index, and
 * may leave it locked or in the middle of a merge.
 */
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { entryAt, isOwnFolder, makeFolder, readOwn, writeOwn } from '../store/own-file.js';
import { errorCode, storeError } from '../store/store-error.js';
import { type GitTarget, git, wordOf } from './git/git.js';

export interface Worktree {
  readonly root: string;
  /** The working directory of commands: it corresponds to the folder in which the run was started. */
  readonly cwd: string;
  readonly branch: string;
  /** The commit from which it was created. */
  readonly base: string;
  /** Its own directory in the repository, and the directory that all worktrees share. */
  readonly gitDir: string;
  readonly commonDir: string;
  /** Trees of commits that git has already reported. */
  readonly trees: Map<string, string>;
}

/** The stored record of a worktree. */
export type WorktreeRecord = Omit<Worktree, 'trees'> & { readonly tree: string };

interface CheckoutSpec {
  readonly store: string;
  readonly name: string;
  readonly commonDir: string;
  readonly prefix: string;
  readonly base: string;
  readonly tree: string;
}

const LEFT_BY_MERGES = [
  'MERGE_HEAD',
  'MERGE_MSG',
  'MERGE_MODE',
  'AUTO_MERGE',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'REBASE_HEAD',
  'BISECT_LOG',
  'rebase-merge',
  'rebase-apply',
  'sequencer',
];

/** Worktrees are added one at a time: otherwise git reads what another call has half written. */
const TRIES = 5;
const PAUSE_MS = 40;

/** The branch of a worktree. */
export function branchOf(name: string): string {
  return `statedsl/${name}`;
}

export function worktreesFolder(store: string): string {
  return join(store, 'worktrees');
}

function recordPath(store: string, name: string): string {
  return join(worktreesFolder(store), `${name}.json`);
}

/** The record of a worktree; null if none was finished. */
export function readRecord(store: string, name: string): WorktreeRecord | null {
  try {
    return JSON.parse(readOwn(recordPath(store, name)).toString('utf8')) as WorktreeRecord;
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT' || cause instanceof SyntaxError) return null;
    throw storeError('read', recordPath(store, name), cause);
  }
}

/**
 * Whether a repository says that a worktree is its own. A record alone does not: in a store that came in an archive it names
 * whatever its author wants.
 */
export function pointsBack(root: string, { gitDir, commonDir }: Pick<WorktreeRecord, 'gitDir' | 'commonDir'>): boolean {
  try {
    if (!isOwnFolder(gitDir) || dirname(gitDir) !== join(commonDir, 'worktrees')) return false;
    return readOwn(join(gitDir, 'gitdir')).toString('utf8').replace(/\n$/, '') === join(root, '.git');
  } catch {
    return false;
  }
}

export function worktreeOf({ tree, ...record }: WorktreeRecord): Worktree {
  return { ...record, trees: new Map([[record.base, tree]]) };
}

/** How git is called for a worktree: it never searches for the repository, and uses the private index. */
export function gitTargetOf({ root, gitDir }: Pick<Worktree, 'root' | 'gitDir'>): GitTarget {
  return { cwd: root, gitDir, workTree: root, index: join(gitDir, 'statedsl-index'), mark: root };
}

/** Makes the worktree and its branch at a commit, whatever an interrupted attempt left behind. */
export async function createCheckout(spec: CheckoutSpec): Promise<Worktree> {
  const { store, name, commonDir, prefix, base, tree } = spec;
  const root = join(worktreesFolder(store), name);
  makeWorktreesFolder(store);
  const gitDir = await addWorktree(root, name, commonDir, base);
  const record = { root, cwd: join(root, prefix), branch: branchOf(name), base, gitDir, commonDir, tree };
  const worktree = worktreeOf(record);
  await fillWorktree(worktree, base);
  const path = recordPath(store, name);
  try {
    writeOwn(`${path}.new`, `${JSON.stringify(record, null, 2)}\n`);
    renameSync(`${path}.new`, path);
  } catch (cause) {
    throw storeError('write', path, cause);
  }
  return worktree;
}

/** Makes git ignore the folder, so that the user's `git status` shows nothing new, wherever the store is. */
function makeWorktreesFolder(store: string): void {
  const folder = worktreesFolder(store);
  try {
    makeFolder(folder, 0o700);
    const ignore = join(folder, '.gitignore');
    if (entryAt(ignore) === null) writeOwn(ignore, '*\n');
  } catch (cause) {
    throw storeError('create the directory', folder, cause);
  }
}

/** Registers an empty worktree. Returns its directory in the repository. */
async function addWorktree(root: string, name: string, commonDir: string, base: string): Promise<string> {
  for (let turn = 1; ; turn++) {
    removeFiles(root, commonDir, name);
    try {
      const add = ['worktree', 'add', '--quiet', '--no-checkout', '-B', branchOf(name), '--', root, base];
      await git({ cwd: commonDir, gitDir: commonDir, mark: root }, add);
      return readLink(root);
    } catch (cause) {
      if (turn === TRIES) throw cause;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * turn));
    }
  }
}

/** Resets files and index to a commit from any state. Files that git ignores stay. */
export async function fillWorktree(worktree: Worktree, commit: string): Promise<void> {
  await git(gitTargetOf(worktree), ['read-tree', '--reset', '-u', commit]);
  shareIndex(worktree);
  mkdirSync(worktree.cwd, { recursive: true });
}

/** The directory that the `.git` file of a worktree names. */
function readLink(root: string): string {
  return readFileSync(join(root, '.git'), 'utf8')
    .replace(/^gitdir: /, '')
    .replace(/\n$/, '');
}

/**
 * Removes a worktree and its directory in the repository, which is all that `git worktree remove` does. Unlike git, this
 * also removes an incomplete worktree and its locks. The branch stays.
 */
export function removeFiles(root: string, commonDir: string, name: string): void {
  const patient = { recursive: true, force: true, maxRetries: 5, retryDelay: 50 } as const;
  rmSync(root, patient);
  for (const gitDir of directoriesOf(root, commonDir)) rmSync(gitDir, patient);
  removeBranchLock(commonDir, branchOf(name));
  try {
    // As git does: without worktrees the repository looks as it did before the first one.
    if (readdirSync(join(commonDir, 'worktrees')).length === 0)
      rmSync(join(commonDir, 'worktrees'), { recursive: true });
  } catch {
    // There were none.
  }
}

/** The directories in the repository that claim this worktree: one, or more after interrupted attempts. */
function directoriesOf(root: string, commonDir: string): string[] {
  const folder = join(commonDir, 'worktrees');
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  const own = basename(root);
  return names
    .filter((name) => name.startsWith(own) && /^\d*$/.test(name.slice(own.length)))
    .map((name) => join(folder, name))
    .filter((gitDir) => {
      const claimed = textOf(join(gitDir, 'gitdir'));
      // A directory that does not name its worktree yet is an interrupted one of ours: only we use such names.
      return claimed === null || claimed === '' || claimed.trimEnd() === join(root, '.git');
    });
}

/** Removes what a killed process or a program in the worktree left behind, and restores what it removed. */
export async function tidyWorktree(worktree: Worktree): Promise<void> {
  const { root, gitDir, branch } = worktree;
  for (const name of ['index.lock', 'HEAD.lock', ...LEFT_BY_MERGES])
    rmSync(join(gitDir, name), { recursive: true, force: true });
  const link = join(root, '.git');
  const wanted = `gitdir: ${gitDir}\n`;
  mkdirSync(root, { recursive: true });
  if (textOf(link) !== wanted) {
    rmSync(link, { recursive: true, force: true });
    writeOwn(link, wanted);
  }
  if (textOf(join(gitDir, 'HEAD')) !== `ref: refs/heads/${branch}\n`)
    await git(gitTargetOf(worktree), ['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
}

/** Removes locks of our own calls. Only a process that died can have left them. */
export function removeLocks({ gitDir, commonDir, branch }: Worktree): void {
  rmSync(join(gitDir, 'statedsl-index.lock'), { force: true });
  removeBranchLock(commonDir, branch);
}

/** Only a process that died can have left the lock of our branch. */
export function removeBranchLock(commonDir: string, branch: string): void {
  rmSync(join(commonDir, 'refs', 'heads', `${branch}.lock`), { force: true });
}

/**
 * Copies the private index to the ordinary index of the worktree. Keeps the time of the file, or sets it slightly
 * earlier: git assumes without reading them that files older than the index are unchanged.
 */
export function shareIndex(worktree: Worktree): void {
  const { index } = gitTargetOf(worktree) as { index: string };
  const shared = join(worktree.gitDir, 'index');
  const fresh = `${shared}.statedsl`;
  const { mtimeMs } = statSync(index);
  copyFileSync(index, fresh);
  utimesSync(fresh, Math.floor(mtimeMs / 1000), Math.floor(mtimeMs / 1000));
  renameSync(fresh, shared);
}

/** Moves the branch to a commit, from wherever it was. */
export async function moveBranch(worktree: Worktree, commit: string, why: string): Promise<void> {
  if (looseBranch(worktree) === commit) return;
  const update = ['update-ref', '--create-reflog', '-m', `statedsl: ${why}`, `refs/heads/${worktree.branch}`, commit];
  await git(gitTargetOf(worktree), update);
}

/** The commit of a branch, if the branch has its own file. Git can also store it in other ways. */
export function looseBranch({ commonDir, branch }: Pick<Worktree, 'commonDir' | 'branch'>): string | null {
  return textOf(join(commonDir, 'refs', 'heads', branch))?.trim() ?? null;
}

/** The tree of a commit. Git is asked once for each commit. */
export async function treeOf(worktree: Worktree, commit: string): Promise<string> {
  const known = worktree.trees.get(commit);
  if (known !== undefined) return known;
  const tree = wordOf(await git(gitTargetOf(worktree), ['rev-parse', '--verify', `${commit}^{tree}`]));
  worktree.trees.set(commit, tree);
  return tree;
}

function textOf(path: string): string | null {
  try {
    return lstatSync(path).isFile() ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}
