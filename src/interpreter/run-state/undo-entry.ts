/**
 * An entry of the undo register is an instruction together with all its values, so that it does not depend on where it was
 * registered: it survives GOTO, the end of the run and an edited program.
 */
import type { Instruction } from '../../machine/machine.js';

export type UndoInstruction = Extract<Instruction, { op: 'shell' | 'argv' | 'function' | 'agent' | 'plan' }>;

export interface UndoEntry {
  /** The location of the UNDO. */
  readonly state: string;
  readonly line: number;
  readonly file: string | null;
  /** The instruction to perform, with its values. */
  readonly text: string;
  /** How many transitions came before it: that identifies the entry of its state in which it was registered. */
  readonly transitions: number;
  readonly by: UndoInstruction;
}

/** What was undone in a run, and where the first of it was done. */
export interface Undone {
  readonly count: number;
  readonly state: string;
  /** How many transitions came before that. */
  readonly transitions: number;
}
