/** Ends steps and scopes when a failure or a jump leaves them. */
import type { FailureFacts } from '../events/event.js';
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

/** What no attempt of a step can correct: a person must, and then the run is resumed where it happened. */
const OUTSIDE: readonly string[] = ['merge_conflict', 'worktree'];

/** Notes that the work of the current attempt failed. */
export function failAttempt(thread: Thread, { error, error_type, causes = [] }: FailureFacts): void {
  const frame = innermostStep(thread);
  if (frame === null) return;
  frame.failure = error;
  if (OUTSIDE.includes(error_type)) frame.outside = { kind: error_type, causes };
}
