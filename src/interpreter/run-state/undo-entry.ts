/**
 * The register: how what a run did can be taken back. An entry is an instruction with all its values in it, so that it
 * needs nothing of the place it came from: it survives GOTO, the end of the run and an edited program. A branch has a
 * register of its own, which its parent gets at the join.
 */
import type { Instruction } from '../../machine/machine.js';
import type { Member, Run, Thread } from './run.js';

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

/** What people and programs are told of an entry. */
export type UndoFacts = Pick<UndoEntry, 'line' | 'state' | 'text'>;

/** What a ROLLBACK came to. */
export interface RolledBack {
  readonly done: number;
  readonly failed: readonly { readonly line: number; readonly error: string }[];
}

/** What was taken back in all of a run, and where the first of it was done. */
export interface Undone {
  readonly count: number;
  readonly state: string;
  /** Transitions before that. */
  readonly transitions: number;
}

/** The register that a thread writes and rolls back. */
export function registerOf({ member, run }: Pick<Thread, 'member' | 'run'>): UndoEntry[] {
  return member === null ? run.undo : member.undo;
}

/** What the thread takes back at this moment. */
export function undoing(thread: Thread): UndoEntry | null {
  return thread.rollback === null ? null : (registerOf(thread).at(-1) ?? null);
}

/** What branches did is taken back like what their parent did, whatever became of them. */
export function joinUndo(member: Member): void {
  registerOf(member.fork.parent).push(...member.undo.splice(0));
}

/** What is on the register of a run, in the order in which a rollback would perform it. */
export function undoFacts({ undo }: Pick<Run, 'undo'>): UndoFacts[] {
  return undo.map(({ line, state, text }) => ({ line, state, text })).reverse();
}

/** Takes note that an entry was performed: behind that, what it took back is not there any more. */
export function noteUndone(run: Run, { state, transitions }: UndoEntry): void {
  const first = run.undone === null || transitions < run.undone.transitions ? { state, transitions } : run.undone;
  run.undone = { count: (run.undone?.count ?? 0) + 1, state: first.state, transitions: first.transitions };
}
