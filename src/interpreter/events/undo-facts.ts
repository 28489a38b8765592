/** UNDO and ROLLBACK in events and reports. */

/** An UNDO command that a rollback would perform. */
export interface UndoFacts {
  readonly line: number;
  readonly state: string;
  readonly text: string;
}

/** The result of a ROLLBACK. */
export interface RolledBack {
  readonly done: number;
  readonly failed: readonly { readonly line: number; readonly error: string }[];
}
