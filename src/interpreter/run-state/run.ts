/**
 * The state of a run: threads (the run itself and branches of PARALLEL), forks, what it waits for, and the events
 * and requests that were not taken yet. Only the interpreter's own functions change it.
 */
import type { Json } from '../../machine/expression.js';
import type { Limits } from '../../machine/machine.js';
import type { FailureFacts, RunEvent } from '../events/event.js';
import type { RolledBack } from '../events/undo-facts.js';
import type { EffectRequest } from '../request.js';
import { define, plain } from '../values/value.js';
import type { ActivePlan } from './active-plan.js';
import { type Gate, newGate } from './fork.js';
import type { UsedBudget } from './frame.js';
import type { LinkedMachine } from './linked-machine.js';
import type { Pending } from './pending.js';
import { RunData } from './run-data.js';
import type { RunOptions, RunResult, StepRecord } from './run-options.js';
import { type Slot, Thread } from './thread.js';
import { Trail } from './trail.js';
import type { UndoEntry, Undone } from './undo-entry.js';

/** Tokens counted over all agent calls of a run. */
export interface Tokens {
  in: number;
  out: number;
  cache_read: number;
  cache_write: number;
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
