/**
 * What an effect and the runtime know of each other: the requests that can be performed, and what performing one may use.
 * It stands below shell, agents and tools, which all take an `EffectContext` and none of which knows the others.
 */

import type { Outcome } from '../interpreter/events/event.js';
import type { AskRequest, EffectRequest, SignalRequest } from '../interpreter/request.js';
import type { Json } from '../machine/expression.js';
import type { OutputStore } from './process/output-store.js';
import type { PipePool } from './process/pipes.js';
import type { Scratch } from './process/scratch.js';
import type { RunWorktrees } from './worktree/run-worktrees.js';

/** Everything but questions and signals, which people answer and not programs. */
export type PerformedRequest = Exclude<EffectRequest, AskRequest | SignalRequest>;
export interface Effects {
  /**
   * Performs a request. An outcome that is there at once may be given without a promise. When `context.stop` is
   * aborted the outcome does not matter any more, but everything that was started must have ended when it comes.
   */
  perform(request: PerformedRequest, context: EffectContext): Outcome | Promise<Outcome>;
}

/** What the effects of one run share. */
export interface RunResources {
  readonly outputs: OutputStore;
  readonly scratch: Scratch;
  readonly pipes: PipePool;
  /** Process groups that run now. */
  readonly groups: Set<number>;
  /** Null: the run works in the directory it was started in. */
  readonly worktrees: RunWorktrees | null;
  /** Ends something that serves the run, when the run ends. */
  onEnd(close: () => Promise<void>): void;
  /** Remembers a process on disk, so that what a killed runner left behind can be found. */
  recordProcess(record: Readonly<Record<string, Json>>): void;
}

export interface EffectContext {
  readonly runId: string;
  /** The run's directory, absolute. */
  readonly cwd: string;
  /** The folder of the program's file, absolute. */
  readonly programDir?: string | undefined;
  readonly stop: AbortSignal;
  /** Nobody wants the outcome any more, where that is not what `stop` says. */
  readonly unwanted?: AbortSignal;
  /** Shows output while it comes, secrets replaced; null when nobody looks. */
  readonly show: ((bytes: Uint8Array, stream: 'stdout' | 'stderr') => void) | null;
  readonly resources: RunResources;
}
