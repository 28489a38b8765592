/**
 * Takes what a run made over into the checkout of the user: the one time that anything of theirs is written.
 *
 * 1. Whatever can be refused is refused before anything is written, a conflict among them.
 * 2. What is going to happen is noted first, then files and index are written, then the branch moves. After a crash the
 *    note tells files that were written here from files that a person changed.
 * 3. The user's index is never locked for longer than a rename takes: git writes a copy.
 */

import { Buffer } from 'node:buffer';
import {
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode, storeError } from '../store-error.js';
import { branchOf } from './checkout.js';
import { namesIn } from './file-name.js';
import { GitFailure, type GitPlace, git, wordOf } from './git.js';
import { stopLeftCalls } from './left-calls.js';
import { mergeTrees } from './merge.js';
import { named, type Refusal } from './refusal.js';
import { findRepository, type Refused, type Repository, realStore, uncommittedFiles } from './repository.js';

export interface ApplySpec {
  /** Anywhere in the checkout that is written to. */
  readonly cwd: string;
  readonly store: string;
  readonly runId: string;
  /** Where the note lies: a folder of the run. */
  readonly folder: string;
  /** Message of the merge. */
  readonly message: string;
}

export type Applied =
  | {
      readonly kind: 'applied';
      readonly commit: string;
      /** What was merged into: a branch, or a commit when none is checked out. */
      readonly into: string;
      /** Sorted, from the root of the repository. */
      readonly files: readonly string[];
    }
  /** The checkout has all of it already; `commit` brought it there, or is what is checked out. */
  | { readonly kind: 'contained'; readonly commit: string }
  | { readonly kind: 'conflict'; readonly files: readonly string[] }
  | Refused;

/** `apply.json`: an application that has begun, or is done. */
interface Note {
  readonly root: string;
  readonly head: string;
  readonly commit: string;
  readonly done?: true;
}

/** How long the lock of a branch may stand before nobody is behind it. */
const LOCK_MS = 1000;

const IN_PROGRESS: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'merge',
  CHERRY_PICK_HEAD: 'cherry-pick',
  REVERT_HEAD: 'revert',
  'rebase-merge': 'rebase',
  'rebase-apply': 'rebase',
};

/** Merges the branch of a run into what is checked out. Rejects with a `GitFailure` or a `StoreError`. */
export async function applyBranch(spec: ApplySpec): Promise<Applied> {
  const found = await findRepository(spec.cwd);
  if (found.kind === 'refused') return found;
  const { root, gitDir, head } = found.repository;
  const place: GitPlace = { cwd: root, gitDir, workTree: root };
  const noted = readNote(spec);
  const reference = `refs/heads/${branchOf(spec.runId)}^{commit}`;
  const tip = await git(place, ['rev-parse', '--verify', '-q', reference], { ok: [0, 1] });
  if (tip.exit !== 0) return noted?.done ? { kind: 'contained', commit: noted.commit } : noBranch(root, spec.runId);
  const theirs = wordOf(tip);
  const common = await git(place, ['merge-base', head, theirs], { ok: [0, 1] });
  if (wordOf(common) === theirs) {
    const commit = noted?.commit ?? head;
    writeNote(spec, { root, head, commit, done: true });
    return { kind: 'contained', commit };
  }
  const refusal = unfinished(gitDir);
  if (refusal !== null) return { kind: 'refused', refusal };
  const begun = noted?.root === root && noted.head === head ? noted : null;
  if (begun !== null) await removeTraces(spec, found.repository);
  const merge = await mergeTrees(place, head, theirs);
  if (merge.kind === 'conflict') return merge;
  const changed = await changedFiles(place, head, merge.tree);
  const obstacle = await obstacleTo(spec, found.repository, begun, changed);
  if (obstacle !== null) return obstacle;
  const commit = begun?.commit ?? (await mergeCommit(place, merge.tree, [head, theirs], spec.message));
  writeNote(spec, { root, head, commit });
  await writeCheckout(place, gitDir, { head, commit, again: begun !== null });
  const into = await checkedOut(place, head);
  const update = ['update-ref', '-m', `statedsl: apply ${spec.runId}`, 'HEAD', commit, head];
  await git({ ...place, mark: markOf(root) }, update);
  writeNote(spec, { root, head, commit, done: true });
  return { kind: 'applied', commit, into, files: changed.map(({ name }) => name).sort() };
}

