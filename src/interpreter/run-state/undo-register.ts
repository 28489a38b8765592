/** The undo register of a run or of a branch: how each effect can be undone, in the order of the effects. */
import type { Instruction } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { RolledBack } from '../events/facts.js';
import type { RunResult } from './run-result.js';

export class UndoRegister {
  private readonly list: UndoEntry[] = [];
  readonly entries: readonly UndoEntry[] = this.list;

  /** The entry that a rollback performs next. */
  get newest(): UndoEntry | null {
    return this.list.at(-1) ?? null;
  }

  push(...entries: readonly UndoEntry[]): void {
    this.list.push(...entries);
  }

  pop(): void {
    this.list.pop();
  }

  /** Removes the entries from `from` on. Returns them. */
  take(from = 0): UndoEntry[] {
    return this.list.splice(from);
  }
}

/** How a failed run had ended, while it is rolled back. */
type EndedAs = Pick<RunResult, 'error' | 'value'>;

/** The register of a run as a snapshot keeps it. Empty members are omitted. */
export interface UndoImage {
  readonly undo?: readonly UndoEntry[];
  /** What failed, in the order of the attempts. A rollback after the end of the run tries it again. */
  readonly failedUndo?: readonly UndoEntry[];
  readonly undone?: Undone;
  readonly endedAs?: EndedAs;
  readonly lateRollback?: RolledBack;
}

/** The register of a whole run, with the results of its rollbacks. */
export class RunUndo extends UndoRegister {
  private failed: readonly UndoEntry[] = [];
  private takenBack: Undone | null = null;
  private before: EndedAs | null = null;
  private late: RolledBack | null = null;

  /** The effects that were undone. */
  get undone(): Undone | null {
    return this.takenBack;
  }

  /** How the run had ended, while it is rolled back. */
  get endedAs(): EndedAs | null {
    return this.before;
  }

  /** The result of a rollback after the end of the run. */
  get lateRollback(): RolledBack | null {
    return this.late;
  }

  /** Notes that an entry was performed, so its effect is undone. */
  noteUndone({ state, transitions }: UndoEntry): void {
    const known = this.takenBack;
    const first = known === null || transitions < known.transitions ? { state, transitions } : known;
    this.takenBack = { count: (known?.count ?? 0) + 1, state: first.state, transitions: first.transitions };
  }

  /** The entries that a rollback after the end of the run performs, in the order of their effects. */
  get open(): readonly UndoEntry[] {
    return [...this.failed.toReversed(), ...this.entries];
  }

  /** Keeps an entry that could not be performed. */
  noteFailed(entry: UndoEntry): void {
    this.failed = [...this.failed, entry];
  }

  beginLateRollback(ended: EndedAs): void {
    this.push(...this.failed.toReversed(), ...this.take());
    this.failed = [];
    this.before = ended;
  }

  /** Returns how the run had ended. */
  finishLateRollback(came: RolledBack): EndedAs {
    const ended = this.before;
    if (ended === null) throw new Error('no rollback is under way');
    this.before = null;
    this.late = came;
    return ended;
  }

  /** Notes that the run has ended again. */
  abandonLateRollback(): void {
    this.before = null;
  }

  get image(): UndoImage {
    return omitUndefined({
      undo: this.entries.length === 0 ? undefined : this.entries,
      failedUndo: this.failed.length === 0 ? undefined : this.failed,
      undone: this.takenBack ?? undefined,
      endedAs: this.before ?? undefined,
      lateRollback: this.late ?? undefined,
    });
  }

  restore({ undo = [], failedUndo = [], undone, endedAs, lateRollback }: UndoImage): void {
    this.push(...undo);
    this.failed = failedUndo;
    this.takenBack = undone ?? null;
    this.before = endedAs ?? null;
    this.late = lateRollback ?? null;
  }
}

export type UndoInstruction = Extract<Instruction, { op: 'shell' | 'argv' | 'function' | 'agent' | 'plan' }>;

/**
 * An instruction together with all its values, so that it does not depend on where it was registered: it survives GOTO,
 * the end of the run and an edited program.
 */
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
