/**
 * The worktrees of one run while it is executed: its own and those of its parallel tasks. What the run asks of them is
 * done here, one thing after the other in each, and here it is known which of them hold something that no commit has.
 */

import { rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import type { Outcome } from '../../interpreter/events/event.js';
import type { WorktreeAction, WorktreeRequest } from '../../interpreter/request.js';
import { unreachable } from '../../prelude/unreachable.js';
import { outputSink } from '../process/output.js';
import type { OutputStore } from '../process/output-store.js';
import { errorCode, reasonOf, StoreError, storeError } from '../store/store-error.js';
import { looseBranch, type Worktree } from './checkout.js';
import { GitFailure } from './git/git.js';
import { mergeTasks } from './git/merge.js';
import { resetWorktree, snapshot, snapshotChange } from './git/snapshot.js';
import { forgetLeftovers, noteLeftovers } from './left-work.js';
import { listFiles } from './refusal.js';
import { CALL_NOTE, type CallNote } from './restore-call.js';
import { branchCommit, forkWorktree, taskName } from './worktree.js';
import { factsOf, type WorktreeFacts } from './worktree-facts.js';

/** An effect that works in a worktree: a request, as far as it matters here. */
export interface Worker {
  readonly kind: string;
  readonly effect: string;
  readonly attempt: number;
  /** Given where it is the agent of a step. */
  readonly step?: string;
  /** Given where it is part of a step. */
  readonly stepAttempt?: number;
}

export interface RunWorktrees {
  /** The run's own. */
  readonly main: Worktree;
  /** Folder of the store. */
  readonly store: string;
  /** Does what the run asks. Rejects with a `StoreError` when the disk is full; what git cannot do is an outcome. */
  perform(request: WorktreeRequest, outputs: OutputStore): Promise<Outcome>;
  facts(): WorktreeFacts;
  /** Commits what was done in the run's own since the last commit. Null where nothing was, or git cannot do it now. */
  keepPoint(label: string): Promise<string | null>;
  /** Commits what was done since the last snapshot, at the end of the run. What git cannot do is given as a message. */
  finish(): Promise<string | null>;
  /** The worktree that a folder is in. */
  at(folder: string): Worktree;
  /**
   * Something is about to work in a folder; gives what ends that. For the call of an agent it is noted how the worktree
   * is before, so that what a call did that never came to its end can be taken back.
   */
  enter(folder: string, worker: Worker): Promise<() => void>;
}

/** A worktree as this process knows it. */
interface HeldWorktree {
  readonly worktree: Worktree;
  /** The commit that it is known to hold exactly; null when something may have been written since. */
  clean: string | null;
  /** An agent or an instruction outside of steps has worked there since then, and not only gates. */
  touched: boolean;
  /** The last commit that was made of it or that it was put to; null when that was in another process. */
  at: string | null;
  /** How many effects work in it now. */
  active: number;
  /** The end of all that was asked of it so far. */
  last: Promise<unknown>;
}

interface KnownCommits {
  readonly store: string;
  readonly runId: string;
  /** The run's own was made just now, so it holds the commit it begins at. */
  readonly fresh: boolean;
  /** Those of tasks that an earlier process made. */
  readonly tasks?: readonly Worktree[];
}

export function runWorktrees(main: Worktree, { store, runId, fresh, tasks = [] }: KnownCommits): RunWorktrees {
  const heldByRoot = new Map<string, HeldWorktree>();
  const add = (worktree: Worktree, clean: string | null): HeldWorktree => {
    const held = { worktree, clean, touched: clean === null, at: clean, active: 0, last: Promise.resolve() };
    heldByRoot.set(basename(worktree.root), held);
    return held;
  };
  const own = add(main, fresh ? main.base : null);
  for (const worktree of tasks) add(worktree, null);
  const heldOf = (task: string | null): HeldWorktree => {
    if (task === null) return own;
    const known = heldByRoot.get(taskName(runId, task));
    if (known === undefined) throw new GitFailure(`task \`${task}\` has no worktree`, '');
    return known;
  };
  const branchOfTask: BranchOfTask = (task) => {
    const { worktree } = heldOf(task);
    return { branch: worktree.branch, tip: looseBranch(worktree) };
  };
  const fork = async (task: string, base: string): Promise<Outcome> => {
    const opened = await forkWorktree(main, { store, runId, task, base });
    if (opened.kind === 'refused') throw new GitFailure(opened.refusal.message, '');
    const known = heldByRoot.get(basename(opened.worktree.root));
    const { worktree } = known !== undefined && !opened.made ? known : add(opened.worktree, opened.made ? base : null);
    return { kind: 'value', value: { directory: worktree.cwd } };
  };
  // One after the other: tasks begin in their order then, and calls of git do not wait for the locks of each other.
  let forked: Promise<unknown> = Promise.resolve();
  const forkInTurn = (task: string, base: string): Promise<Outcome> => {
    const done = forked.then(() => fork(task, base));
    forked = done.catch(() => undefined);
    return done;
  };
  const heldAt = (folder: string): HeldWorktree => {
    for (const held of heldByRoot.values()) if (isInside(folder, held.worktree.root)) return held;
    return own;
  };
  return {
    main,
    store,
    facts: () => factsOf(main),
    keepPoint: (label) =>
      inTurn(own, async () => {
        if (own.active > 0 || own.clean !== null || !own.touched) return null;
        try {
          return await commitAll(own, label);
        } catch (cause) {
          // The run does not need it, and its next commit says what is wrong.
          troubleIn(cause);
          return null;
        }
      }),
    async finish() {
      try {
        await inTurn(own, () => keep(own));
        return null;
      } catch (cause) {
        return troubleIn(cause);
      }
    },
    at: (folder) => heldAt(folder).worktree,
    async perform({ task, action }, outputs) {
      try {
        if (action.do === 'fork') return await forkInTurn(task ?? '', action.base);
        const held = heldOf(task);
        return await inTurn(held, () => act(held, action, { outputs, branchOfTask }));
      } catch (cause) {
        // Without its journal a run cannot go on, whatever it asks.
        if (cause instanceof StoreError) throw cause;
        return { kind: 'failed', error_type: 'worktree', message: troubleIn(cause) };
      }
    },
    async enter(folder, worker) {
      const held = heldAt(folder);
      held.active++;
      const alone = held.active === 1;
      await inTurn(held, async () => {
        const commit = worker.kind === 'agent' && alone ? await before(held, worker) : null;
        if (commit === null) rmSync(join(held.worktree.gitDir, CALL_NOTE), { force: true });
        else noteCall(held.worktree, { effect: worker.effect, attempt: worker.attempt, commit });
        soil(held, worker);
      });
      return () => {
        held.active--;
        // A snapshot may have been made while it worked.
        soil(held, worker);
      };
    },
  };
}

function soil(held: HeldWorktree, { kind, stepAttempt }: Worker): void {
  held.clean = null;
  if (kind === 'agent' || stepAttempt === undefined) held.touched = true;
}

/** The branch of a task, and the commit it is at as far as a file says so. */
type BranchOfTask = (task: string) => { readonly branch: string; readonly tip: string | null };

/** A conflict that a person has solved on the branch of a task is none when the run goes on. */
async function merge(
  held: HeldWorktree,
  action: Extract<WorktreeAction, { do: 'merge' }>,
  branchOfTask: BranchOfTask,
): Promise<Outcome> {
  // What instructions did since the last commit would be gone with what is written.
  const isAhead = held.touched || (held.at !== null && held.at !== action.onto);
  const onto = isAhead ? await snapshot(held.worktree, { label: 'before merging', onto: action.onto }) : action.onto;
  let merged = await mergeTasks(held.worktree, { onto, tasks: action.tasks });
  if (merged.kind === 'conflict') {
    const tasks = action.tasks.map((one) => ({ ...one, tip: branchOfTask(one.task).tip ?? one.tip }));
    if (tasks.some(({ tip }, index) => tip !== action.tasks[index]?.tip))
      merged = await mergeTasks(held.worktree, { onto, tasks });
  }
  if (merged.kind === 'conflict') {
    const { branch } = branchOfTask(merged.task);
    const others = merged.tasks.map((task) => branchOfTask(task).branch);
    const help = `merge ${listFiles(others.length === 0 ? [held.worktree.branch] : others)} into the branch \`${branch}\`, and resume the run`;
    return { kind: 'failed', error_type: 'merge_conflict', message: `${merged.message}; ${help}` };
  }
  settleAt(held, merged.commit);
  return { kind: 'value', value: { commit: merged.commit } };
}

/** Calls of git in one worktree would meet each other's locks. */
function inTurn<T>(held: HeldWorktree, action: () => Promise<T>): Promise<T> {
  const done = held.last.then(action, action);
  held.last = done.catch(() => undefined);
  return done;
}

async function act(
  held: HeldWorktree,
  action: Exclude<WorktreeAction, { do: 'fork' }>,
  { outputs, branchOfTask }: { readonly outputs: OutputStore; readonly branchOfTask: BranchOfTask },
): Promise<Outcome> {
  const { worktree } = held;
  switch (action.do) {
    case 'snapshot': {
      const { commit, change } = await snapshotChange(worktree, action);
      settleAt(held, commit);
      const sink = outputSink(outputs, null);
      sink.write(Buffer.from(change.diff, 'utf8'));
      return { kind: 'changed', commit, files: seenFrom(worktree, change.files), stdout: await sink.finish(true) };
    }
    case 'reset':
      await resetWorktree(worktree, action.to);
      settleAt(held, action.to);
      return { kind: 'value', value: null };
    case 'merge':
      return merge(held, action, branchOfTask);
    default:
      return unreachable(action);
  }
}

/** Names of files as those who work there see them: gates and tasks of a project in a folder of a repository name its own files. */
function seenFrom({ root, cwd }: Worktree, files: readonly string[]): readonly string[] {
  return root === cwd ? files : files.map((file) => relative(cwd, join(root, file))).sort();
}

/** While something works there, nobody knows what the worktree holds a moment later. */
function settleAt(held: HeldWorktree, commit: string): void {
  held.at = commit;
  held.touched = held.active > 0;
  held.clean = held.active === 0 ? commit : null;
}

async function keep(held: HeldWorktree): Promise<void> {
  if (held.clean !== null) return;
  // After the last step only its gates have run: what they leave behind is nobody's work.
  if (!held.touched) return noteLeftovers(held.worktree);
  forgetLeftovers(held.worktree);
  await commitAll(held, 'end of the run');
}

async function commitAll(held: HeldWorktree, label: string): Promise<string> {
  const onto = held.at ?? (await branchCommit(held.worktree));
  const { commit } = await snapshotChange(held.worktree, { label, onto, from: onto });
  settleAt(held, commit);
  return commit;
}

/**
 * The commit to go back to when the call of an agent is cut short, null where git cannot make one. The agent of a step
 * begins at the last snapshot: what gates have left behind since then is nobody's work.
 */
async function before(
  { worktree, clean, touched, at }: HeldWorktree,
  { effect, step }: Worker,
): Promise<string | null> {
  if (clean !== null) return clean;
  if (step !== undefined && !touched && at !== null) return at;
  try {
    return await snapshot(worktree, { label: `before effect ${effect}`, onto: at ?? (await branchCommit(worktree)) });
  } catch (cause) {
    troubleIn(cause);
    return null;
  }
}

function noteCall({ gitDir }: Worktree, note: CallNote): void {
  const path = join(gitDir, CALL_NOTE);
  try {
    writeFileSync(path, `${JSON.stringify(note)}\n`, { mode: 0o600 });
  } catch (cause) {
    throw storeError('write', path, cause);
  }
}

function isInside(folder: string, root: string): boolean {
  return folder === root || folder.startsWith(`${root}/`);
}

/** What git or the system says as a clause: it is the world's, and the run can go on from it. Our own bugs are thrown. */
function troubleIn(cause: unknown): string {
  if (cause instanceof GitFailure || cause instanceof StoreError) return cause.message;
  if (errorCode(cause) === '') throw cause;
  return `cannot use the worktree: ${reasonOf(cause)}`;
}
