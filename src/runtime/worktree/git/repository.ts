/**
 * Examines the repository of a user: where it is, what is checked out, and whether it has uncommitted changes. No command
 * here writes, not even the times in the index of git.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { branchOf } from '../checkout.js';
import { listFiles, type WorktreeRefusal } from '../refusal.js';
import { namesIn } from './file-name.js';
import { type GitDone, GitFailure, git, linesOf } from './git.js';
import { bytesOf } from './tree-snapshot.js';

export interface Repository {
  /** Root of the checkout, without symbolic links. */
  readonly root: string;
  /** The folder in the checkout from which the search started: `''` or a relative path. */
  readonly prefix: string;
  /** The directory that this checkout shares with all other worktrees. */
  readonly commonDir: string;
  /** Directory of this checkout: its index and HEAD. */
  readonly gitDir: string;
  /** The commit that is checked out, and its tree. */
  readonly head: string;
  readonly tree: string;
}

export type FoundRepository = { readonly kind: 'found'; readonly repository: Repository } | RefusedRepository;
export interface RefusedRepository {
  readonly kind: 'refused';
  readonly refusal: WorktreeRefusal;
}

/** The first git that can merge two commits without a checkout. */
const NEEDED = [2, 38] as const;

/** Finds the repository of a folder. Rejects with a `GitFailure` only if git itself does not work. */
export async function findRepository(cwd: string): Promise<FoundRepository> {
  const folder = realpathSync(cwd);
  const facts = ['--is-bare-repository', '--is-inside-work-tree', '--is-shallow-repository', '--show-cdup'];
  const asked = ['rev-parse', ...facts, '--absolute-git-dir', 'HEAD^{commit}', 'HEAD^{tree}'];
  try {
    const [tooOld, done] = await Promise.all([oldGit(folder), git({ cwd: folder }, asked, { ok: [0, 128] })]);
    const refusal = tooOld ?? unusableRefusal(folder, done);
    if (refusal !== null) return { kind: 'refused', refusal };
    const lines = linesOf(done);
    const [head = '', tree = ''] = lines.slice(-2);
    const root = resolve(folder, lines[3] ?? '');
    // A path may contain line ends, so it is everything between the other facts.
    const gitDir = lines.slice(facts.length, -2).join('\n');
    const commonDir = commonOf(gitDir);
    return { kind: 'found', repository: { root, prefix: relative(root, folder), commonDir, gitDir, head, tree } };
  } catch (cause) {
    if (!(cause instanceof GitFailure) || cause.said !== 'ENOENT') throw cause;
    const message = '`git` is not installed';
    return { kind: 'refused', refusal: { kind: 'no-git', message, help: 'install git, or use `--worktree=off`' } };
  }
}

/** The directory that all worktrees share. Every worktree except the first has a file that names it. */
function commonOf(gitDir: string): string {
  try {
    return resolve(gitDir, readFileSync(join(gitDir, 'commondir'), 'utf8').replace(/\n$/, ''));
  } catch {
    return gitDir;
  }
}

/** The values of `PATH` with a git that is new enough. One that is too old is asked again: the user may have updated it. */
const newEnough = new Set<string | undefined>();

async function oldGit(folder: string): Promise<WorktreeRefusal | null> {
  const path = process.env.PATH;
  if (newEnough.has(path)) return null;
  const refusal = tooOld(await git({ cwd: folder }, ['version']));
  if (refusal === null) newEnough.add(path);
  return refusal;
}

function tooOld(done: GitDone): WorktreeRefusal | null {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(linesOf(done)[0] ?? '') ?? [];
  const enough = Number(major) > NEEDED[0] || (Number(major) === NEEDED[0] && Number(minor) >= NEEDED[1]);
  if (enough || major === undefined) return null;
  const message = `this machine has git ${major}.${minor}, which cannot merge without a checkout`;
  return { kind: 'old-git', message, help: `install git ${NEEDED.join('.')} or newer, or use \`--worktree=off\`` };
}

