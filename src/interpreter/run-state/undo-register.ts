/** The undo register of a run or of a branch: how each effect can be undone, in the order of the effects. */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { RolledBack } from '../events/undo-facts.js';
import type { RunResult } from './run-options.js';
import type { UndoEntry, Undone } from './undo-entry.js';

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

  /** Empties the register. Returns its entries. */
  takeAll(): UndoEntry[] {
    return this.list.splice(0);
  }
}

/** How a failed run had ended, while it is rolled back. */
type EndedAs = Pick<RunResult, 'error' | 'value'>;

/** The register of a run as a snapshot keeps it. Empty members are omitted. */
export interface UndoImage {
  readonly undo?: readonly UndoEntry[];
  readonly undone?: Undone;
  readonly endedAs?: EndedAs;
  readonly lateRollback?: RolledBack;
}

/** The register of a whole run, with the results of its rollbacks. */
export class RunUndo extends UndoRegister {
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

  beginLateRollback(ended: EndedAs): void {
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
      undone: this.takenBack ?? undefined,
      endedAs: this.before ?? undefined,
      lateRollback: this.late ?? undefined,
    });
  }

  restore({ undo = [], undone, endedAs, lateRollback }: UndoImage): void {
    this.push(...undo);
    this.takenBack = undone ?? null;
    this.before = endedAs ?? null;
    this.late = lateRollback ?? null;
  }
}
