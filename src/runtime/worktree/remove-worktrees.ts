/**
 * Removes worktrees: their files, their entries in the repository, and their branches. Parts that are already gone do not
 * matter. The record is removed last, so that an interrupted removal is found again. Only what was made for a run is removed.
 */
import { readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { entryAt, isOwnFolder, readOwn } from '../store/own-file.js';
import { errorCode, StoreError, storeError } from '../store/store-error.js';
import { branchOf, pointsBack, readRecord, removeBranchLock, removeFiles, worktreesFolder } from './checkout.js';
import { engineOf } from './engine-note.js';
import { GitFailure, git, stopLeftCalls } from './git/git.js';
import { realStore } from './git/repository.js';
import { isLeaving, noteLeaving } from './worktree-facts.js';

/** A run makes its worktree before its folder, so a worktree without a run stays until it is older than this. Milliseconds. */
const YOUNG_MS = 3_600_000;

/** What is removed with runs: their worktrees, those of their tasks, and the branches of both. */
type LeavingWorktree = Pick<OwnWorktree, 'name' | 'root' | 'branch' | 'commonDir'>;

/** A worktree whose files could not be removed: in a read-only folder, for instance. The next removal tries it again. */
export interface KeptFiles {
  readonly directory: string;
  /** A sentence. */
  readonly why: string;
}

/** Removes the worktrees of a run and of its tasks, with their branches. Merged work is not affected. */
export function removeWorktrees(store: string, runId: string): Promise<KeptFiles[]> {
  const directory = realStore(store);
  return removeEach(
    directory,
    ownWorktrees(directory).filter((one) => one.runId === runId),
  );
}

/** One that cannot be removed keeps no other. */
async function removeEach(store: string, all: readonly OwnWorktree[]): Promise<KeptFiles[]> {
  const kept: KeptFiles[] = [];
  for (const one of all) {
    try {
      await removeWorktree(store, one);
    } catch (cause) {
      if (!(cause instanceof GitFailure) && !(cause instanceof StoreError)) throw cause;
      kept.push({ directory: one.root, why: cause.message });
    }
  }
  return kept;
}

/**
 * The worktrees whose runs do not exist according to `isThere`, except those that may just be starting, and those that an
 * earlier removal could not remove; none of engines.
 */
export function abandonedWorktrees(store: string, isThere: (runId: string) => boolean): LeavingWorktree[] {
  const directory = realStore(store);
  return ownWorktrees(directory).filter(
    ({ runId, name }) =>
      (wasLeaving(directory, name) || (!isThere(runId) && !isYoung(directory, name))) && !isOfEngine(directory, runId),
  );
}

/** The worktrees of runs, except those of runs of engines. */
export function worktreesOf(store: string, runIds: ReadonlySet<string>): LeavingWorktree[] {
  const directory = realStore(store);
  return ownWorktrees(directory).filter(({ runId }) => runIds.has(runId) && !isOfEngine(directory, runId));
}

function wasLeaving(directory: string, name: string): boolean {
  const record = readRecord(directory, name);
  return record !== null && isLeaving(record);
}

function isOfEngine(directory: string, runId: string): boolean {
  const record = readRecord(directory, runId);
  return record !== null && engineOf(record.gitDir) !== null;
}

/** Removes worktrees with their branches. */
export function removeAll(store: string, leaving: readonly LeavingWorktree[]): Promise<KeptFiles[]> {
  const directory = realStore(store);
  return removeEach(
    directory,
    leaving.map(({ name }) => ownWorktree(directory, name)).filter((one) => one !== null),
  );
}

/** Ids of runs that have worktrees. */
export function worktreeRuns(store: string): string[] {
  return [...new Set(ownWorktrees(realStore(store)).map(({ runId }) => runId))];
}

function isYoung(store: string, name: string): boolean {
  const path = join(worktreesFolder(store), name);
  const newest = [path, `${path}.json`].map((one) => entryAt(one)?.mtimeMs ?? 0);
  return Date.now() - Math.max(...newest) < YOUNG_MS;
}

async function removeWorktree(store: string, { name, root, branch, commonDir }: OwnWorktree): Promise<void> {
  await stopLeftCalls(root);
  try {
    const record = readRecord(store, name);
    if (commonDir === null && record === null) removeEmpty(root);
    else if (commonDir === null) rmSync(root, { recursive: true, force: true });
    else {
      if (record !== null && pointsBack(root, record)) noteLeaving(record);
      keepTrace(store, { name, root, branch, commonDir });
      // The branch first: as soon as the directory in the repository is gone, nothing says that it was ours.
      removeBranchLock(commonDir, branch);
      await git({ cwd: commonDir, gitDir: commonDir }, ['update-ref', '-d', `refs/heads/${branch}`]);
      removeFiles(root, commonDir, name);
    }
  } catch (cause) {
    throw cause instanceof GitFailure ? cause : notRemoved(root, cause);
  }
  for (const record of [`${root}.json.new`, `${root}.json`]) rmSync(record, { force: true });
}

/** Names what is in the way. Where a file must not be removed, Node goes on to say that it is not a directory. */
function notRemoved(root: string, cause: unknown): StoreError {
  const { path = root, code } = cause as NodeJS.ErrnoException;
  return storeError('remove', path, code === 'ENOTDIR' ? { code: 'EPERM' } : cause);
}

function removeEmpty(root: string): void {
  if (entryAt(root) !== null) rmdirSync(root);
}

/** Keeps the record until the end: without it, half of a worktree would not be recognized after an interrupted removal. */
function keepTrace(store: string, { name, root, branch, commonDir }: LeavingWorktree): void {
  if (readRecord(store, name) !== null) return;
  const record = { root, cwd: root, branch, base: '', gitDir: '', commonDir, tree: '' };
  rmSync(`${root}.json`, { force: true });
  writeFileSync(`${root}.json`, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: 'wx' });
}

