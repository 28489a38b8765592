/**
 * Merges the work of a run into the checkout of the user. Nothing else in statedsl writes to the user's files.
 *
 * 1. Every reason to refuse, such as a conflict, is found before anything is written.
 * 2. Only one `apply` runs at a time in a repository, and meanwhile no command of the user can write the index.
 * 3. The branch moves first, and only from the commit that was examined; then follow files and index, or all of it is put
 *    back. A note says beforehand what will happen, so that the next `apply` finishes what a killed one began.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { clockMs } from '../../clock.js';
import { writeOwn } from '../../store/own-file.js';
import { lockRun, type RunLock } from '../../store/run-lock.js';
import { errorCode, StoreError, storeError } from '../../store/store-error.js';
import { branchOf, readRecord, type WorktreeRecord } from '../checkout.js';
import { namesIn } from '../git/file-name.js';
import { GitFailure, type GitTarget, git, wordOf } from '../git/git.js';
import { mergeTrees } from '../git/merge.js';
import { findRepository, type RefusedRepository, type Repository, realStore } from '../git/repository.js';
import { bytesOf, snapshot } from '../git/tree-snapshot.js';
import { listFiles, type WorktreeRefusal } from '../refusal.js';
import { branchCommit, reopenWorktree } from '../worktree.js';
import { hasLeftWork } from '../worktree-facts.js';
import {
  type ChangedFile,
  changedFiles,
  checkoutTarget,
  headOf,
  lockIndex,
  moveHead,
  obstacleTo,
  refuse,
  rehearse,
  removeTraces,
  writeCheckout,
  writeFiles,
  writeIndex,
} from './user-checkout.js';

interface ApplySpec {
  /** Any folder in the checkout that is written to. */
  readonly cwd: string;
  readonly store: string;
  readonly runId: string;
  /** Where the note is stored: a folder of the run. */
  readonly folder: string;
  /** Message of the merge. */
  readonly message: string;
}

export type Applied =
  | {
      readonly kind: 'applied';
      readonly commit: string;
      /** The target of the merge: a branch, or a commit if none is checked out. */
      readonly into: string;
      /** Sorted, from the root of the repository. */
      readonly files: readonly string[];
    }
  /** The checkout already has all of it: through `commit`, or because that is checked out. */
  | { readonly kind: 'contained'; readonly commit: string }
  | { readonly kind: 'conflict'; readonly files: readonly string[] }
  | RefusedRepository;

/** `apply.json`: an `apply` that is done. */
interface ApplyNote {
  readonly root: string;
  readonly head: string;
  readonly commit: string;
  readonly done?: true;
}

const IN_PROGRESS: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'merge',
  CHERRY_PICK_HEAD: 'cherry-pick',
  REVERT_HEAD: 'revert',
  'rebase-merge': 'rebase',
  'rebase-apply': 'rebase',
};

/** How often `apply` starts again because of a commit made meanwhile. */
const TRIES = 20;

/** Merges the branch of a run into what is checked out. Rejects with a `GitFailure` or a `StoreError`. */
export async function applyBranch(spec: ApplySpec): Promise<Applied> {
  const found = await findRepository(spec.cwd);
  if (found.kind === 'refused') return found;
  const { repository } = found;
  const lock = await lockRepository(repository.commonDir);
  if (!('release' in lock)) return refuseBusy(lock.pid);
  try {
    const refusal = (await finishEarlier(lock, repository.commonDir)) ?? (await takeInLeftWork(spec.store, spec.runId));
    return refusal ?? (await applyAlone(spec, repository, lock));
  } finally {
    lock.release();
  }
}

