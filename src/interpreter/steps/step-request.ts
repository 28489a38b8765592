/** What the commands and agent calls of a step have in common: they belong to its attempt and start without a pause. */
import type { CommandRequest } from '../request.js';
import { stepOf } from '../run-state/open-frames.js';
import type { Pending } from '../run-state/pending.js';
import { locationOf, type Thread } from '../run-state/thread.js';

type Shared = Omit<CommandRequest, 'kind' | 'tool' | 'text' | 'timeoutMs' | 'env' | 'directory'>;

/** The members that all requests of a step share. `directory`: undefined if the thread works where the run does. */
export function stepRequest(
  thread: Thread,
  { effect, attempt }: Pick<Pending, 'effect' | 'attempt'>,
): Shared & { readonly directory: string | undefined } {
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
