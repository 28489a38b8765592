/**
 * An entry of the undo register is an instruction with all its values in it, so that it needs nothing of the place it came
 * from: it survives GOTO, the end of the run and an edited program.
 */
import type { Instruction } from '../../machine/machine.js';

export type UndoInstruction = Extract<Instruction, { op: 'shell' | 'argv' | 'function' | 'agent' | 'plan' }>;

export interface UndoEntry {
  /** Where the UNDO stands. */
  readonly state: string;
  readonly line: number;
  readonly file: string | null;
  /** What is performed, with its values. */
  readonly text: string;
  /** Transitions before it, which say in which entry of its state it was registered. */
  readonly transitions: number;
  readonly by: UndoInstruction;
}

/** What was taken back in all of a run, and where the first of it was done. */
export interface Undone {
  readonly count: number;
  readonly state: string;
  /** Transitions before that. */
  readonly transitions: number;
}
