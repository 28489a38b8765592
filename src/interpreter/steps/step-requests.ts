/** Requests of steps: the members that all of them share, and the operations on worktrees with what follows from their outcomes. */
import { beginEffect } from '../control/request-effects.js';
import type { Outcome } from '../events/event.js';
import { RuntimeFailure } from '../failure.js';
import type { CommandRequest, WorktreeAction, WorktreeRequest } from '../request.js';
import { STOP } from '../run-state/linked-machine.js';
import { stepOf } from '../run-state/open-frames.js';
import type { Pending } from '../run-state/pending.js';
import { locationOf, type Thread } from '../run-state/thread.js';

type SharedMembers = Omit<CommandRequest, 'kind' | 'tool' | 'text' | 'timeoutMs' | 'env' | 'directory'>;

/** The members that all requests of a step share. `directory`: undefined if the thread works where the run does. */
export function stepRequest(
  thread: Thread,
  { effect, attempt }: Pick<Pending, 'effect' | 'attempt'>,
): SharedMembers & { readonly directory: string | undefined } {
  const { state, line } = locationOf(thread);
  return {
    effect,
    attempt,
    delayMs: 0,
    state,
    line,
    branch: thread.path,
    once: false,
    cwd: null,
    stdin: null,
    needsText: true,
    ok: [0],
    stepAttempt: stepOf(thread).attempt,
    directory: thread.worktree.directory ?? undefined,
  };
}

function worktreeRequest(effect: string, task: string | null, action: WorktreeAction): WorktreeRequest {
  return { effect, kind: 'worktree', attempt: 1, delayMs: 0, task, action };
}

/** Requests an operation in the worktree of the thread or in that of `task`. */
export function requestWorktree(t: Thread, action: WorktreeAction, task = t.worktree.task): number {
  beginEffect(t, worktreeRequest(t.nextEffect(), task, action), { event: null });
  return STOP;
}

/** Notes that something works in the worktree of the thread, so that it may differ from its last commit. */
export function markDirty({ run, worktree }: Thread): void {
  if (worktree.commit !== null) run.steps.touch(worktree.task);
}

/** Notes the commit of the worktree of the thread. */
export function markCommittedAt(t: Thread, commit: string | null): void {
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

export function worktreeFailure(outcome: Extract<Outcome, { kind: 'failed' | 'not-started' }>): RuntimeFailure {
  const message = outcome.kind === 'failed' ? outcome.message : outcome.reason;
  return new RuntimeFailure(outcome.error_type ?? 'tool_failure', message, 'git');
}
