/** Steps and scopes end where a failure or a jump leads out of them. */
import { innermostStep } from '../run-state/open-frames.js';
import type { Thread } from '../run-state/thread.js';
import { releaseReservation } from './reservations.js';

/** Closes what was opened inside, where a failure or a jump leads out of it. */
export function closeFrames(thread: Thread, open: number): void {
  while (thread.frames.length > open) {
    const frame = thread.frames.pop();
    if (frame?.kind === 'scope' && frame.task !== undefined) thread.worktree = frame.task.outer;
    if (frame?.kind === 'step' && frame.reserved > 0) releaseReservation(thread, frame);
  }
}

/** The work of the attempt at hand failed. */
export function failAttempt(thread: Thread, why: string): void {
  const frame = innermostStep(thread);
  if (frame !== null) frame.failure = why;
}
