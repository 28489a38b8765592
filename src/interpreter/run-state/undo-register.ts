/** The undo register of a run or of a branch: how what was done can be taken back, in the order in which it was done. */
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

  /** Empties the register; gives what was in it. */
  takeAll(): UndoEntry[] {
    return this.list.splice(0);
  }
}

/** How a failed run had ended, while what it did is taken back. */
type EndedAs = Pick<RunResult, 'error' | 'value'>;

/** The register of a run as a snapshot keeps it; a member is left out where there is nothing to say. */
export interface UndoImage {
  readonly undo?: readonly UndoEntry[];
  readonly undone?: Undone;
  readonly endedAs?: EndedAs;
  readonly lateRollback?: RolledBack;
}

/** The register of a whole run, with what became of its rollbacks. */
export class RunUndo extends UndoRegister {
  private takenBack: Undone | null = null;
  private before: EndedAs | null = null;
  private late: RolledBack | null = null;

  /** What was taken back. */
  get undone(): Undone | null {
    return this.takenBack;
  }

  /** How the run had ended, while what it did is taken back. */
  get endedAs(): EndedAs | null {
    return this.before;
  }

  /** What a rollback after the end of the run came to. */
  get lateRollback(): RolledBack | null {
    return this.late;
  }

  /** An entry was performed: what it took back is not there any more. */
  noteUndone({ state, transitions }: UndoEntry): void {
    const known = this.takenBack;
    const first = known === null || transitions < known.transitions ? { state, transitions } : known;
    this.takenBack = { count: (known?.count ?? 0) + 1, state: first.state, transitions: first.transitions };
  }

  beginLateRollback(ended: EndedAs): void {
    this.before = ended;
  }

  /** Gives how the run had ended. */
  finishLateRollback(came: RolledBack): EndedAs {
    const ended = this.before;
    if (ended === null) throw new Error('no rollback is under way');
    this.before = null;
    this.late = came;
    return ended;
  }

  /** The run has ended once more. */
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