/** Files that somebody else changed or that would be overwritten; null when there are none. */
async function obstacleTo(
  spec: ApplySpec,
  repository: Repository,
  begun: Note | null,
  changed: readonly ChangedFile[],
): Promise<Refused | null> {
  const { root, gitDir } = repository;
  const place: GitPlace = { cwd: root, gitDir, workTree: root };
  const differing = await uncommittedFiles(repository, realStore(spec.store), 'tracked');
  const foreign = begun === null ? differing : await notWritten(place, begun.commit, differing, changed);
  if (foreign.length > 0) return notCommitted(foreign);
  const found = inTheWay(root, changed);
  const blocked = begun === null ? found : await notWritten(place, begun.commit, found, changed);
  return blocked.length > 0 ? overwritten(blocked) : null;
}

function markOf(root: string): string {
  return `apply ${root}`;
}

function refused(kind: Refusal['kind'], message: string, help: string, files?: readonly string[]): Refused {
  return { kind: 'refused', refusal: { kind, message, help, ...(files === undefined ? {} : { files }) } };
}

function noBranch(root: string, runId: string): Refused {
  const message = `run \`${runId}\` has nothing to apply: \`${root}\` has no branch \`${branchOf(runId)}\``;
  return refused('lost', message, 'only what a run does in a worktree of its own is applied; see `--worktree`');
}

function notCommitted(files: readonly string[]): Refused {
  const message = `${named(files)} ${files.length === 1 ? 'is' : 'are'} not committed`;
  return refused('uncommitted', message, 'commit or stash them first', files);
}

function overwritten(files: readonly string[]): Refused {
  const message = `${named(files)} would be overwritten: the run made ${files.length === 1 ? 'it' : 'them'} too`;
  return refused('in-the-way', message, 'move or remove them first', files);
}

function unfinished(gitDir: string): Refusal | null {
  const found = Object.keys(IN_PROGRESS).find((name) => existsSync(join(gitDir, name)));
  if (found === undefined) return null;
  const message = `the checkout is in the middle of a ${IN_PROGRESS[found]}`;
  return { kind: 'unfinished', message, help: 'finish or abort it first' };
}

async function checkedOut(place: GitPlace, head: string): Promise<string> {
  const done = await git(place, ['symbolic-ref', '-q', '--short', 'HEAD'], { ok: [0, 1] });
  return done.exit === 0 ? wordOf(done) : head.slice(0, 12);
}

/** The commit, in the user's name where they have told git one; it has to be merged either way. */
async function mergeCommit(
  place: GitPlace,
  tree: string,
  parents: readonly string[],
  message: string,
): Promise<string> {
  const commit = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', message];
  try {
    // Without this setting git makes up a name from that of the machine.
    const config = ['user.useConfigOnly=true'];
    return wordOf(await git(place, commit, { identity: 'configured', config }));
  } catch (cause) {
    if (!(cause instanceof GitFailure)) throw cause;
    return wordOf(await git(place, commit));
  }
}

interface ChangedFile {
  /** A letter of git: A for added, D for deleted, M for modified, T for another type. */
  readonly status: string;
  readonly name: string;
}

async function changedFiles(place: GitPlace, from: string, to: string): Promise<ChangedFile[]> {
  const done = await git(place, ['diff-tree', '-r', '-z', '--no-renames', '--name-status', from, to]);
  const words = namesIn(done.stdout);
  return words.flatMap((name, index) => (index % 2 === 0 ? [] : [{ status: words[index - 1] as string, name }]));
}

/**
 * Files in the way of new ones. The checkout has no uncommitted changes, so they are untracked or ignored, and git itself
 * overwrites ignored files without a word.
 */
function inTheWay(root: string, changed: readonly ChangedFile[]): string[] {
  const gone = new Set(changed.filter(({ status }) => status === 'D').map(({ name }) => name));
  const found = new Set<string>();
  for (const { status, name } of changed) {
    if (status !== 'A') continue;
    for (let path = name; path !== '.'; path = dirname(path)) {
      const stat = statOf(join(root, path));
      if (stat === null || gone.has(path)) continue;
      const emptied = stat.isDirectory() && [...gone].some((one) => one.startsWith(`${path}/`));
      if (path === name ? !emptied : !stat.isDirectory()) found.add(path);
      break;
    }
  }
  return [...found].sort();
}

