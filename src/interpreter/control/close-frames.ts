/** Ends steps and scopes when a failure or a jump leaves them. */
import { innermostStep } from '../run-state/open-frames.js';
import type { Thread } from '../run-state/thread.js';
import { releaseReservation } from './reservations.js';

/** Closes the frames that a failure or a jump leaves. */
export function closeFrames(thread: Thread, open: number): void {
  while (thread.frames.length > open) {
    const frame = thread.frames.pop();
    if (frame?.kind === 'scope' && frame.task !== undefined) thread.worktree = frame.task.outer;
    if (frame?.kind === 'step' && frame.reserved > 0) releaseReservation(thread, frame);
  }
}

/** Notes that the work of the current attempt failed. */
export function failAttempt(thread: Thread, why: string): void {
  const frame = innermostStep(thread);
  if (frame !== null) frame.failure = why;
}
