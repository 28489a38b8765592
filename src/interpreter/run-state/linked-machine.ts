/**
 * A machine made ready to run, as the run sees it: one operation for each instruction, and what to do with the outcome
 * of one that had to wait. `instructions/link.ts` makes it.
 */
import type { Machine, Origin, State } from '../../machine/machine.js';
import type { Outcome } from '../events/event.js';
import type { Pending } from './pending.js';
import type { Thread } from './thread.js';

/** What a step gives when its thread cannot go on now. */
export const STOP = -1;

/** Does one instruction; the flat position of the next one, or `STOP`. Fails by throwing a RuntimeFailure. */
export type Step = (thread: Thread) => number;

/** How an instruction goes on that had to wait. */
export interface Suspender {
  /** Takes the outcome of one of its effects. Like a step: the next position or `STOP`. */
  readonly resume: (thread: Thread, pending: Pending, outcome: Outcome) => number;
  /** Asks again for what a restored run still waits for; tells no event. */
  readonly reissue: (thread: Thread, pending: Pending) => void;
}

/** An instruction as steps need it; a suspender only where it can wait. */
export interface Linked {
  readonly step: Step;
  readonly suspender?: Suspender;
  readonly plan?: ForkLayout;
}

export interface LinkedMachine {
  readonly machine: Machine;
  readonly steps: readonly Step[];
  readonly suspenders: readonly (Suspender | null)[];
  /** What the forks say about their members, by position. */
  readonly plans: ReadonlyMap<number, ForkLayout>;
  readonly origins: readonly Origin[];
  /** Flat position of the first instruction of each state. */
  readonly starts: readonly number[];
  /** Flat position behind all states, of the rollback of a run that is over. */
  readonly rollback: number;
}

/** Where an instruction stands: positions inside its state become flat ones with `base`. */
export interface LinkContext {
  readonly machine: Machine;
  readonly state: State;
  readonly base: number;
  /** Flat position of this instruction. */
  readonly pc: number;
  readonly starts: readonly number[];
  /** It is performed to take back an effect, and stands elsewhere in the program. */
  readonly undo?: { readonly state: string; readonly line: number };
}

/** What the instruction says about its members, with flat positions. */
export interface ForkLayout {
  /** Where the parent goes on. */
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