/**
 * What an application that was cut short may have left beside files. Locks of HEAD and of branches are held for a moment
 * only: one that stays, and is no older than the note, was ours.
 */
async function removeTraces({ folder }: ApplySpec, { root, gitDir, commonDir }: Repository): Promise<void> {
  await stopLeftCalls(markOf(root));
  const begun = statOf(join(folder, 'apply.json'))?.mtimeMs ?? Number.POSITIVE_INFINITY;
  const branch = /^ref: (.*)\n$/.exec(readFileSync(join(gitDir, 'HEAD'), 'utf8'))?.[1];
  const locks = [join(gitDir, 'HEAD.lock'), ...(branch === undefined ? [] : [join(commonDir, `${branch}.lock`)])];
  for (const lock of locks) {
    let stat = statOf(lock);
    while (stat !== null && stat.mtimeMs >= begun && Date.now() - stat.mtimeMs < LOCK_MS) {
      await new Promise((resolve) => setTimeout(resolve, LOCK_MS / 10));
      stat = statOf(lock);
    }
    if (stat !== null && stat.mtimeMs >= begun) rmSync(lock, { force: true });
  }
}

/** Writes files and index. `again`: some of it may be written already. */
async function writeCheckout(
  place: GitPlace,
  gitDir: string,
  { head, commit, again }: { readonly head: string; readonly commit: string; readonly again: boolean },
): Promise<void> {
  const index = join(gitDir, 'index');
  const copy = join(gitDir, 'statedsl-apply-index');
  const lock = `${index}.lock`;
  // A lock that is another name of our copy was left by an application that was cut short.
  if (again && statOf(lock)?.ino === statOf(copy)?.ino) rmSync(lock, { force: true });
  rmSync(`${copy}.lock`, { force: true });
  if (existsSync(index)) {
    const { mtimeMs } = statSync(index);
    rmSync(copy, { force: true });
    copyFileSync(index, copy);
    // No later than the original: git takes files that are older than the index for unchanged.
    utimesSync(copy, Math.floor(mtimeMs / 1000), Math.floor(mtimeMs / 1000));
  }
  const own = { ...place, index: copy, mark: markOf(place.cwd) };
  await git(own, ['update-index', '-q', '--refresh'], { ok: [0, 1] });
  await git(own, again ? ['read-tree', '--reset', '-u', commit] : ['read-tree', '-m', '-u', head, commit]);
  try {
    linkSync(copy, lock);
  } catch (cause) {
    if (errorCode(cause) !== 'EEXIST') throw storeError('write', lock, cause);
    throw new GitFailure(`another git uses the checkout: \`${lock}\` exists`, '');
  }
  renameSync(lock, index);
  rmSync(copy, { force: true });
}

function readNote({ folder }: ApplySpec): Note | null {
  try {
    return JSON.parse(readFileSync(join(folder, 'apply.json'), 'utf8')) as Note;
  } catch {
    return null;
  }
}

function writeNote({ folder }: ApplySpec, note: Note): void {
  const path = join(folder, 'apply.json');
  try {
    writeFileSync(`${path}.new`, `${JSON.stringify(note)}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch (cause) {
    throw storeError('write', path, cause);
  }
}

/** Those of some files that an application cut short cannot have left as they are. */
async function notWritten(
  place: GitPlace,
  commit: string,
  names: readonly string[],
  changed: readonly ChangedFile[],
): Promise<string[]> {
  const statuses = new Map(changed.map(({ name, status }) => [name, status]));
  const foreign: string[] = [];
  for (const name of names) {
    const status = statuses.get(name);
    const found = bytesOf(join(place.cwd, name));
    // Git removes a file before it writes the new one, and may have been stopped while it wrote.
    const left = found === null || (status !== 'D' && (await isBeginning(place, commit, name, found)));
    if (status === undefined || !left) foreign.push(name);
  }
  return foreign;
}

async function isBeginning(place: GitPlace, commit: string, name: string, found: Buffer): Promise<boolean> {
  const { stdout } = await git(place, ['cat-file', '--filters', `${commit}:${name}`]);
  return stdout.subarray(0, found.length).equals(found);
}

function bytesOf(path: string): Buffer | null {
  const stat = statOf(path);
  if (stat?.isSymbolicLink()) return Buffer.from(readlinkSync(path));
  return stat?.isFile() ? readFileSync(path) : null;
}

function statOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}
