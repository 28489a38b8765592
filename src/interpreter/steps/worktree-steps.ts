/** What steps ask of the worktree they work in: to keep what is there, to go back, to part for tasks and come together. */

import { suspend } from '../pending.js';
import type { WorktreeAction } from '../request.js';
import type { Pending, Thread } from '../run-state.js';
import { STOP } from '../transfer.js';

function requestWorktree(t: Thread, effect: string, task: string | null, action: WorktreeAction): void {
  t.run.request({ effect, kind: 'worktree', attempt: 1, delayMs: 0, task, action });
}

/** Asks for something in the worktree that the thread is in, or in that of `task`. */
export function askWorktree(t: Thread, action: WorktreeAction, task = t.place.task): number {
  const effect = t.nextEffect();
  suspend(t, { effect, kind: 'worktree', purpose: 'result', until: null, waiting: null });
  requestWorktree(t, effect, task, action);
  return STOP;
}

export function resetTo(t: Thread, commit: string): number {
  return askWorktree(t, { do: 'reset', to: commit });
}

/** How a restored run asks again: the action follows from what the thread has open. */
export function reissueWorktree(
  actionOf: (t: Thread) => WorktreeAction,
  taskOf: (t: Thread) => string | null = (t) => t.place.task,
): (t: Thread, pending: Pending) => void {
  return (t, { effect }) => requestWorktree(t, effect, taskOf(t), actionOf(t));
}
