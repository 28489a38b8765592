/** Which events end the work on a run, and the status that they give it. */
import type { RunEvent } from './event.js';

/** The status of a run on which no process works after this event. */
export type EndStatus = 'returned' | 'failed' | 'suspended' | 'interrupted';

/** The status of a run whose last event this is; null if the event does not end the work on the run. */
export function statusAfter(event: RunEvent | undefined): EndStatus | null {
  switch (event?.type) {
    case 'run_returned':
      return 'returned';
    case 'run_failed':
      return 'failed';
    case 'run_suspended':
      return 'suspended';
    case 'run_interrupted':
      return 'interrupted';
    default:
      return null;
  }
}
