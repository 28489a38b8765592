/**
 * Writes to the checkout of the user. Git writes a copy of the index, under a lock that the user's own commands respect
 * and that names its owner, so that a lock which was left behind is recognized.
 */
import { Buffer } from 'node:buffer';
import {
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { clockMs } from '../../clock.js';
import { errorCode, storeError } from '../../store/store-error.js';
import { namesIn } from '../git/file-name.js';
import { GitFailure, type GitTarget, git, stopLeftCalls, wordOf } from '../git/git.js';
import { type RefusedRepository, type Repository, uncommittedFiles } from '../git/repository.js';
import { bytesOf, statOf } from '../git/tree-snapshot.js';
import { listFiles, type WorktreeRefusal } from '../refusal.js';

/** A checkout and its directory in the repository. */
interface Checkout {
  readonly root: string;
  readonly gitDir: string;
}

interface CheckoutMove {
  readonly head: string;
  readonly commit: string;
}

/** How long to wait for another git that locks the index or a branch, in milliseconds. */
const PATIENCE_MS = 2000;
const PAUSE_MS = 20;
/** A lock of a branch that is older than this was left by a killed process. Milliseconds. */
const LOCK_MS = 1000;

export function checkoutTarget({ root, gitDir }: Checkout): GitTarget {
  return { cwd: root, gitDir, workTree: root, mark: markOf(root) };
}

/** The commit that is checked out. */
export async function headOf(checkout: Checkout): Promise<string> {
  return wordOf(await git(checkoutTarget(checkout), ['rev-parse', '--verify', 'HEAD^{commit}']));
}

/** A copy of the index that git may write, in a file of its own. */
function copiedIndex(checkout: Checkout): GitTarget & { readonly index: string } {
  const index = join(checkout.gitDir, 'index');
  const copy = join(checkout.gitDir, 'statedsl-apply-index');
  for (const old of [`${copy}.lock`, copy]) rmSync(old, { force: true });
  if (existsSync(index)) {
    const { mtimeMs } = statSync(index);
    copyFileSync(index, copy);
    // Not later than the original: git assumes that files older than the index are unchanged.
    utimesSync(copy, Math.floor(mtimeMs / 1000), Math.floor(mtimeMs / 1000));
  }
  return { ...checkoutTarget(checkout), index: copy };
}

/** Fails if files and index cannot be written. Writes nothing. */
export async function rehearse(checkout: Checkout, { head, commit }: CheckoutMove): Promise<void> {
  const own = copiedIndex(checkout);
  await git(own, ['update-index', '-q', '--refresh'], { ok: [0, 1] });
  await git(own, ['read-tree', '-m', '-u', '-n', head, commit]);
}

/** Writes files, then the index. The user's changes of other files stay, including staged ones. */
export async function writeCheckout(checkout: Checkout, { head, commit }: CheckoutMove): Promise<void> {
  const own = copiedIndex(checkout);
  await git(own, ['update-index', '-q', '--refresh'], { ok: [0, 1] });
  await git(own, ['read-tree', '-m', '-u', head, commit]);
  renameSync(own.index, join(checkout.gitDir, 'index'));
}

/** Writes these files as a commit has them, whatever is there. Changes neither other files nor the index. */
export async function writeFiles(checkout: Checkout, commit: string, changed: readonly ChangedFile[]): Promise<void> {
  const { root, gitDir } = checkout;
  const scratch = { ...checkoutTarget(checkout), index: join(gitDir, 'statedsl-apply-files') };
  try {
    for (const { name, status } of changed) if (status === 'D') removeFile(root, name);
    const there = changed.filter(({ status }) => status !== 'D').map(({ name }) => `${name}\0`);
    await git(scratch, ['read-tree', commit]);
    await git(scratch, ['checkout-index', '-f', '-z', '--stdin'], { stdin: there.join('') });
  } finally {
    for (const file of [scratch.index, `${scratch.index}.lock`]) rmSync(file, { force: true });
  }
}

/** Sets the entries of these files in the index. Other staged changes stay. */
export async function writeIndex(checkout: Checkout, changed: readonly ChangedFile[]): Promise<void> {
  const own = copiedIndex(checkout);
  const entries = changed.map(({ mode, object, name }) => `${mode} ${object}\t${name}\0`);
  await git(own, ['update-index', '-z', '--index-info'], { stdin: Buffer.from(entries.join('')) });
  await git(own, ['update-index', '-q', '--refresh'], { ok: [0, 1] });
  renameSync(own.index, join(checkout.gitDir, 'index'));
}

/** Removes a file and the folders that become empty. */
function removeFile(root: string, name: string): void {
  // A folder has its name now, so the file is already gone.
  if (statOf(join(root, name))?.isDirectory() === true) return;
  rmSync(join(root, name), { force: true });
  for (let folder = dirname(name); folder !== '.'; folder = dirname(folder)) {
    try {
      rmdirSync(join(root, folder));
    } catch {
      return;
    }
  }
}

/** Locks the user's index while this process holds the lock of the repository. Waits a moment for other programs. */
export async function lockIndex(gitDir: string, runId: string): Promise<() => void> {
  const lock = join(gitDir, 'index.lock');
  for (const until = clockMs() + PATIENCE_MS; ; ) {
    try {
      createLock(lock, `${LOCK_TEXT}${runId}\n`);
      return () => rmSync(lock, { force: true });
    } catch (cause) {
      if (errorCode(cause) !== 'EEXIST') throw storeError('write', lock, cause);
      // Only a killed `apply` can have left a lock of ours, because there is never a second one.
      if (bytesOf(lock)?.toString('utf8').startsWith(LOCK_TEXT)) {
        rmSync(lock, { force: true });
        continue;
      }
      if (clockMs() > until)
        throw new GitFailure(`another git process is using the checkout, or left its lock behind: \`${lock}\``, '');
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

const LOCK_TEXT = 'statedsl apply ';
/** A file system without hard links. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

/** Creates a lock with its text in one step: a process killed in between would leave one that names nobody, forever. */
function createLock(lock: string, text: string): void {
  const whole = join(dirname(lock), 'statedsl-apply-lock');
  writeFileSync(whole, text);
  try {
    linkSync(whole, lock);
  } catch (cause) {
    if (!NO_LINKS.has(errorCode(cause))) throw cause;
    writeFileSync(lock, text, { flag: 'wx' });
  } finally {
    rmSync(whole, { force: true });
  }
}

/** Moves what is checked out from one commit to another. False if another commit is checked out by now. */
export async function moveHead(checkout: Checkout, { head, commit }: CheckoutMove, why: string): Promise<boolean> {
  for (const until = clockMs() + PATIENCE_MS; ; ) {
    try {
      await git(checkoutTarget(checkout), ['update-ref', '-m', why, 'HEAD', commit, head]);
      return true;
    } catch (cause) {
      if (!(cause instanceof GitFailure)) throw cause;
      const now = await headOf(checkout);
      // Git may be stopped after it has done everything.
      if (now === commit) return true;
      if (now !== head) return false;
      // Another git may have held the lock of the branch.
      if (!cause.said.includes('.lock') || clockMs() > until) throw cause;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/**
 * The lock files that a killed `apply` may have left; `since` is when it began. Git holds locks of HEAD and of branches
 * only for a moment: one that persists and is not older than `since` belonged to the killed `apply`.
 */
export async function removeTraces({ root, gitDir }: Checkout, commonDir: string, since: number): Promise<void> {
  await stopLeftCalls(markOf(root));
  const index = join(gitDir, 'index.lock');
  if (bytesOf(index)?.toString('utf8').startsWith(LOCK_TEXT)) rmSync(index, { force: true });
  const branch = /^ref: (.*)\n$/.exec(readFileSync(join(gitDir, 'HEAD'), 'utf8'))?.[1];
  const locks = [join(gitDir, 'HEAD.lock'), ...(branch === undefined ? [] : [join(commonDir, `${branch}.lock`)])];
  for (const lock of locks) {
    let stat = statOf(lock);
    while (stat !== null && stat.mtimeMs >= since && Date.now() - stat.mtimeMs < LOCK_MS) {
      await new Promise((resolve) => setTimeout(resolve, LOCK_MS / 10));
      stat = statOf(lock);
    }
    if (stat !== null && stat.mtimeMs >= since) rmSync(lock, { force: true });
  }
}

function markOf(root: string): string {
  return `apply ${root}`;
}

export interface ChangedFile {
  /** A letter of git: A for added, D for deleted, M for modified, T for another type. */
  readonly status: string;
  readonly name: string;
  /** The new mode and object; zeros if it is deleted. */
  readonly mode: string;
  readonly object: string;
}

/** What differs between two commits or trees. */
export async function changedFiles(target: GitTarget, from: string, to: string): Promise<ChangedFile[]> {
  const done = await git(target, ['diff-tree', '-r', '-z', '--no-renames', '--no-abbrev', '--raw', from, to]);
  const words = namesIn(done.stdout);
  const changed: ChangedFile[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    // Such as `:100644 100644 1a2b… 4d5e… M`.
    const [, mode = '', , object = '', status = ''] = (words[at] as string).split(' ');
    changed.push({ status, name: words[at + 1] as string, mode, object });
  }
  return changed;
}

/** Files that the user changed or that new files would overwrite; null if there are none. */
export async function obstacleTo(
  repository: Repository,
  store: string,
  changed: readonly ChangedFile[],
): Promise<RefusedRepository | null> {
  const names = changed.map(({ name }) => name);
  const differing = filesInTheWay(await uncommittedFiles(repository, store, 'tracked'), names);
  if (differing.length > 0) return notCommitted(differing);
  const blocked = inTheWay(repository.root, changed);
  return blocked.length > 0 ? refuseOverwriting(blocked) : null;
}

/** The files that are among `others`, are in folders of these names, or are folders that hold some of them. */
function filesInTheWay(files: readonly string[], others: readonly string[]): string[] {
  const taken = new Set(others);
  const folders = new Set(others.flatMap(foldersAbove));
  return files.filter(
    (name) => taken.has(name) || folders.has(name) || foldersAbove(name).some((one) => taken.has(one)),
  );
}

function foldersAbove(name: string): string[] {
  const folders: string[] = [];
  for (let path = dirname(name); path !== '.'; path = dirname(path)) folders.push(path);
  return folders;
}

/** Untracked and ignored files at the paths of new files: git itself overwrites ignored files silently. */
function inTheWay(root: string, changed: readonly ChangedFile[]): string[] {
  const gone = new Set(changed.filter(({ status }) => status === 'D').map(({ name }) => name));
  const found = new Set<string>();
  for (const { status, name } of changed) {
    if (status !== 'A') continue;
    for (let path = name; path !== '.'; path = dirname(path)) {
      const stat = statOf(join(root, path));
      if (stat === null || gone.has(path)) continue;
      const clear = stat.isDirectory() && (path !== name || [...gone].some((one) => one.startsWith(`${name}/`)));
      if (!clear) found.add(path);
      break;
    }
  }
  return [...found].sort();
}

export function refuse(
  kind: WorktreeRefusal['kind'],
  message: string,
  help: string,
  files?: readonly string[],
): RefusedRepository {
  return { kind: 'refused', refusal: { kind, message, help, ...omitUndefined({ files }) } };
}

function notCommitted(files: readonly string[]): RefusedRepository {
  const message = `${listFiles(files)} ${files.length === 1 ? 'is' : 'are'} not committed, and the run changed ${files.length === 1 ? 'it' : 'them'} too`;
  return refuse('uncommitted', message, 'commit or stash them first', files);
}

function refuseOverwriting(files: readonly string[]): RefusedRepository {
  const message = `${listFiles(files)} would be overwritten: the run created ${files.length === 1 ? 'it' : 'them'} too`;
  return refuse('in-the-way', message, 'move or remove them first', files);
}
