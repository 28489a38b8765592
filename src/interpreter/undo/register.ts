/** The undo register: how what a run did can be taken back. A branch has its own, which its parent gets at the join. */
import type { UndoFacts } from '../events/undo-facts.js';
import type { Member } from '../run-state/fork.js';
import type { Run } from '../run-state/run.js';
import type { Thread } from '../run-state/thread.js';
import type { UndoEntry } from '../run-state/undo-entry.js';

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
