/** The undo register: how what a run did can be taken back. A branch has its own, which its parent gets at the join. */
import type { UndoFacts } from '../events/undo-facts.js';
import type { Member } from '../run-state/fork.js';
import type { Thread } from '../run-state/thread.js';
import type { UndoEntry } from '../run-state/undo-entry.js';
import type { UndoRegister } from '../run-state/undo-register.js';

/** The register that a thread writes and rolls back. */
export function registerOf({ member, run }: Pick<Thread, 'member' | 'run'>): UndoRegister {
  return member === null ? run.undo : member.undo;
}

/** What the thread takes back at this moment. */
export function entryToUndo(thread: Thread): UndoEntry | null {
  return thread.rollback === null ? null : registerOf(thread).newest;
}

/** What branches did is taken back like what their parent did, whatever became of them. */
export function joinUndo(member: Member): void {
  registerOf(member.fork.parent).push(...member.undo.takeAll());
}

/** What is on the register of a run, in the order in which a rollback would perform it. */
export function undoFacts(entries: readonly UndoEntry[]): UndoFacts[] {
  return entries.map(({ line, state, text }) => ({ line, state, text })).reverse();
}
