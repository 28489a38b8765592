/**
 * Takes what a run made over into the checkout of the user: the one time that anything of theirs is written.
 *
 * 1. Whatever can be refused is refused before anything is written, a conflict among them.
 * 2. What is going to happen is noted first, then files and index are written, then the branch moves. After a crash the
 *    note tells files that were written here from files that a person changed.
 */

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { storeError } from '../../store/store-error.js';
import { branchOf } from '../checkout.js';
import { GitFailure, type GitPlace, git, wordOf } from '../git/git.js';
import { mergeTrees } from '../git/merge.js';
import { findRepository, type Refused, type Repository, realStore, uncommittedFiles } from '../git/repository.js';
import { named, type Refusal } from '../refusal.js';
import { type ChangedFile, changedFiles, inTheWay, notWritten } from './obstacles.js';
import { lockIndex, moveHead, removeTraces, writeCheckout } from './user-checkout.js';

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
  const begun = noted?.root === root && noted.head === head && !noted.done ? noted : null;
  if (begun !== null) await removeTraces(found.repository, notePath(spec));
  const merge = await mergeTrees(place, head, theirs);
  if (merge.kind === 'conflict') return merge;
  const changed = await changedFiles(place, head, merge.tree);
  const obstacle = await obstacleTo(spec, found.repository, begun, changed);
  if (obstacle !== null) return obstacle;
  const commit = begun?.commit ?? (await mergeCommit(place, merge.tree, [head, theirs], spec.message));
  const into = await checkedOut(place, head);
  const unlock = lockIndex(gitDir, spec.runId);
  try {
    writeNote(spec, { root, head, commit });
    await writeCheckout(place, gitDir, { head, commit, again: begun !== null });
    await moveHead(place, { head, commit }, `statedsl: apply ${spec.runId}`);
    writeNote(spec, { root, head, commit, done: true });
  } finally {
    unlock();
  }
  return { kind: 'applied', commit, into, files: changed.map(({ name }) => name).sort() };
}

/** Removes the branch of a run from the repository that a folder belongs to. */
export async function removeBranch(cwd: string, runId: string): Promise<void> {
  await git({ cwd }, ['update-ref', '-d', `refs/heads/${branchOf(runId)}`]);
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

function notePath({ folder }: ApplySpec): string {
  return join(folder, 'apply.json');
}

function readNote(spec: ApplySpec): Note | null {
  try {
    return JSON.parse(readFileSync(notePath(spec), 'utf8')) as Note;
  } catch {
    return null;
  }
}

function writeNote(spec: ApplySpec, note: Note): void {
  const path = notePath(spec);
  try {
    writeFileSync(`${path}.new`, `${JSON.stringify(note)}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch (cause) {
    throw storeError('write', path, cause);
  }
}
