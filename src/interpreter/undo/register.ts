/** The undo register: how the effects of a run can be undone. A branch has its own, which its parent receives at the join. */
import type { UndoFacts } from '../events/facts.js';
import type { Member } from '../run-state/fork-state.js';
import type { Thread } from '../run-state/thread.js';
import type { UndoEntry, UndoRegister } from '../run-state/undo-register.js';

/** The register to which a thread adds and which it rolls back. */
export function registerOf({ member, run }: Pick<Thread, 'member' | 'run'>): UndoRegister {
  return member === null ? run.undo : member.undo;
}

/** The effect that the thread is undoing. */
export function entryToUndo(thread: Thread): UndoEntry | null {
  return thread.rollback === null ? null : registerOf(thread).newest;
}

/** Adds the entries of branches to their parent, whether or not the branches succeeded. */
export function joinUndo(member: Member): void {
  registerOf(member.fork.parent).push(...member.undo.take());
}

/** The entries of a run, in the order in which a rollback performs them. */
export function undoFacts(entries: readonly UndoEntry[]): UndoFacts[] {
  return entries.map(({ line, state, text }) => ({ line, state, text })).reverse();
}