/** The id of a run, optionally followed by the name of a task. */
const NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(--[A-Za-z0-9_-]+)?$/;

interface OwnWorktree {
  readonly name: string;
  readonly runId: string;
  readonly root: string;
  readonly branch: string;
  /** The repository to which it belongs; null if none says so: then nothing but the folder and its record is removed. */
  readonly commonDir: string | null;
}

/**
 * All worktrees of runs, including incomplete ones. The folder may hold anything, such as a checkout of the user or a
 * link that came with a repository, so an entry counts only by its name together with its record, or together with the
 * repository that lists it as a worktree. Those of tasks come before that of their run. Throws a `StoreError`.
 */
function ownWorktrees(store: string): OwnWorktree[] {
  const folder = worktreesFolder(store);
  if (!isOwnFolder(folder)) return [];
  let files: string[];
  try {
    files = readdirSync(folder);
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return [];
    throw storeError('read', folder, cause);
  }
  const names = new Set(files.map((file) => file.replace(/\.json(\.new)?$/, '')));
  return [...names]
    .sort((a, b) => b.length - a.length)
    .map((name) => ownWorktree(store, name))
    .filter((one) => one !== null);
}

/** The worktree of a name; null if what is there was not made for a run. */
function ownWorktree(store: string, name: string): OwnWorktree | null {
  const runId = NAME.exec(name)?.[1];
  const root = join(worktreesFolder(store), name);
  const there = entryAt(root);
  if (runId === undefined || (there !== null && !there.isDirectory())) return null;
  const record = entryAt(`${root}.json`)?.isFile() === true ? readRecord(store, name) : null;
  const branch = branchOf(name);
  const known = { name, runId, root, branch };
  if (record?.branch === branch && basename(record.root) === name)
    return { ...known, commonDir: pointsBack(root, record) ? record.commonDir : null };
  const commonDir = linkedRepository(root);
  if (commonDir !== null) return { ...known, commonDir };
  // Making a worktree begins with a folder and ends with renaming a record: until then there is no work in it.
  const draft = entryAt(`${root}.json.new`)?.isFile() === true;
  return (there === null && draft) || (there !== null && isEmpty(root)) ? { ...known, commonDir: null } : null;
}

/** The repository of a worktree without a record: the folder and the repository must name each other. */
function linkedRepository(root: string): string | null {
  try {
    const link = readOwn(join(root, '.git')).toString('utf8');
    const gitDir = resolve(root, link.replace(/^gitdir: /, '').replace(/\n$/, ''));
    const commonDir = dirname(dirname(gitDir));
    return pointsBack(root, { gitDir, commonDir }) ? commonDir : null;
  } catch {
    return null;
  }
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return false;
  }
}
