/** The requests of steps to their worktree: commit, reset, make worktrees for tasks, and merge these. */

import { beginEffect } from '../control/effects.js';
import type { WorktreeAction, WorktreeRequest } from '../request.js';
import { STOP } from '../run-state/linked-machine.js';
import type { Pending } from '../run-state/pending.js';
import type { Thread } from '../run-state/thread.js';

function worktreeRequest(effect: string, task: string | null, action: WorktreeAction): WorktreeRequest {
  return { effect, kind: 'worktree', attempt: 1, delayMs: 0, task, action };
}

/** Requests an operation in the worktree of the thread or in that of `task`. */
export function askWorktree(t: Thread, action: WorktreeAction, task = t.worktree.task): number {
  beginEffect(t, worktreeRequest(t.nextEffect(), task, action), { event: null });
  return STOP;
}

/** Notes that something works in the worktree of the thread, so that it may differ from its last commit. */
export function touch({ run, worktree }: Thread): void {
  if (worktree.commit !== null) run.steps.touch(worktree.task);
}

/** Notes the commit of the worktree of the thread. */
export function standAt(t: Thread, commit: string | null): void {
  t.worktree = { ...t.worktree, commit };
  t.run.steps.markCommitted(t.worktree.task);
}

/** Repeats the request of a restored run. The operation follows from the frames of the thread. */
export function reissueWorktree(
  actionOf: (t: Thread) => WorktreeAction,
  taskOf: (t: Thread) => string | null = (t) => t.worktree.task,
): (t: Thread, pending: Pending) => void {
  return (t, { effect }) => t.run.request(worktreeRequest(effect, taskOf(t), actionOf(t)));
}
