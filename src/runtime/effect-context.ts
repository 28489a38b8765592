/** What performs the requests of a run, and what it is given besides a request. */
import type { Outcome, Unavailable } from '../interpreter/events/event.js';
import type { AskRequest, EffectRequest, SignalRequest } from '../interpreter/request.js';
import type { Json } from '../machine/expression.js';
import type { AccountCall } from './agents/breakers/breaker.js';
import type { BudgetedCall, Purse, Reservation } from './agents/spending.js';
import type { PipePool } from './process/pipes.js';
import type { OutputStore, Scratch } from './process/scratch.js';
import type { StopSignal } from './stop-signal.js';
import type { RunWorktrees } from './worktree/run-worktrees.js';

/** Every request except questions and signals, which no program answers. */
export type PerformedRequest = Exclude<EffectRequest, AskRequest | SignalRequest>;
export interface Effects {
  /**
   * Performs a request. An immediate outcome may be returned without a promise. After `context.stop` is aborted the outcome
   * no longer matters, but it must not come before everything that was started has ended.
   */
  perform(request: PerformedRequest, context: EffectContext): Outcome | Promise<Outcome>;
  /** Until when calls of an account of agents have to wait, as it is known now. Milliseconds since the epoch; 0: they need not. */
  accountUntil?(account: string, context: Omit<EffectContext, 'stop' | 'show'>): Promise<number>;
}

/** Limits how many effects are performed at the same time, by all runs that share it. */
export interface EffectPermits {
  /** Resolves with a function that returns the permit, when one is free; with null if stopped before. */
  take(stop: StopSignal): Promise<(() => void) | null>;
}

/** The limits of agents, where several machines share them. What decides is the same as on one. */
export interface SharedLimits {
  /** Asks whether a call of an account may begin: see `Breakers`. */
  enter(account: string, id: string, report: (problem: string) => void): Promise<AccountCall | Unavailable>;
  /** Reserves what a call may cost. A text: why that cannot be recorded. */
  reserve(purse: Purse, call: BudgetedCall): Promise<Reservation | string>;
  /** The call has ended. `cost`: US dollars; null: unknown. Never rejects. */
  end(purse: Purse, id: string, cost: number | null): Promise<void>;
}

/** State that the effects of one run share. */
export interface RunResources {
  readonly outputs: OutputStore;
  readonly scratch: Scratch;
  readonly pipes: PipePool;
  /** The process groups that are running. */
  readonly groups: Set<number>;
  /** Null: the run works in the directory in which it was started. */
  readonly worktrees: RunWorktrees | null;
  /** The folder for what a later process of the run has to know; it is made when it is needed. Null: nothing is kept. */
  readonly runFolder: (() => string) | null;
  /** Absent: this machine has them. */
  readonly limits?: SharedLimits | undefined;
  /** Registers a function that ends something at the end of the run. */
  onEnd(close: () => Promise<void>): void;
  /** Records a process on disk, so that a later process finds what a killed runner left behind. */
  recordProcess(record: Readonly<Record<string, Json>>): void;
}

/** Facts about the run of an effect. */
export interface RunContext {
  readonly runId: string;
  /** The working directory of the run, absolute. */
  readonly cwd: string;
  /** The name of the program. */
  readonly program?: string | undefined;
  /** The folder of the program's file, as an absolute path. */
  readonly programDir?: string | undefined;
  /** The directories, absolute, in which tools with relative paths are looked for, in this order; absent: `cwd`. */
  readonly toolFolders?: readonly string[];
  /** Aborted when the run is stopped. End everything that was started, then return any outcome; it is ignored. */
  readonly stop: AbortSignal;
  /** Aborted when the outcome is no longer needed for another reason than `stop`. */
  readonly unwanted?: AbortSignal;
  /** Call it with output as soon as it arrives. Secrets are replaced. Null if output is not displayed. */
  readonly show: ((bytes: Uint8Array, stream: 'stdout' | 'stderr') => void) | null;
  /** Call it with what a person should know while the effect is performed. Secrets are replaced. Absent if notices are not displayed. */
  readonly notice?: ((text: string) => void) | undefined;
}

export interface EffectContext extends RunContext {
  /** The `TRACEPARENT` for what an effect starts; absent: the run is not traced. */
  readonly traceparentOf?: (effect: string) => string;
  readonly resources: RunResources;
}
