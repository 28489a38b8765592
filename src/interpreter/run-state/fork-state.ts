/** A fork of a PARALLEL, its members, and the semaphore that limits how many of them are active at once. */
import type { Json } from '../../machine/expression.js';
import type { FailureFacts, RunEvent } from '../events/event.js';
import type { Value } from '../values/value.js';
import type { DataWrite } from './run-data.js';
import type { Slot, Thread } from './thread.js';
import type { UndoRegister } from './undo-register.js';

/** Limits how many members are active at once: members of one fork, or of all forks that share the run's jobs. */
export interface Semaphore {
  readonly limit: number;
  active: number;
  /** Forks with members that have not started. */
  readonly forks: Fork[];
  /** Members that waited for something slow and need their permit again. */
  readonly returning: Thread[];
}

export type MemberStatus = 'waiting' | 'active' | 'succeeded' | 'failed' | 'stopped';

/** A branch of a fork. Its events are kept until the join, which records them in source order. */
export interface Member {
  readonly fork: Fork;
  readonly index: number;
  status: MemberStatus;
  thread: Thread | null;
  events: RunEvent[];
  failure: FailureFacts | null;
  /** Whether TOOL_FAILURE is already among its events. */
  isReported: boolean;
  /** What it wrote to the run's data, in order. */
  readonly writes: DataWrite[];
  /** The UNDOs that it registered, in order. */
  readonly undo: UndoRegister;
  /** The values of the collected slots, if the member succeeded. */
  collected: readonly Slot[] | null;
  /** Whether it holds a permit of its semaphore. */
  holds: boolean;
}

export interface Fork {
  readonly id: string;
  readonly parent: Thread;
  /** The flat position of the `fork` or `fork-each` instruction. */
  readonly pc: number;
  readonly semaphore: Semaphore;
  readonly quorum: number | null;
  readonly members: Member[];
  /** The parent's locals at the fork: a member that starts late sees the same values as the first one. */
  readonly locals: readonly Slot[];
  /** The run's data at the fork, as the parent sees it. */
  readonly data: Json;
  /** The elements of a `fork-each`, by member. */
  readonly items: readonly Value[] | null;
  /** The index of the next member to start. */
  next: number;
  open: number;
  succeeded: number;
  failed: number;
  /** Whether the parent continues while the members run, up to `join-detached`. */
  readonly detached: boolean;
}

export function newSemaphore(limit: number): Semaphore {
  return { limit: Math.max(1, limit), active: 0, forks: [], returning: [] };
}
