/** One line of execution, and what is said about where it is. Instructions write its members. */
import type { FailureCause, Output, RunEvent } from '../events/event.js';
import type { RolledBack } from '../events/undo-facts.js';
import type { Missing, Value } from '../values/value.js';
import type { ActivePlan } from './active-plan.js';
import type { Fork, Member } from './fork.js';
import type { Frame, ThreadWorktree } from './frame.js';
import type { Pending } from './pending.js';
import type { Run } from './run.js';
import type { RunData } from './run-data.js';

export type Slot = Value | Missing;

/** How a member ended that gave nothing. */
export type Lost = 'failed' | 'stopped';

/** One line of execution. The run itself has the path `''`; a branch the id of its fork and its number. */
export class Thread {
  state = 0;
  /** Flat pc, over all states. */
  pc = 0;
  locals: Slot[] = [];
  entry: Slot[] = [];
  /** Numbers the effects of this thread, so that their ids are the same in every order of events. */
  counter = 0;
  /** stdout of the last DO or CHECK of this activation. */
  output: Output | null = null;
  status: 'ready' | 'blocked' | 'joining' | 'done' = 'ready';
  /** An ON ERROR has begun: a failure in it is not handled by another one. */
  handling = false;
  /** How often it failed, so that each failure has a number. */
  failures = 0;
  /** Where the failure came from that is handled now, by ON ERROR or in the state ERROR. */
  handled: readonly FailureCause[] | null = null;
  /** The plan that its instruction runs. */
  plan: ActivePlan | null = null;
  /** Names that are null since the member that binds them did not end well. */
  lost: Readonly<Record<string, Lost>> | null = null;
  /** What the ROLLBACK under way has done. */
  rollback: RolledBack | null = null;
  /** The CALL that has just ended has not done what it is for, so there is nothing to take back. */
  unperformed = false;
  /** What a branch sees of the run's data. */
  branchData: RunData | null = null;
  /** Open forks: at most one that blocks, last; before it the detached ones. */
  readonly forks: Fork[] = [];
  /** What it waits for. */
  readonly pending: Pending[] = [];
  /** Steps that are open and the scopes of their names, innermost last. Those of a branch begin with its parent's. */
  frames: Frame[] = [];
  /** Where it works: a parallel task has a worktree of its own. */
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

  /** Read through the run, which has them only after its main thread was made. */
  get inputs(): readonly Slot[] {
    return this.run.inputSlots;
  }

  /** What `†state` and `†data` are here. */
  get data(): RunData {
    return this.branchData ?? this.run.data;
  }

  nextEffect(): string {
    this.counter++;
    return this.path === '' ? String(this.counter) : `${this.path}.${this.counter}`;
  }
}

/** An event in the order of the program: those of a branch wait for its join. */
export function record(thread: Thread, event: RunEvent): void {
  if (thread.run.quiet) return;
  if (thread.member === null) thread.run.recordNow(event);
  else thread.member.events.push(event);
}

/** Tells people about something that is no failure. */
export function warn(thread: Thread, message: string): void {
  const { state, line } = locationOf(thread);
  record(thread, { type: 'warned', message, state, line });
}

/** Where a thread is, as messages and records say it. */
export function locationOf(thread: Thread): { state: string; line: number; file: string | null } {
  const { linked } = thread.run;
  const origin = linked.origins[thread.pc];
  return {
    state: linked.machine.states[thread.state]?.name ?? '',
    line: origin?.line ?? 0,
    file: origin === undefined ? null : (linked.machine.files[origin.file] ?? null),
  };
}

/** Puts a thread in the queue of those that can run. */
export function makeReady(thread: Thread): void {
  thread.status = 'ready';
  thread.run.enqueue(thread);
}
