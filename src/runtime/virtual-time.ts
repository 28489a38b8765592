/**
 * Virtual time: a clock that does not move while a run works, and jumps to the next point in time when the run only waits.
 * A run with scripted answers needs no real time, and its order of events does not depend on the machine.
 */
import type { Delivery } from './store/inbox.js';

/** Midnight of 2000-01-01 in UTC, when every virtual clock begins. Milliseconds since the epoch. */
export const VIRTUAL_START = Date.UTC(2000, 0, 1);

interface TimeEntry {
  until: number;
  /** Of equal times, the lower ones come first. */
  readonly rank: number;
  readonly act: () => void;
  /** `sleep`: an effect in flight; `delivery`: something that the run may wait for; `limit`: neither. */
  readonly kind: 'sleep' | 'delivery' | 'limit';
  /** Whether it does not end at its time, and never. */
  readonly isEndless?: () => boolean;
}

export class VirtualTime {
  /** By time, then by rank, then in the order in which they were added. */
  private readonly entries: TimeEntry[] = [];
  private asleep = 0;
  private rests = false;
  private deliver: ((delivery: Delivery) => void) | null = null;

  /** `onStuck` is called when everything in flight waits forever. */
  constructor(
    private time = VIRTUAL_START,
    private readonly onStuck: (() => void) | null = null,
  ) {}

  /** From now on, a run may be suspended when everything in flight waits forever. */
  rest(): void {
    this.rests = true;
  }

  /** Whether nothing will happen anymore, and a run may be suspended then. */
  get isAtRest(): boolean {
    return this.rests && this.entries.every((entry) => entry.kind === 'limit' || isForever(entry));
  }

  /** Milliseconds since the epoch. */
  get now(): number {
    return this.time;
  }

  /** Sets the clock to a later time, without what would happen until then. */
  skipTo(time: number): void {
    this.time = Math.max(this.time, time);
  }

  /** How many effects in flight wait for the clock. */
  get sleeping(): number {
    return this.asleep;
  }

  /** Whether an answer, a signal or another action is still to come. */
  get hasDeliveries(): boolean {
    return this.entries.some(({ kind }) => kind === 'delivery');
  }

  /** Settles when the clock is at `until`, or when `stop` is aborted. `Infinity`: never. `rank`: among equal times. */
  sleep(until: number, stop: AbortSignal, rank = 0, isEndless?: () => boolean): Promise<void> {
    if (stop.aborted) return Promise.resolve();
    this.asleep++;
    return new Promise((resolve) => {
      const wake = (): void => {
        this.asleep--;
        stop.removeEventListener('abort', cancel);
        resolve();
      };
      const entry = this.add({
        until,
        rank,
        act: wake,
        kind: 'sleep',
        ...(isEndless === undefined ? {} : { isEndless }),
      });
      const cancel = (): void => {
        this.remove(entry);
        wake();
      };
      stop.addEventListener('abort', cancel, { once: true });
    });
  }

  /** Does something at a point in time, which keeps a waiting run from being suspended until then. */
  at(until: number, act: () => void): void {
    this.add({ until, rank: 0, act, kind: 'delivery' });
  }

  /** Delivers an answer or a signal at a point in time. */
  deliverAt(until: number, delivery: Delivery): void {
    this.at(until, () => this.deliver?.(delivery));
  }

  /** The same, but not before everything in flight that ends by itself has ended. */
  deliverAtRest(until: number, delivery: Delivery): void {
    const act = (): void => {
      const next = this.entries.find((one) => one.kind === 'sleep' && one.until < Number.POSITIVE_INFINITY);
      if (next === undefined) this.deliver?.(delivery);
      else this.deliverAtRest(next.until, delivery);
    };
    // After everything else at that time.
    this.add({ until, rank: Number.POSITIVE_INFINITY, act, kind: 'delivery' });
  }

  /** Registers who receives deliveries. */
  deliverTo(receive: (delivery: Delivery) => void): void {
    this.deliver = receive;
  }

  /** Calls `act` after `ms`. Returns a function that cancels it. */
  limit(ms: number, act: () => void): () => void {
    const entry = this.add({ until: this.time + ms, rank: 0, act, kind: 'limit' });
    return () => this.remove(entry);
  }

  /** Moves to the next point in time. `woke`: an effect ends now; `acted`: something else happened; null: nothing did. */
  advance(): 'woke' | 'acted' | null {
    const next = this.entries[0];
    if (next === undefined) return null;
    if (next.until < Number.POSITIVE_INFINITY && isForever(next)) {
      this.remove(next);
      next.until = Number.POSITIVE_INFINITY;
      this.add(next);
      return this.advance();
    }
    if (next.until === Number.POSITIVE_INFINITY) {
      this.onStuck?.();
      return this.onStuck === null ? null : 'acted';
    }
    this.entries.shift();
    this.time = Math.max(this.time, next.until);
    next.act();
    return next.kind === 'sleep' ? 'woke' : 'acted';
  }

  private add(entry: TimeEntry): TimeEntry {
    let at = this.entries.length;
    while (at > 0 && isAfter(this.entries[at - 1] as TimeEntry, entry)) at--;
    this.entries.splice(at, 0, entry);
    return entry;
  }

  private remove(entry: TimeEntry): void {
    const at = this.entries.indexOf(entry);
    if (at >= 0) this.entries.splice(at, 1);
  }
}

function isForever({ until, isEndless }: TimeEntry): boolean {
  return until === Number.POSITIVE_INFINITY || isEndless?.() === true;
}

function isAfter(one: TimeEntry, other: TimeEntry): boolean {
  return one.until === other.until ? one.rank > other.rank : one.until > other.until;
}
