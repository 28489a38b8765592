/** What a snapshot keeps of the UNDOs of a run: the register, and what was taken back. */

import type { RolledBack } from '../events/undo-facts.js';
import type { Run } from '../run-state/run.js';
import type { UndoEntry, Undone } from '../run-state/undo-entry.js';

export interface UndoImage {
  readonly undo?: readonly UndoEntry[];
  readonly undone?: Undone;
  readonly endedAs?: NonNullable<Run['endedAs']>;
  readonly lateRollback?: RolledBack;
}

export function undoImage({ undo, undone, endedAs, lateRollback }: Run): UndoImage {
  return {
    ...(undo.length === 0 ? {} : { undo }),
    ...(undone === null ? {} : { undone }),
    ...(endedAs === null ? {} : { endedAs }),
    ...(lateRollback === null ? {} : { lateRollback }),
  };
}

export function restoreUndo(run: Run, { undo, undone, endedAs, lateRollback }: UndoImage): void {
  run.undo = [...(undo ?? [])];
  run.undone = undone ?? null;
  run.endedAs = endedAs ?? null;
  run.lateRollback = lateRollback ?? null;
}
