/** A fork of a PARALLEL, its members, and the semaphore that bounds how many of them are active at once. */
import type { Json } from '../../machine/expression.js';
import type { FailureFacts, RunEvent } from '../events/event.js';
import type { Value } from '../values/value.js';
import type { DataWrite } from './run-data.js';
import type { Slot, Thread } from './thread.js';
import type { UndoRegister } from './undo-register.js';

/** How many members may be active at once: those of one fork, or of all forks that share the run's jobs. */
export interface Semaphore {
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
  isReported: boolean;
  /** What it wrote of the run's data, in order. */
  readonly writes: DataWrite[];
  /** How what it did is taken back, in order. */
  readonly undo: UndoRegister;
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
  readonly semaphore: Semaphore;
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

export function newSemaphore(limit: number): Semaphore {
  return { limit: Math.max(1, limit), active: 0, forks: [], returning: [] };
}
