/** A thread of execution and its location. Instructions write its members. */
import type { FailureCause, Output, RunEvent } from '../events/event.js';
import type { RolledBack } from '../events/facts.js';
import type { Missing, Value } from '../values/value.js';
import type { Fork, Member } from './fork-state.js';
import type { Frame, Restarts, ThreadWorktree } from './frame.js';
import type { ActivePlan } from './open-plan.js';
import type { Pending } from './pending.js';
import type { RunData } from './run-data.js';
import type { Run } from './run-memory.js';

export type Slot = Value | Missing;

/** How a member ended without a result. */
export type Lost = 'failed' | 'stopped';

/** A thread of execution. The run itself has the path `''`; a branch has the id of its fork and its number. */
export class Thread {
  state = 0;
  /** The flat position, over all states. */
  pc = 0;
  locals: Slot[] = [];
  entry: Slot[] = [];
  /** The number of its last effect. Numbers are per thread, so that ids do not depend on the order of events. */
  counter = 0;
  /** The standard output of its last DO or CHECK since the state was entered. */
  output: Output | null = null;
  status: 'ready' | 'blocked' | 'joining' | 'done' = 'ready';
  /** Whether it is in an ON ERROR: a failure there is not handled by another one. */
  handling = false;
  /** How often it has failed, which numbers the failures. */
  failures = 0;
  /** The causes of the failure that ON ERROR or the state ERROR is handling. */
  handled: readonly FailureCause[] | null = null;
  /** The plan that its instruction executes. */
  plan: ActivePlan | null = null;
  /** Names that are null because the member that binds them failed or was stopped. */
  lost: Readonly<Record<string, Lost>> | null = null;
  /** What the active ROLLBACK has done. */
  rollback: RolledBack | null = null;
  /** The attempt that failed, of a call that waits for budget before the next one. */
  retrying: { readonly effect: string; readonly attempt: number; readonly delayMs: number } | null = null;
  /** Whether the last CALL had no effect, so that there is nothing to undo. */
  unperformed = false;
  /** The run's data as this branch sees it. */
  branchData: RunData | null = null;
  /** Open forks: the detached ones, then at most one that blocks. */
  readonly forks: Fork[] = [];
  /** What it waits for. */
  readonly pending: Pending[] = [];
  /** Open steps and the scopes of their names, innermost last. Those of a branch begin with its parent's. */
  frames: Frame[] = [];
  /** What retries that begin with an earlier step keep; null: nothing. */
  restarts: Restarts | null = null;
  /** Its working directory: a parallel task has its own worktree. */
  worktree: ThreadWorktree;
  readonly tracked: Slot[];

  constructor(
    readonly run: Run,
    readonly path: string,
    readonly member: Member | null,
  ) {
    this.tracked = run.trackedSlots;
    this.worktree = member?.fork.parent.worktree ?? {
      task: null,
      directory: null,
      commit: run.options.worktree?.base ?? null,
    };
    if (member !== null) this.frames = member.fork.parent.frames.slice();
  }

  /** Read through the run, which has them only after its main thread exists. */
  get inputs(): readonly Slot[] {
    return this.run.inputSlots;
  }

  /** The values of `†state` and `†data` in this thread. */
  get data(): RunData {
    return this.branchData ?? this.run.data;
  }

  nextEffect(): string {
    this.counter++;
    return this.path === '' ? String(this.counter) : `${this.path}.${this.counter}`;
  }
}

/** The value of a local. Until a branch binds a name, it has the value that its parent had at the fork. */
export function localOf({ locals, member }: Thread, slot: number): Slot {
  const value = locals[slot];
  return value === undefined && member !== null ? member.fork.locals[slot] : value;
}

/** Records an event in the order of the program: events of a branch wait for its join. */
export function record(thread: Thread, event: RunEvent): void {
  if (thread.run.quiet) return;
  if (thread.member === null) thread.run.recordNow(event);
  else thread.member.events.push(event);
}

/** Warns of something that is not a failure. `at`: the location that it is about, if it is in the same file. */
export function warn(thread: Thread, message: string, at?: { readonly line: number; readonly file?: string }): void {
  const { state, line, file } = locationOf(thread);
  record(thread, { type: 'warned', message, state, line: at?.file === file ? at.line : line });
}

/** The location of a thread, for messages and records. */
export function locationOf(thread: Thread): { state: string; line: number; file: string | null } {
  const { linked } = thread.run;
  const origin = linked.origins[thread.pc];
  return {
    state: linked.machine.states[thread.state]?.name ?? '',
    line: origin?.line ?? 0,
    file: origin === undefined ? null : (linked.machine.files[origin.file] ?? null),
  };
}

/** Queues a thread that can run. */
export function makeReady(thread: Thread): void {
  thread.status = 'ready';
  thread.run.enqueue(thread);
}

/** Wakes the calls that wait for budget. */
export function wakeWaiters(run: Run): void {
  for (const thread of run.takeWaitingForBudget()) if (thread.status === 'blocked') makeReady(thread);
}
