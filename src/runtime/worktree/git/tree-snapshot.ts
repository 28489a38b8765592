/**
 * Commits the content of a worktree, and resets a worktree to a commit. A snapshot depends only on the files and the
 * previous commit: staged changes, switched branches and marks in the index do not matter. So each operation can be
 * repeated after a crash, and no change can be hidden from it.
 */
import { Buffer } from 'node:buffer';
import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import {
  fillWorktree,
  gitTargetOf,
  looseBranch,
  moveBranch,
  shareIndex,
  tidyWorktree,
  treeOf,
  type Worktree,
} from '../checkout.js';
import { type CommitDifference, readStagedDifference } from './commit-difference.js';
import { namesIn } from './file-name.js';
import { git, wordOf } from './git.js';

/**
 * Commits everything in the worktree that git does not ignore. Returns the commit, or `onto` if nothing differs from it.
 * `onto` is the last commit that was made or reset to. Commits that were made after it stay.
 */
export async function snapshot(
  worktree: Worktree,
  { label, onto }: { readonly label: string; readonly onto: string },
): Promise<string> {
  await tidyWorktree(worktree);
  await addAll(worktree);
  const commit = await commitIndex(worktree, onto, label);
  await moveBranch(worktree, commit, label);
  shareIndex(worktree);
  return commit;
}

/** A commit of the private index, wherever the branch is; `onto` if nothing differs from it. */
async function commitIndex(worktree: Worktree, onto: string, label: string): Promise<string> {
  const tree = wordOf(await git(gitTargetOf(worktree), ['write-tree']));
  const commit = tree === (await treeOf(worktree, onto)) ? onto : await commitTree(worktree, tree, onto, label);
  worktree.trees.set(commit, tree);
  return commit;
}

/** The content of a worktree as a commit, and its difference from an earlier commit. */
interface Taken {
  readonly commit: string;
  readonly change: CommitDifference;
}

/**
 * A snapshot with the difference from `from`, which is `onto` or an earlier commit. It takes three calls of git if
 * something changed and two otherwise, because it is made after every attempt of every step.
 */
export async function snapshotChange(
  worktree: Worktree,
  { label, onto, from }: { readonly label: string; readonly onto: string; readonly from: string },
): Promise<Taken> {
  await tidyWorktree(worktree);
  await addAll(worktree);
  const change = await readStagedDifference(worktree, from);
  const same = from === onto && change.files.length === 0;
  const commit = same
    ? onto
    : ((await commitOnto(worktree, onto, label)) ?? (await commitIndex(worktree, onto, label)));
  await moveBranch(worktree, commit, label);
  shareIndex(worktree);
  return { commit, change };
}

/**
 * The ordinary commit: tree, commit and branch in one call. Null if the branch has moved, because something else committed
 * there, or if git finds nothing to commit.
 */
async function commitOnto(worktree: Worktree, onto: string, label: string): Promise<string | null> {
  if (looseBranch(worktree) !== onto) return null;
  const form = ['--quiet', '--no-verify', '--no-status', '--cleanup=verbatim', '--allow-empty-message'];
  const done = await git(gitTargetOf(worktree), ['commit', ...form, '-m', label], { ok: [0, 1] });
  const commit = looseBranch(worktree);
  return done.exit === 0 && commit !== onto ? commit : null;
}

/** Resets files, index and branch to a commit. Files that git ignores, such as installed packages, stay. */
export async function resetWorktree(worktree: Worktree, to: string): Promise<void> {
  await tidyWorktree(worktree);
  await moveBranch(worktree, to, 'reset');
  await fillWorktree(worktree, to);
  // Forced twice, which also removes repositories that were made inside the worktree.
  await git(gitTargetOf(worktree), ['clean', '-ffdq']);
  mkdirSync(worktree.cwd, { recursive: true });
}

async function commitTree(worktree: Worktree, tree: string, onto: string, label: string): Promise<string> {
  const tip = await tipBeyond(worktree, onto);
  if (tip !== null && tree === (await treeOf(worktree, tip))) return tip;
  return wordOf(await git(gitTargetOf(worktree), ['commit-tree', tree, '-p', tip ?? onto, '-m', label]));
}