function unusableRefusal(cwd: string, done: GitDone): WorktreeRefusal | null {
  const without = 'or use `--worktree=off`';
  if (done.stderr.includes('dubious ownership')) {
    const message = `git does not trust the repository at \`${cwd}\`, because another user owns it`;
    return { kind: 'untrusted', message, help: `allow it with \`git config --global --add safe.directory ${cwd}\`` };
  }
  const [bare, inside, shallow] = linesOf(done);
  if (bare === undefined) {
    if (!done.stderr.includes('not a git repository')) throw new GitFailure(done.stderr.trim(), done.stderr.trim());
    const message = `\`${cwd}\` is not in a git repository`;
    return { kind: 'no-repository', message, help: `create one with \`git init\` and commit, ${without}` };
  }
  if (bare === 'true' || inside !== 'true') {
    const message = `the repository at \`${cwd}\` is bare: it has no files to work on`;
    return { kind: 'bare', message, help: 'run it in a clone of this repository' };
  }
  if (shallow === 'true') {
    const message = `the repository at \`${cwd}\` is shallow: the history that merging needs is missing`;
    return { kind: 'shallow', message, help: `fetch it with \`git fetch --unshallow\`, ${without}` };
  }
  if (done.exit === 0) return null;
  const message = `the repository at \`${cwd}\` has no commit yet`;
  return { kind: 'no-commit', message, help: `commit first, ${without}` };
}

/**
 * Files that differ from the commit that is checked out, including new ones unless `tracked`. The store, ignored files and
 * changes inside submodules do not count.
 */
export async function uncommittedFiles(
  { root }: Repository,
  store: string,
  which: 'tracked' | 'all',
): Promise<string[]> {
  const status = ['status', '--porcelain=v1', '-z', '--no-renames', '--ignore-submodules=dirty'];
  const untracked = which === 'all' ? '--untracked-files=normal' : '--untracked-files=no';
  const done = await git({ cwd: root }, [...status, untracked, '--', ':(top)', ...outsideStore(root, store)]);
  // Each entry is two letters, a blank and the name.
  return namesIn(done.stdout).map((entry) => entry.slice(3));
}

/** Patterns that exclude the store. */
export function outsideStore(root: string, store: string): string[] {
  const without = [':(top,exclude,glob)**/.statedsl/**'];
  const inside = relative(root, store);
  if (inside !== '' && !inside.startsWith('..') && !isAbsolute(inside)) without.push(`:(top,exclude,literal)${inside}`);
  return without;
}

/**
 * A refusal if a branch has the name of the folder for all our branches, because git then cannot create them; otherwise
 * null. A branch is a file of its own, or a line in the file of packed branches.
 */
export function blockedBranches({ commonDir }: Repository): WorktreeRefusal | null {
  const branch = dirname(branchOf('-'));
  const reference = `refs/heads/${branch}`;
  const packed = bytesOf(join(commonDir, 'packed-refs'))?.includes(` ${reference}\n`) ?? false;
  if (!packed && bytesOf(join(commonDir, reference)) === null) return null;
  const message = `the branch \`${branch}\` conflicts with \`${branch}/RUN\`, the branch of a run`;
  return {
    kind: 'in-the-way',
    message,
    help: `rename it: \`git branch -m ${branch} NAME\`, or use \`--worktree=off\``,
  };
}

/** A refusal that names the uncommitted files; null if there are none. */
export async function uncommittedRefusal(repository: Repository, store: string): Promise<WorktreeRefusal | null> {
  const files = await uncommittedFiles(repository, store, 'all');
  if (files.length === 0) return null;
  const message = `${listFiles(files)} ${files.length === 1 ? 'is' : 'are'} not committed`;
  return { kind: 'uncommitted', message, help: 'commit or stash them, or use `--worktree=off`', files };
}

/** The path of the store with symbolic links resolved, so that it can be compared with the root of a repository. */
export function realStore(store: string): string {
  const path = resolve(store);
  try {
    return realpathSync(path);
  } catch {
    // The store is made later, inside an existing folder.
    const above = resolve(path, '..');
    return above === path ? path : join(realStore(above), relative(above, path));
  }
}
