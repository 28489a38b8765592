/**
 * A worktree with a branch of its own, and the record of it in the store. The record is written last and read first:
 * what has none was never finished and is made anew, so making one can be repeated however it was cut short.
 *
 * Everything is done with an index of our own. What works in the worktree can tell git to overlook files in the index
 * that everybody uses, and may leave it locked or in the middle of a merge.
 */
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { makeFolder } from '../store/make-folder.js';
import { readOwn } from '../store/own-file.js';
import { errorCode, storeError } from '../store/store-error.js';
import { type GitTarget, git, wordOf } from './git/git.js';

export interface Worktree {
  readonly root: string;
  /** Where commands run: the folder that corresponds to where the run was started. */
  readonly cwd: string;
  readonly branch: string;
  /** The commit it began at. */
  readonly base: string;
  /** Its own directory in the repository, and the one that all worktrees share. */
  readonly gitDir: string;
  readonly commonDir: string;
  /** Trees of commits that are known already, which saves asking for them. */
  readonly trees: Map<string, string>;
}

/** What is on disk of a worktree. */
export type WorktreeRecord = Omit<Worktree, 'trees'> & { readonly tree: string };

export interface CheckoutSpec {
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

/** Adding several worktrees at once makes git read what another one has half written. */
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

/** The record of a worktree, or null when there is none that was finished. */
export function readRecord(store: string, name: string): WorktreeRecord | null {
  try {
    return JSON.parse(readOwn(recordPath(store, name)).toString('utf8')) as WorktreeRecord;
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT' || cause instanceof SyntaxError) return null;
    throw storeError('read', recordPath(store, name), cause);
  }
}

export function worktreeOf({ tree, ...record }: WorktreeRecord): Worktree {
  return { ...record, trees: new Map([[record.base, tree]]) };
}

/** How git is called about a worktree: never by searching, always with our own index. */
export function gitTargetOf({ root, gitDir }: Pick<Worktree, 'root' | 'gitDir'>): GitTarget {
  return { cwd: root, gitDir, workTree: root, index: join(gitDir, 'statedsl-index'), mark: root };
}

/** Makes the worktree and its branch at a commit, whatever an earlier try left behind. */
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
    writeFileSync(`${path}.new`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch (cause) {
    throw storeError('write', path, cause);
  }
  return worktree;
}

/** The folder hides itself, so that the user's `git status` shows nothing new wherever the store is. */
function makeWorktreesFolder(store: string): void {
  const folder = worktreesFolder(store);
  try {
    makeFolder(folder, 0o700);
    const ignore = join(folder, '.gitignore');
    if (!existsSync(ignore)) writeFileSync(ignore, '*\n');
  } catch (cause) {
    throw storeError('create the directory', folder, cause);
  }
}

/** Registers an empty worktree; gives its directory in the repository. */
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

/** Puts files and index at a commit, whatever state they are in; files that git ignores stay. */
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
 * Removes a worktree and its directory in the repository, which is all that `git worktree remove` does. By hand it works
 * for half of one too. Locks go with it; the branch stays.
 */
export function removeFiles(root: string, commonDir: string, name: string): void {
  const patient = { recursive: true, force: true, maxRetries: 5, retryDelay: 50 } as const;
  rmSync(root, patient);
  for (const gitDir of directoriesOf(root, commonDir)) rmSync(gitDir, patient);
  rmSync(join(commonDir, 'refs', 'heads', `${branchOf(name)}.lock`), { force: true });
  try {
    // As git does: without worktrees the repository looks as it did before the first.
    if (readdirSync(join(commonDir, 'worktrees')).length === 0)
      rmSync(join(commonDir, 'worktrees'), { recursive: true });
  } catch {
    // There were none.
  }
}

/** Directories in the repository that claim this worktree: one, or more after tries that were cut short. */
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
      // One that does not say yet what it claims is the beginning of ours: nobody else gives such names.
      return claimed === null || claimed === '' || claimed.trimEnd() === join(root, '.git');
    });
}

/** Takes away what a killed process or whatever works in the worktree left, and puts back what it took away. */
export async function tidyWorktree(worktree: Worktree): Promise<void> {
  const { root, gitDir, branch } = worktree;
  for (const name of ['index.lock', 'HEAD.lock', ...LEFT_BY_MERGES])
    rmSync(join(gitDir, name), { recursive: true, force: true });
  const link = join(root, '.git');
  const wanted = `gitdir: ${gitDir}\n`;
  mkdirSync(root, { recursive: true });
  if (textOf(link) !== wanted) {
    rmSync(link, { recursive: true, force: true });
    writeFileSync(link, wanted);
  }
  if (textOf(join(gitDir, 'HEAD')) !== `ref: refs/heads/${branch}\n`)
    await git(gitTargetOf(worktree), ['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
}

/** Locks of our own calls; only a process that died can have left them, because nobody else takes them. */
export function removeLocks({ gitDir, commonDir, branch }: Worktree): void {
  rmSync(join(gitDir, 'statedsl-index.lock'), { force: true });
  rmSync(join(commonDir, 'refs', 'heads', `${branch}.lock`), { force: true });
}

/**
 * Makes our index the one that everybody uses in the worktree. The time of the file is kept, or a bit earlier: git takes
 * files that are older than the index for unchanged without reading them.
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

/** Moves the branch to a commit; it does not matter where it was. */
export async function moveBranch(worktree: Worktree, commit: string, why: string): Promise<void> {
  if (looseBranch(worktree) === commit) return;
  const update = ['update-ref', '--create-reflog', '-m', `statedsl: ${why}`, `refs/heads/${worktree.branch}`, commit];
  await git(gitTargetOf(worktree), update);
}

/** The commit of a branch, when it has a file of its own that says so; git itself knows of other ways. */
export function looseBranch({ commonDir, branch }: Pick<Worktree, 'commonDir' | 'branch'>): string | null {
  return textOf(join(commonDir, 'refs', 'heads', branch))?.trim() ?? null;
}

/** The tree of a commit; asked for once. */
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
