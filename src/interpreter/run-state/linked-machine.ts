/**
 * A machine made ready to run, as the run sees it: one operation for each instruction, and what to do with the outcome
 * of one that had to wait. `instructions/link.ts` makes it.
 */
import type { Machine, Origin, State } from '../../machine/machine.js';
import type { Outcome } from '../events/event.js';
import type { Pending } from './pending.js';
import type { Thread } from './thread.js';

/** What an instruction returns when its thread cannot continue now. */
export const STOP = -1;

/** Does one instruction. Returns the flat position of the next one, or `STOP`. Fails by throwing a RuntimeFailure. */
export type LinkedInstruction = (thread: Thread) => number;

/** How an instruction that had to wait continues. */
export interface Suspender {
  /** Takes the outcome of one of its effects. Returns the next position or `STOP`, like an instruction. */
  readonly resume: (thread: Thread, pending: Pending, outcome: Outcome) => number;
  /** Asks again for what a restored run still waits for; records no event. */
  readonly reissue: (thread: Thread, pending: Pending) => void;
}

/** An instruction made ready to run; it has a suspender only if it can wait. */
export interface Linked {
  readonly instruction: LinkedInstruction;
  readonly suspender?: Suspender;
  readonly layout?: ForkLayout;
}

export interface LinkedMachine {
  readonly machine: Machine;
  readonly instructions: readonly LinkedInstruction[];
  readonly suspenders: readonly (Suspender | null)[];
  /** What the forks know of their members, by position. */
  readonly layouts: ReadonlyMap<number, ForkLayout>;
  readonly origins: readonly Origin[];
  /** Flat position of the first instruction of each state. */
  readonly starts: readonly number[];
  /** Flat position after all states: the rollback of a run that is over. */
  readonly rollback: number;
}

/** Where an instruction is: positions inside its state become flat ones with `base`. */
export interface LinkContext {
  readonly machine: Machine;
  readonly state: State;
  readonly base: number;
  /** Flat position of this instruction. */
  readonly pc: number;
  readonly starts: readonly number[];
  /** It undoes an effect, and is elsewhere in the program. */
  readonly undo?: { readonly state: string; readonly line: number };
}

/** What the instruction knows of its members, with flat positions. */
export interface ForkLayout {
  /** Where the parent continues. */
  readonly join: number;
  /** First position of a member. */
  readonly start: (index: number) => number;
  /** Local slots that a member hands over. */
  readonly collect: (index: number) => readonly number[];
  /** The slot of the element, and that each collected name becomes a list: a `fork-each`. */
  readonly variable: number | null;
  /** The slot of `timed_out` of a WAIT that is the join. */
  readonly timedOut: number | null;
  /** The slot of the failures, where members that fail fail nothing. */
  readonly keep: number | null;
  /** What a failure calls the members of a `fork`; those of a `fork-each` have their elements. Null: it names none. */
  readonly names: readonly string[] | null;
}
