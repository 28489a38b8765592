/**
 * The worktrees of one run while it executes: its own and those of its parallel tasks. Performs the requests of the run,
 * one after another in each worktree, and tracks which worktrees hold something that is in no commit.
 */
import { rmSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import type { Outcome } from '../../interpreter/events/event.js';
import type { WorktreeAction, WorktreeRequest } from '../../interpreter/request.js';
import { unreachable } from '../../prelude/unreachable.js';
import { outputSink } from '../process/output.js';
import type { OutputStore } from '../process/scratch.js';
import { writeOwn } from '../store/own-file.js';
import { errorCode, reasonOf, StoreError, storeError } from '../store/store-error.js';
import { looseBranch, type Worktree } from './checkout.js';
import { GitFailure } from './git/git.js';
import { mergeTasks } from './git/merge.js';
import { resetWorktree, snapshot, snapshotChange } from './git/tree-snapshot.js';
import { listFiles } from './refusal.js';
import { CALL_NOTE, type CallNote } from './restore-call.js';
import { branchCommit, forkWorktree, taskName } from './worktree.js';
import { factsOf, forgetLeftovers, noteLeftovers, type WorktreeFacts } from './worktree-facts.js';

/** An effect that works in a worktree: the parts of its request that matter here. */
interface WorktreeEffect {
  readonly kind: string;
  readonly effect: string;
  readonly attempt: number;
  /** Given if it is the agent of a step. */
  readonly step?: string;
  /** Given if it is part of a step. */
  readonly stepAttempt?: number;
}

export interface RunWorktrees {
  /** The worktree of the run itself. */
  readonly main: Worktree;
  /** The folder of the store. */
  readonly store: string;
  /** Performs a request. A failure of git is an outcome. Rejects with a `StoreError` if the disk is full. */
  perform(request: WorktreeRequest, outputs: OutputStore): Promise<Outcome>;
  facts(): WorktreeFacts;
  /** Commits the changes in the run's worktree since its last commit. Null if there are none or git fails. */
  keepPoint(label: string): Promise<string | null>;
  /** Commits the changes since the last snapshot, at the end of the run. Returns a message if git fails. */
  finish(): Promise<string | null>;
  /** The worktree that contains a folder. */
  at(folder: string): Worktree;
  /**
   * Call before an effect works in a folder. Returns the function to call at its end. For the call of an agent it notes the
   * content of the worktree, so that the files can be restored if the call is interrupted.
   */
  enter(folder: string, worker: WorktreeEffect): Promise<() => void>;
}

/** What this process knows of a worktree. */
interface HeldWorktree {
  readonly worktree: Worktree;
  /** The commit that equals its content; null if something may have been written since. */
  clean: string | null;
  /** Whether an agent or an instruction outside of steps has worked there since then, and not only gates. */
  touched: boolean;
  /** The last commit that was made of it or to which it was reset; null if another process did that. */
  at: string | null;
  /** How many effects are working in it. */
  active: number;
  /** Settles when all requests so far are done. */
  last: Promise<unknown>;
}

interface KnownCommits {
  readonly store: string;
  readonly runId: string;
  /** The run's worktree is new, so it equals the commit from which it was created. */
  readonly fresh: boolean;
  /** The worktrees of tasks that an earlier process made. */
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
  // One after another: so tasks start in their order, and calls of git do not wait for each other's locks.
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
          // The run does not need it, and the next commit reports the problem.
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
        // A run cannot continue without its journal.
        if (cause instanceof StoreError) throw cause;
        return { kind: 'failed', error_type: 'worktree', message: troubleIn(cause) };
      }
    },
    async enter(folder, worker) {
      const held = heldAt(folder);
      held.active++;
      const alone = held.active === 1;
      await inTurn(held, async () => {
        const commit = worker.kind === 'agent' && alone ? await commitBefore(held, worker) : null;
        if (commit === null) rmSync(join(held.worktree.gitDir, CALL_NOTE), { force: true });
        else noteCall(held.worktree, { effect: worker.effect, attempt: worker.attempt, commit });
        soil(held, worker);
      });
      return () => {
        held.active--;
        // A snapshot may have been made meanwhile.
        soil(held, worker);
      };
    },
  };
}

function soil(held: HeldWorktree, { kind, stepAttempt }: WorktreeEffect): void {
  held.clean = null;
  if (kind === 'agent' || stepAttempt === undefined) held.touched = true;
}

/** The branch of a task, and its commit if a file names it. */
type BranchOfTask = (task: string) => { readonly branch: string; readonly tip: string | null };

/** Merges tasks. A conflict that the user has resolved on the branch of a task is merged when the run is resumed. */
async function merge(
  held: HeldWorktree,
  action: Extract<WorktreeAction, { do: 'merge' }>,
  branchOfTask: BranchOfTask,
): Promise<Outcome> {
  // Commits first: writing files would destroy what instructions did since the last commit.
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

/** Runs calls of git in one worktree one at a time, because each would meet the lock of the other. */
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

/** Names of files as seen from the working directory: gates and tasks of a project in a subfolder name files from there. */
function seenFrom({ root, cwd }: Worktree, files: readonly string[]): readonly string[] {
  return root === cwd ? files : files.map((file) => relative(cwd, join(root, file))).sort();
}

/** Notes the commit that it was reset to. While an effect works there, its content may differ again at any moment. */
function settleAt(held: HeldWorktree, commit: string): void {
  held.at = commit;
  held.touched = held.active > 0;
  held.clean = held.active === 0 ? commit : null;
}

async function keep(held: HeldWorktree): Promise<void> {
  if (held.clean !== null) return;
  // After the last step only its gates have run, and what they leave behind is not work.
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
 * The commit to restore if the call of an agent is interrupted; null if git cannot make one. The agent of a step starts
 * at the last snapshot, because what gates have left behind since then is not work.
 */
async function commitBefore(
  { worktree, clean, touched, at }: HeldWorktree,
  { effect, step }: WorktreeEffect,
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
    writeOwn(path, `${JSON.stringify(note)}\n`);
  } catch (cause) {
    throw storeError('write', path, cause);
  }
}

function isInside(folder: string, root: string): boolean {
  return folder === root || folder.startsWith(`${root}/`);
}

/** A failure of git or of the system, as a clause: the program can handle it. Throws anything else, which is a bug. */
function troubleIn(cause: unknown): string {
  if (cause instanceof GitFailure || cause instanceof StoreError) return cause.message;
  if (errorCode(cause) === '') throw cause;
  return `cannot use the worktree: ${reasonOf(cause)}`;
}
