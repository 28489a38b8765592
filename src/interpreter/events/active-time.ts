/**
 * How long a run was executed, from the times of its events. The time between a suspension, an interruption or a crash and
 * the next `run_resumed` does not count.
 */
import type { RunEvent } from './event.js';

export class ActiveTime {
  /** `ms`: the time so far, in milliseconds. `last`: the time of the last event, if the run was executed after it. */
  constructor(
    public ms = 0,
    private last: number | null = null,
  ) {}

  /** Takes the next event, recorded at `at` (milliseconds since the epoch). Returns the milliseconds that it adds. */
  take(at: number, event: RunEvent): number {
    const added = this.last === null || event.type === 'run_resumed' ? 0 : Math.max(0, at - this.last);
    this.ms += added;
    this.last = event.type === 'run_suspended' || event.type === 'run_interrupted' ? null : at;
    return added;
  }
}