async function applyAlone(spec: ApplySpec, repository: Repository, lock: ApplyLock): Promise<Applied> {
  const { root, gitDir } = repository;
  const noted = readNote(spec);
  const reference = `refs/heads/${branchOf(spec.runId)}^{commit}`;
  const tip = await git(checkoutTarget(repository), ['rev-parse', '--verify', '-q', reference], { ok: [0, 1] });
  if (tip.exit !== 0) {
    // It may have been merged into another repository.
    const isNoted = noted?.done === true && (await hasCommit(repository, noted.commit));
    return isNoted ? { kind: 'contained', commit: noted.commit } : noBranch(repository, spec);
  }
  const theirs = wordOf(tip);
  const head = await headOf(repository);
  if (await isWithin(repository, theirs, head)) {
    const commit = noted !== null && (await hasCommit(repository, noted.commit)) ? noted.commit : head;
    writeNote(spec, { root, head, commit, done: true });
    return { kind: 'contained', commit };
  }
  const refusal = unfinishedRefusal(gitDir);
  if (refusal !== null) return { kind: 'refused', refusal };
  // From here on only a commit that has already begun can succeed. Moving the branch reveals it.
  const unlock = await lockIndex(gitDir, spec.runId);
  try {
    for (let turn = 1; turn <= TRIES; turn++) {
      const applied = await applyOnce(spec, { repository, theirs, lock });
      if (applied !== null) return applied;
    }
    return branchChanged();
  } finally {
    unlock();
  }
}

async function hasCommit(repository: Repository, commit: string): Promise<boolean> {
  const asked = ['rev-parse', '--verify', '-q', `${commit}^{commit}`];
  return (await git(checkoutTarget(repository), asked, { ok: [0, 1] })).exit === 0;
}

async function isWithin(repository: Repository, commit: string, head: string): Promise<boolean> {
  return wordOf(await git(checkoutTarget(repository), ['merge-base', head, commit], { ok: [0, 1] })) === commit;
}

interface ApplyAttempt {
  readonly repository: Repository;
  readonly theirs: string;
  readonly lock: ApplyLock;
}

/** Null if the branch moved meanwhile; then nothing was written. */
async function applyOnce(spec: ApplySpec, { repository, theirs, lock }: ApplyAttempt): Promise<Applied | null> {
  const { root, gitDir } = repository;
  const target = checkoutTarget(repository);
  const head = await headOf(repository);
  const merge = await mergeTrees(target, head, theirs);
  if (merge.kind === 'conflict') return merge;
  const changed = await changedFiles(target, head, merge.tree);
  const obstacle = await obstacleTo(repository, realStore(spec.store), changed);
  if (obstacle !== null) return obstacle;
  const commit = await mergeCommit(target, merge.tree, [head, theirs], spec.message);
  const into = await checkedOut(target, head);
  await rehearse(repository, { head, commit });
  if (!(await write({ run: spec.runId, root, gitDir, head, commit }, changed, lock))) return null;
  writeNote(spec, { root, head, commit, done: true });
  return { kind: 'applied', commit, into, files: changed.map(({ name }) => name).sort() };
}

/** False if the branch has moved. */
async function write(intent: Intent, changed: readonly ChangedFile[], lock: ApplyLock): Promise<boolean> {
  lock.note(intent);
  if (!(await moveHead(intent, intent, `statedsl: apply ${intent.run}`))) {
    lock.note(null);
    return false;
  }
  try {
    await writeCheckout(intent, intent);
  } catch (cause) {
    if (await putBack(intent, changed)) lock.note(null);
    throw cause;
  }
  lock.note(null);
  return true;
}

/** False if that fails too: then the note stays, and the next `apply` finishes what was begun. */
async function putBack(intent: Intent, changed: readonly ChangedFile[]): Promise<boolean> {
  const { head, commit, run } = intent;
  const opposite: Readonly<Record<string, string>> = { A: 'D', D: 'A' };
  const before = changed.map((file) => ({ ...file, status: opposite[file.status] ?? file.status }));
  try {
    await writeFiles(intent, head, before);
    return await moveHead(intent, { head: commit, commit: head }, `statedsl: apply ${run} put back`);
  } catch (cause) {
    if (cause instanceof GitFailure || errorCode(cause) !== '') return false;
    throw cause;
  }
}

/** Whether the worktree of a run is one of the repository that a folder belongs to, so that it is of no use once its work is merged there. */
export async function isWorktreeOf(cwd: string, store: string, runId: string): Promise<boolean> {
  const record = readRecord(realStore(store), runId);
  if (record === null) return true;
  const found = await findRepository(cwd);
  return found.kind === 'found' && found.repository.commonDir === record.commonDir;
}

/** Removes the branch of a run from the repository that a folder belongs to. */
export async function removeBranch(cwd: string, runId: string): Promise<void> {
  await git({ cwd }, ['update-ref', '-d', `refs/heads/${branchOf(runId)}`]);
}

function refuseBusy(pid: number): RefusedRepository {
  const message = `process ${pid} is applying another run in this repository`;
  return refuse('busy', message, 'wait until it ends, and apply the run again');
}

