/**
 * Notices that a run that was cut does the same again. What a run does follows from its record alone: so when everything that
 * was under way at the cut has ended and each event is the one that was recorded without the fault, at the same time, the rest
 * would be the same. A run of a thousand events can be cut after each without executing a million.
 */
import type { RunEvent } from '../../interpreter/events/event.js';
import type { Reference } from './reference.js';

/** How many events have to be the same after everything that was under way has ended. */
const MORE_EVENTS = 4;

export class SameAgain {
  private readonly until: number;
  private hasDiffered = false;

  /** `at`: how many events of the reference the run has on record. */
  constructor(
    private readonly reference: Reference,
    private at: number,
  ) {
    const { events, performed, ends } = reference;
    let until = at;
    for (const entry of performed) {
      const end = ends.get(entry);
      if (entry.requestedAfter <= at && end !== undefined) until = Math.max(until, end);
    }
    const next = events.findIndex(({ type }, index) => index >= until && type === 'effect_settled');
    this.until = (next < 0 ? events.length : next) + MORE_EVENTS;
  }

  /** How many events of the reference have happened. */
  get count(): number {
    return this.at;
  }

  /** Takes the next event of the run. True: from here on it does the same. */
  take(event: RunEvent, now: number): boolean {
    if (this.hasDiffered || event.type === 'run_resumed') return false;
    const { events, times } = this.reference;
    this.hasDiffered = times[this.at] !== now || JSON.stringify(events[this.at]) !== JSON.stringify(event);
    this.at++;
    return !this.hasDiffered && this.at > this.until;
  }

  /** A request whose end is not on record has to be the same to end at the same time. */
  differ(): void {
    this.hasDiffered = true;
  }
}
