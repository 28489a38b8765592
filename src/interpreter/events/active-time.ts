/**
 * The time a run was executed, from the times of its events. Between a suspension or an interruption and the next
 * `run_resumed` nobody executed it; the same holds for the time between a crash and the process that went on.
 */
import type { RunEvent } from './event.js';

export class ActiveTime {
  /** Milliseconds so far. */
  ms = 0;
  private last: number | null = null;

  /** Takes the next event, recorded at `at` (milliseconds since the epoch); gives the milliseconds it adds. */
  take(at: number, event: RunEvent): number {
    const added = this.last === null || event.type === 'run_resumed' ? 0 : Math.max(0, at - this.last);
    this.ms += added;
    this.last = event.type === 'run_suspended' || event.type === 'run_interrupted' ? null : at;
    return added;
  }
}