function branchChanged(): RefusedRepository {
  return refuse('busy', 'the branch kept changing while the changes were merged', 'apply the run again');
}

function noBranch({ root, commonDir }: Repository, { store, runId }: ApplySpec): RefusedRepository {
  const record = readRecord(realStore(store), runId);
  if (record !== null && record.commonDir !== commonDir) {
    const { branch } = record;
    const there = `run \`${runId}\` has worked in the repository \`${record.commonDir}\`, and \`${root}\` has no branch \`${branch}\``;
    const fetching = `git fetch ${record.commonDir} ${branch}:${branch}`;
    return refuse(
      'lost',
      there,
      `apply it in a checkout of that repository, or fetch the branch first: \`${fetching}\``,
    );
  }
  const message = `run \`${runId}\` has nothing to apply: \`${root}\` has no branch \`${branchOf(runId)}\``;
  return refuse('lost', message, 'only runs with a worktree can be applied; see `--worktree`');
}

function unfinishedRefusal(gitDir: string): WorktreeRefusal | null {
  const found = Object.keys(IN_PROGRESS).find((name) => existsSync(join(gitDir, name)));
  if (found === undefined) return null;
  const message = `the checkout is in the middle of a ${IN_PROGRESS[found]}`;
  return { kind: 'unfinished', message, help: 'finish or abort it first' };
}

async function checkedOut(target: GitTarget, head: string): Promise<string> {
  const done = await git(target, ['symbolic-ref', '-q', '--short', 'HEAD'], { ok: [0, 1] });
  return done.exit === 0 ? wordOf(done) : head.slice(0, 12);
}

/** The merge commit, in the user's name if git knows it. */
async function mergeCommit(
  target: GitTarget,
  tree: string,
  parents: readonly string[],
  message: string,
): Promise<string> {
  const commit = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-m', message];
  try {
    // Without this setting git makes up a name from the name of the machine.
    const config = ['user.useConfigOnly=true'];
    return wordOf(await git(target, commit, { identity: 'configured', config }));
  } catch (cause) {
    if (!(cause instanceof GitFailure)) throw cause;
    return wordOf(await git(target, commit));
  }
}

function notePath({ folder }: ApplySpec): string {
  return join(folder, 'apply.json');
}

function readNote(spec: ApplySpec): ApplyNote | null {
  try {
    return JSON.parse(readFileSync(notePath(spec), 'utf8')) as ApplyNote;
  } catch {
    return null;
  }
}

function writeNote(spec: ApplySpec, note: ApplyNote): void {
  const path = notePath(spec);
  try {
    writeOwn(`${path}.new`, `${JSON.stringify(note)}\n`);
    renameSync(`${path}.new`, path);
  } catch (cause) {
    throw storeError('write', path, cause);
  }
}

/** Commits what only the worktree of a run has; null if the branch then has everything. */
async function takeInLeftWork(store: string, runId: string): Promise<RefusedRepository | null> {
  const record = readRecord(realStore(store), runId);
  if (record === null || !(await hasLeftWork(record))) return null;
  if (!existsSync(record.commonDir) || !existsSync(join(record.gitDir, 'statedsl-index')))
    return leftWork(runId, record, 'the repository no longer knows this worktree');
  try {
    const opened = await reopenWorktree(store, runId);
    if (opened.kind === 'refused') return opened;
    await snapshot(opened.worktree, { label: 'end of the run', onto: await branchCommit(opened.worktree) });
  } catch (cause) {
    if (!(cause instanceof GitFailure) && !(cause instanceof StoreError)) throw cause;
    return leftWork(runId, record, cause.message);
  }
  return (await hasLeftWork(record)) ? leftWork(runId, record, 'git cannot read all of its files') : null;
}

function leftWork(runId: string, { root }: WorktreeRecord, why: string): RefusedRepository {
  const message = `run \`${runId}\` has work that cannot be committed: ${why}`;
  const help = `its worktree \`${root}\` is kept; change or remove the file there, and apply the run again`;
  return { kind: 'refused', refusal: { kind: 'left-work', message, help } };
}