/** The tip of the branch if commits were made after `onto`; null if not, or if history was rewritten. */
async function tipBeyond(worktree: Worktree, onto: string): Promise<string | null> {
  if (looseBranch(worktree) === onto) return null;
  const list = ['rev-list', '--ancestry-path', '--max-count=1', `${onto}..refs/heads/${worktree.branch}`];
  const beyond = await git(gitTargetOf(worktree), list, { ok: [0, 128] });
  return beyond.exit === 0 && beyond.stdout.length > 0 ? wordOf(beyond) : null;
}

/**
 * Updates the private index from the files. For a repository inside the worktree, git would store only the name of its
 * commit, which no other repository has; a repository without commits stops it. Their files are added instead.
 */
async function addAll(worktree: Worktree): Promise<void> {
  const target = gitTargetOf(worktree);
  const empty: string[] = [];
  // Every round adds the files of at least one of them.
  for (;;) {
    const without = empty.length === 0 ? [] : ['--', '.', ...empty.map((folder) => `:(exclude,literal)${folder}`)];
    const added = await git(target, ['add', '--all', ...without], { ok: [0, 128] });
    const unborn = unbornIn(added.stderr);
    if (unborn !== null) {
      if (!(await addFilesOf(worktree, unborn))) empty.push(unborn);
      continue;
    }
    // A file may have vanished while git read it. If that was not the reason, the second attempt fails too.
    if (added.exit !== 0) await git(target, ['add', '--all', ...without]);
    if (!added.stderr.includes('embedded git repository')) return;
    const folders = await embeddedRepositories(worktree);
    if (folders.length === 0) return;
    for (const folder of folders) await addFilesOf(worktree, folder);
  }
}

/** The folder of a repository without a commit that git stopped at, or null. Its name may hold line ends. */
function unbornIn(stderr: string): string | null {
  const end = stderr.lastIndexOf("/' does not have a commit checked out");
  if (end < 0) return null;
  const intro = "error: '";
  return stderr.slice(stderr.lastIndexOf(intro, end) + intro.length, end);
}

/** Folders that the index has as commits of other repositories and that exist and are not submodules. */
async function embeddedRepositories(worktree: Worktree): Promise<string[]> {
  const target = gitTargetOf(worktree);
  const [listed, modules] = await Promise.all([
    git(target, ['ls-files', '--stage', '-z']),
    git(target, ['config', '-z', '-f', '.gitmodules', '--get-regexp', '^submodule\\..*\\.path$'], { ok: [0, 1] }),
  ]);
  const known = new Set(namesIn(modules.stdout).map((entry) => entry.slice(entry.indexOf('\n') + 1)));
  return namesIn(listed.stdout)
    .filter((entry) => entry.startsWith('160000 '))
    .map((entry) => entry.slice(entry.indexOf('\t') + 1))
    .filter((name) => !known.has(name) && existsSync(join(worktree.root, name, '.git')));
}

/**
 * Adds the files of a repository inside the worktree to the index, and those of repositories inside it. False if it has
 * none. After the first file is added, git treats the folder like any other.
 */
async function addFilesOf(worktree: Worktree, folder: string): Promise<boolean> {
  const target = gitTargetOf(worktree);
  const inside = { cwd: join(worktree.root, folder) };
  const { stdout } = await git(inside, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  const paths: Buffer[] = [];
  const inner: string[] = [];
  for (let from = 0; from < stdout.length; ) {
    const end = stdout.indexOf(0, from);
    if (stdout[end - 1] === 0x2f) inner.push(`${folder}/${stdout.toString('utf8', from, end - 1)}`);
    else paths.push(Buffer.from(`${folder}/`), stdout.subarray(from, end + 1));
    from = end + 1;
  }
  await git(target, ['update-index', '-z', '--force-remove', '--stdin'], { stdin: `${folder}\0` });
  if (paths.length > 0)
    await git(target, ['update-index', '-z', '--add', '--remove', '--stdin'], { stdin: Buffer.concat(paths) });
  let found = paths.length > 0;
  for (const one of inner) if (await addFilesOf(worktree, one)) found = true;
  return found;
}

/** The content of a file or the target of a symbolic link; null for anything else. */
export function bytesOf(path: string): Buffer | null {
  const stat = statOf(path);
  if (stat?.isSymbolicLink()) return Buffer.from(readlinkSync(path));
  return stat?.isFile() ? readFileSync(path) : null;
}

/** What is at a path, without following links; null if nothing is there. */
export function statOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}
