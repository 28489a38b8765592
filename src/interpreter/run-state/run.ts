/**
 * The state of a run: threads (the run itself and branches of PARALLEL), forks, what it waits for, and the events
 * and requests that were not taken yet. Only the interpreter's own functions change it.
 */
import type { Json } from '../../machine/expression.js';
import type { Limits } from '../../machine/machine.js';
import type { DataWrite } from '../control/branch-data.js';
import type { Lost } from '../control/member-failures.js';
import type { Cause, EffectKind, FailureFacts, Output, RunEvent, Waiting } from '../events/event.js';
import type { LinkedMachine } from '../instructions/link.js';
import type { ActivePlan } from '../plan/active-plan.js';
import type { EffectRequest } from '../request.js';
import { define, type Missing, plain, type Value } from '../values/value.js';
import type { Frame, Place, UsedBudget } from './frame.js';
import { RunData } from './run-data.js';
import type { RunOptions, RunResult, StepRecord } from './run-options.js';
import { Trail } from './trail.js';
import type { RolledBack, UndoEntry, Undone } from './undo-entry.js';

export type { RunOptions, RunResult, StepRecord } from './run-options.js';

export type Slot = Value | Missing;

/** Tokens counted over all agent calls of a run. */
export interface Tokens {
  in: number;
  out: number;
  cache_read: number;
  cache_write: number;
}

/** Something a thread cannot go on without. */
export interface Pending {
  readonly effect: string;
  readonly kind: EffectKind;
  attempt: number;
  readonly thread: Thread;
  /**
   * `result`: the outcome is what the instruction is for. `clock`: the time it needs before it can wait.
   * `bound`: the timer that ends a question, a signal or a join.
   */
  readonly purpose: 'result' | 'clock' | 'bound';
  /** Milliseconds since the epoch, for timers and what they bound. */
  until: number | null;
  /** The request was handed out, so that stopping it must be told. */
  taken: boolean;
  /** What people are told about it, where only they, a program or the clock can end it. */
  waiting: Waiting | null;
  /** How often this try of an agent call was put off. */
  readonly waits?: number;
  /** Who answered it. */
  answeredBy?: string;
  /** The try that this timer puts off, to be asked for again. */
  readonly putsOff?: { readonly effect: string; readonly attempt: number };
  /** The try that failed, where chance is asked how long to pause before the next one. */
  readonly retries?: { readonly effect: string; readonly attempt: number; readonly error: string };
  /** The call of a plan that it is made for. */
  readonly call?: PlanPending;
}

/** Which call or gate of a plan waits for this. */
export interface PlanPending {
  readonly key: string;
  /** The answer before could not be used, and this is the one further try. */
  readonly correction?: { readonly problem: string; readonly session: string | null };
}

/** How many members may be active at once: those of one fork, or of all forks that share the run's jobs. */
export interface Gate {
  readonly limit: number;
  active: number;
  /** Forks with members that have not started. */
  readonly forks: Fork[];
  /** Members that waited for something slow and want their place back. */
  readonly returning: Thread[];
}

export type MemberStatus = 'waiting' | 'active' | 'succeeded' | 'failed' | 'stopped';

/** A branch of a fork. Its events are kept until the join, where they follow in source order. */
export interface Member {
  readonly fork: Fork;
  readonly index: number;
  status: MemberStatus;
  thread: Thread | null;
  events: RunEvent[];
  failure: FailureFacts | null;
  /** TOOL_FAILURE is among its events already. */
  told: boolean;
  /** What it wrote of the run's data, in order. */
  readonly writes: DataWrite[];
  /** How what it did is taken back, in order. */
  readonly undo: UndoEntry[];
  /** Values of the collected slots of a member that succeeded. */
  collected: readonly Slot[] | null;
  /** It counts as active in its gate. */
  holds: boolean;
}