/** Finishes what the note of the lock describes. Null if another `apply` can start. */
async function finishEarlier(lock: ApplyLock, commonDir: string): Promise<RefusedRepository | null> {
  if (lock.left === null) return null;
  const { intent, since } = lock.left;
  if (existsSync(intent.root) && existsSync(intent.gitDir)) {
    await removeTraces(intent, commonDir, since);
    const refusal = (await headOf(intent)) === intent.commit ? await finish(intent) : null;
    if (refusal !== null) return refusal;
  }
  lock.note(null);
  return null;
}

async function finish(intent: Intent): Promise<RefusedRepository | null> {
  const target = checkoutTarget(intent);
  const changed = await changedFiles(target, intent.head, intent.commit);
  const unlock = await lockIndex(intent.gitDir, intent.run);
  try {
    // The index is written last: if it is complete, the files were written too.
    const staged = new Set(
      namesIn(
        (await git(target, ['diff-index', '--cached', '-z', '--name-only', '--no-renames', intent.commit])).stdout,
      ),
    );
    if (!changed.some(({ name }) => staged.has(name))) return null;
    const foreign = await foreignFiles(target, intent, changed);
    if (foreign.length > 0) return unfinishedBefore(intent, foreign);
    await writeFiles(intent, intent.commit, changed);
    await writeIndex(intent, changed);
    return null;
  } finally {
    unlock();
  }
}

/** Files that are neither unchanged nor in a state in which the killed `apply` can have left them. */
async function foreignFiles(target: GitTarget, intent: Intent, changed: readonly ChangedFile[]): Promise<string[]> {
  const foreign: string[] = [];
  for (const { name, status } of changed) {
    const found = bytesOf(join(intent.root, name));
    // Git removes a file before it writes the new one, and may have been stopped while it wrote.
    if (found === null) continue;
    if (status !== 'D' && (await text(target, intent.commit, name)).subarray(0, found.length).equals(found)) continue;
    if (status === 'A' || !(await text(target, intent.head, name)).equals(found)) foreign.push(name);
  }
  return foreign;
}

async function text(target: GitTarget, commit: string, name: string) {
  return (await git(target, ['cat-file', '--filters', `${commit}:${name}`])).stdout;
}

function unfinishedBefore({ run, root, commit }: Intent, files: readonly string[]): RefusedRepository {
  const message = `applying run \`${run}\` was interrupted in \`${root}\`, and ${listFiles(files)} changed since then`;
  const help = `save what you need elsewhere, then run \`git checkout ${commit.slice(0, 12)} -- FILE\``;
  return refuse('unfinished', message, help, files);
}

/** An `apply` that is writing: it first moves the branch from `head` to `commit`. */
interface Intent {
  readonly run: string;
  /** The checkout that it writes to, and the checkout's directory in the repository. */
  readonly root: string;
  readonly gitDir: string;
  readonly head: string;
  readonly commit: string;
}

interface ApplyLock extends Pick<RunLock, 'release'> {
  /** What a killed `apply` left, and when it began, in milliseconds since the epoch. */
  readonly left: { readonly intent: Intent; readonly since: number } | null;
  note(intent: Intent | null): void;
}

const FOLDER = 'statedsl-apply';
const WAIT_MS = 60_000;
const PAUSE_MS = 50;

/** Waits for other calls of `apply`. Returns the process that holds the lock if that takes too long. */
async function lockRepository(commonDir: string): Promise<ApplyLock | { readonly pid: number }> {
  const folder = join(commonDir, FOLDER);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw storeError('create the directory', folder, cause);
  }
  for (const until = clockMs() + WAIT_MS; ; ) {
    const attempt = lockRun(folder);
    if ('lock' in attempt) return withIntent(folder, attempt.lock);
    if (clockMs() > until) return { pid: attempt.owner.pid };
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function withIntent(folder: string, lock: RunLock): ApplyLock {
  const path = join(folder, 'intent.json');
  return {
    release: () => lock.release(),
    left: readIntent(path),
    note(intent) {
      try {
        if (intent === null) return rmSync(path, { force: true });
        writeOwn(`${path}.new`, `${JSON.stringify(intent)}\n`, 'w', true);
        renameSync(`${path}.new`, path);
      } catch (cause) {
        throw storeError('write', path, cause);
      }
    },
  };
}

function readIntent(path: string): ApplyLock['left'] {
  try {
    return { intent: JSON.parse(readFileSync(path, 'utf8')) as Intent, since: statSync(path).mtimeMs };
  } catch {
    return null;
  }
}
