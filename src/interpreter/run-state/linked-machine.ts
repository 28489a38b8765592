/**
 * A linked machine, as the run sees it: one operation for each instruction, and how to continue after the outcome of one
 * that had to wait. `instructions/link.ts` makes it.
 */
import type { Machine, Origin, State } from '../../machine/machine.js';
import type { KeptOutcome, Outcome } from '../events/event.js';
import type { UnknownData } from '../values/data-tree.js';
import type { Pending } from './pending.js';
import type { Thread } from './thread.js';

/** What an instruction returns when its thread cannot continue now. */
export const STOP = -1;

/** Executes one instruction. Returns the flat position of the next one, or `STOP`. Fails by throwing a RuntimeFailure. */
export type LinkedInstruction = (thread: Thread) => number;

/** How an instruction that had to wait continues. */
export interface Suspender {
  /** Takes the outcome of one of its effects. Returns the next position or `STOP`, like an instruction. */
  readonly resume: (thread: Thread, pending: Pending, outcome: Outcome) => number;
  /** Repeats the requests of a restored run that still waits for them. Records no event. */
  readonly reissue: (thread: Thread, pending: Pending) => void;
}

/** How an instruction takes over what one of an earlier version of the program has done. */
export interface TakeOver {
  /** Its values, as one text. */
  readonly args: (thread: Thread) => string;
  /** Returns the next position; null: it is executed. */
  readonly take: (thread: Thread, kept: KeptOutcome) => number | null;
}

/** A linked instruction. It has a suspender only if it can wait. */
export interface Linked {
  readonly instruction: LinkedInstruction;
  readonly suspender?: Suspender;
  readonly layout?: ForkLayout;
  /** Absent: what it leaves behind is bound by name. */
  readonly takeOver?: TakeOver;
}

export interface LinkedMachine {
  readonly machine: Machine;
  readonly instructions: readonly LinkedInstruction[];
  readonly suspenders: readonly (Suspender | null)[];
  /** The layouts of forks, by position. */
  readonly layouts: ReadonlyMap<number, ForkLayout>;
  readonly origins: readonly Origin[];
  /** Whether a value of the program is called `file`, which then is no name of the error contract. */
  readonly ownsFile: boolean;
  /** Flat position of the first instruction of each state. */
  readonly starts: readonly number[];
  /** The flat position after all states: the rollback of a run that has ended. */
  readonly rollback: number;
  /** Sees what is taken over, in a run that is observed. */
  readonly watch?: (thread: Thread, kept: KeptOutcome) => void;
  /** For data with values that are not known; null in a run. */
  readonly unknownData: UnknownData | null;
}

/** The location of an instruction. Adding `base` makes positions inside its state flat. */
export interface LinkContext {
  readonly machine: Machine;
  readonly state: State;
  readonly base: number;
  /** Flat position of this instruction. */
  readonly pc: number;
  readonly starts: readonly number[];
  /** It undoes an effect, so its location in the program is elsewhere. */
  readonly undo?: { readonly state: string; readonly line: number };
}

/** The members of a fork, with flat positions. */
export interface ForkLayout {
  /** Where the parent continues. */
  readonly join: number;
  /** The first position of each member. */
  readonly start: (index: number) => number;
  /** The local slots that a member passes to its parent. */
  readonly collect: (index: number) => readonly number[];
  /** Whether these slots have no value in a member until it binds them. */
  readonly own: boolean;
  /** For a `fork-each`: the slot of the element. Each collected name then becomes a list. */
  readonly variable: number | null;
  /** The slot of `timed_out`, if a WAIT is the join. */
  readonly timedOut: number | null;
  /** The slot of `failures`, if the block continues after members fail. */
  readonly keep: number | null;
  /** The names of members of a `fork` in failures; those of a `fork-each` have their elements. Null: without a name. */
  readonly names: readonly string[] | null;
}
