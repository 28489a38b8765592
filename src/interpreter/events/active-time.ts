/**
 * How long a run was executed, from the times of its events. The time between a suspension, an interruption or a crash and
 * the next `run_resumed` does not count, also if answers and signals are recorded meanwhile.
 */
import type { RunEvent } from './event.js';

export class ActiveTime {
  /** `ms`: the time so far, in milliseconds. `last`: the time of the last event, if the run was executed after it. */
  constructor(
    public ms = 0,
    public last: number | null = null,
  ) {}

  /** Takes the next event, recorded at `at` (milliseconds since the epoch). Returns the milliseconds that it adds. */
  take(at: number, event: RunEvent): number {
    const added = this.last === null || event.type === 'run_resumed' ? 0 : Math.max(0, at - this.last);
    this.ms += added;
    if (event.type === 'run_suspended' || event.type === 'run_interrupted') this.last = null;
    // What is delivered to a run that no process executes is recorded at once.
    else if (this.last !== null || !isDelivery(event)) this.last = at;
    return added;
  }
}

function isDelivery({ type }: RunEvent): boolean {
  return type === 'answered' || type === 'signal_received';
}