export interface Fork {
  readonly id: string;
  readonly parent: Thread;
  /** Flat pc of the `fork` or `fork-each` instruction. */
  readonly pc: number;
  readonly gate: Gate;
  readonly quorum: number | null;
  readonly members: Member[];
  /** Locals of the parent at the fork: a member that starts late sees what the first one saw. */
  readonly locals: readonly Slot[];
  /** The run's data at the fork, as the parent saw it. */
  readonly data: Json;
  /** Elements of a `fork-each`, by member. */
  readonly items: readonly Value[] | null;
  /** Index of the next member to start. */
  next: number;
  open: number;
  succeeded: number;
  failed: number;
  /** The parent goes on while the members run, up to `join-detached`. */
  readonly detached: boolean;
}

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
  handled: readonly Cause[] | null = null;
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
  place: Place;
  readonly tracked: Slot[];

  constructor(
    readonly run: Run,
    readonly path: string,
    readonly member: Member | null,
  ) {
    this.tracked = run.trackedSlots;
    this.place = member?.fork.parent.place ?? {
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

/** A signal that nobody has waited for yet. */
export interface KeptSignal {
  readonly name: string;
  readonly payload: Json;
}

export class Run {
  readonly quiet: boolean;
  readonly trackedSlots: Slot[];
  inputSlots: readonly Slot[] = [];
  /** Entry values by state; a state that nothing was passed to has none yet. */
  readonly entries: Slot[][] = [];
  readonly trail: Trail;
  readonly main: Thread;
  readonly ready: Thread[] = [];
  readonly pending = new Map<string, Pending>();
  readonly signals: KeptSignal[] = [];
  readonly jobs: Gate;
  readonly agentJobs: Gate;
  /** A resumed run may get others. Of what came before, none ends it then, though calls wait for money as they did. */
  limits: Limits;
  maxTransitions: number;
  overlooksLimits = false;
  transitions = 0;
  /** Steps that may be taken before `advance` comes back. */
  fuel = 0;
  /** Failures that are not to be taken, while a record is read: their threads wait at the instruction. See `hold.ts`. */
  holds: ReadonlySet<string> | null = null;
  readonly held: Thread[] = [];
  /** The failure that the state ERROR was entered with. */
  cause: FailureFacts | null = null;
  result: RunResult | null = null;
  /** What `†` names, as far as the run writes it. */
  data = new RunData();
  /** The plan that the run is, under way or ended; null for programs. */
  plan: ActivePlan | null = null;
  /** How what was done is taken back, in order. */
  undo: UndoEntry[] = [];
  /** What was taken back. */
  undone: Undone | null = null;
  /** How the run had ended, while what it did is taken back. */
  endedAs: Pick<RunResult, 'error' | 'value'> | null = null;
  /** What taking it back came to. */
  lateRollback: RolledBack | null = null;
  /** Effects that made the last plan fail. */
  blamed: readonly string[] = [];
  /** Commands, functions, agents and tools that were started, tries counted once. */
  effects = 0;
  /** US dollars of the agent calls that told their cost. */
  knownCost = 0;
  /** The adapters that made sessions, by their ids. */
  readonly sessionAdapters = new Map<string, string>();
  /** Agent calls that did not tell it. */
  unknownCosts = 0;
  agentCalls = 0;
  readonly tokens: Tokens = { in: 0, out: 0, cache_read: 0, cache_write: 0 };
  /** What steps wrote: `<path>.<field>`. */
  readonly keys = new Map<string, string>();
  /** Every step that began, in that order. */
  readonly steps = new Map<string, StepRecord>();
  /** Attempts behind which one more may follow, as a person said: `<step> <attempt>`. */
  readonly granted = new Set<string>();
  /** Worktrees, by the task they are of, in which an instruction or a command of a gate has worked since their last commit. */
  readonly touched = new Set<string | null>();
  /** What workflows with a budget of their own used, by their prefix. */
  readonly budgets = new Map<string, UsedBudget>();
  /** When the first step began and the last one was judged; milliseconds since the epoch. */
  firstClockMs = 0;
  lastClockMs = 0;
  /** US dollars that calls which run now may still use. */
  reserved = 0;
  readonly waitingForBudget: Thread[] = [];
  private events: RunEvent[] = [];
  private requests: EffectRequest[] = [];
  private cancellations: string[] = [];

  constructor(
    readonly linked: LinkedMachine,
    readonly options: RunOptions,
  ) {
    const { machine } = linked;
    this.quiet = !options.record;
    this.trackedSlots = new Array<Slot>(machine.tracked.length).fill(undefined);
    this.limits = options.limits;
    this.maxTransitions = options.limits.transitions ?? Number.POSITIVE_INFINITY;
    this.trail = new Trail(machine.states.length);
    this.jobs = newGate(options.jobs);
    this.agentJobs = newGate(options.agentJobs ?? 8);
    this.main = new Thread(this, '', null);
  }

  /** Names of the states that were entered, in order. */
  get states(): string[] {
    return this.trail.names(this.linked.machine.states.map(({ name }) => name));
  }

  get currentState(): string {
    return this.linked.machine.states[this.main.state]?.name ?? '';
  }

  /** Tracked variables that exist, by name. */
  get tracked(): Record<string, Json> {
    return this.named(this.linked.machine.tracked, this.trackedSlots);
  }

  get inputs(): Record<string, Json> {
    return this.named(
      this.linked.machine.inputs.map((input) => input.name),
      this.inputSlots,
    );
  }

  /** US dollars: the known sum, or null when agents ran and none told its cost. */
  get cost(): number | null {
    return this.unknownCosts > 0 && this.unknownCosts === this.agentCalls ? null : this.knownCost;
  }

  /** Events made since the last call, in order. */
  takeEvents(): RunEvent[] {
    const taken = this.events;
    this.events = [];
    return taken;
  }

  /** Requests made since the last call that are still wanted, in order. */
  takeRequests(): EffectRequest[] {
    const taken = this.requests;
    if (taken.length === 0) return taken;
    this.requests = [];
    return taken.filter(({ effect, attempt }) => {
      const pending = this.pending.get(effect);
      if (pending === undefined || pending.attempt !== attempt) return false;
      pending.taken = true;
      return true;
    });
  }

  /** Ids of effects that were handed out and are not wanted any more. */
  takeCancellations(): string[] {
    const taken = this.cancellations;
    this.cancellations = [];
    return taken;
  }

  /** An event that belongs in the record at once, whichever thread it comes from. */
  recordNow(event: RunEvent): void {
    if (!this.quiet) this.events.push(event);
  }

  request(request: EffectRequest): void {
    this.requests.push(request);
  }

  cancel(effect: string): void {
    this.cancellations.push(effect);
  }

  private named(names: readonly string[], slots: readonly Slot[]): Record<string, Json> {
    const result: Record<string, Json> = {};
    names.forEach((name, slot) => {
      const value = slots[slot];
      if (value !== undefined) define(result, name, plain(value));
    });
    return result;
  }
}

export function newGate(limit: number): Gate {
  return { limit: Math.max(1, limit), active: 0, forks: [], returning: [] };
}

/** An event in the order of the program: those of a branch wait for its join. */
export function record(thread: Thread, event: RunEvent): void {
  if (thread.run.quiet) return;
  if (thread.member === null) thread.run.recordNow(event);
  else thread.member.events.push(event);
}

/** Tells people about something that is no failure. */
export function warn(thread: Thread, message: string): void {
  const { state, line } = placeOf(thread);
  record(thread, { type: 'warned', message, state, line });
}

/** Where a thread is, as messages and records say it. */
export function placeOf(thread: Thread): { state: string; line: number; file: string | null } {
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
  thread.run.ready.push(thread);
}
