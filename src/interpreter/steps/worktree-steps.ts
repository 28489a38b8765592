/** What steps ask of the worktree they work in: to keep what is there, to go back, to part for tasks and come together. */

import { beginEffect } from '../control/effects.js';
import type { WorktreeAction, WorktreeRequest } from '../request.js';
import { STOP } from '../run-state/linked-machine.js';
import type { Pending } from '../run-state/pending.js';
import type { Thread } from '../run-state/thread.js';

function worktreeRequest(effect: string, task: string | null, action: WorktreeAction): WorktreeRequest {
  return { effect, kind: 'worktree', attempt: 1, delayMs: 0, task, action };
}

/** Asks for something in the worktree that the thread is in, or in that of `task`. */
export function askWorktree(t: Thread, action: WorktreeAction, task = t.worktree.task): number {
  beginEffect(t, worktreeRequest(t.nextEffect(), task, action), { event: null });
  return STOP;
}

/** Something works in the worktree of the thread, so that it is not what its last commit says. */
export function touch({ run, worktree }: Thread): void {
  if (worktree.commit !== null) run.steps.touch(worktree.task);
}

/** The worktree of the thread is at a commit. */
export function standAt(t: Thread, commit: string | null): void {
  t.worktree = { ...t.worktree, commit };
  t.run.steps.markCommitted(t.worktree.task);
}

/** How a restored run asks again: the action follows from what the thread has open. */
export function reissueWorktree(
  actionOf: (t: Thread) => WorktreeAction,
  taskOf: (t: Thread) => string | null = (t) => t.worktree.task,
): (t: Thread, pending: Pending) => void {
  return (t, { effect }) => t.run.request(worktreeRequest(effect, taskOf(t), actionOf(t)));
}
