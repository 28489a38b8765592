/** The waits that are open at a point of a run, and what ends each of them: an answer, a signal, its time or its deadline. */
import { threadOf } from '../../interpreter/events/facts.js';
import type { RecordedWait } from './record-facts.js';

export interface EndedWait {
  readonly wait: RecordedWait;
  /** Whether its deadline ended it. */
  readonly ranOut: boolean;
}

export class OpenWaits {
  private readonly open = new Map<string, RecordedWait>();
  /** The effects of the open waits of each branch: a branch of very many must not look at the waits of all others. */
  private readonly ofThread = new Map<string, Set<string>>();
  /** The wait that a timer ends, by the effect of the timer. */
  private readonly bounds = new Map<string, string>();

  begin(wait: RecordedWait): void {
    const { effect } = wait;
    this.open.set(effect, wait);
    const thread = threadOf(effect);
    const effects = this.ofThread.get(thread);
    if (effects === undefined) this.ofThread.set(thread, new Set([effect]));
    else effects.add(effect);
  }

  /**
   * Whether the timer is the deadline of an open wait: it then has the number after that of the question or signal. All
   * other timers are waits of their own.
   */
  takeDeadline(timer: string): boolean {
    const before = timer.replace(/\d+$/, (last) => String(Number(last) - 1));
    if (!this.open.has(before)) return false;
    this.bounds.set(timer, before);
    return true;
  }

  /** Ends a wait by its own effect, or by the timer that is its deadline; null if none is open. */
  end(effect: string): EndedWait | null {
    const bounded = this.bounds.get(effect);
    const name = bounded ?? effect;
    const wait = this.open.get(name);
    if (wait === undefined) return null;
    this.remove(name);
    return { wait, ranOut: bounded !== undefined };
  }

  /** Ends the first wait for this signal, or the one with the id; null if none is open. */
  receive(signal: string, id?: string): RecordedWait | null {
    for (const wait of this.open.values()) {
      if (wait.kind !== 'signal' || wait.name !== signal || (id !== undefined && wait.waiting.id !== id)) continue;
      this.remove(wait.effect);
      return wait;
    }
    return null;
  }

  /** Ends what a branch waits for when it does something else: a join that ends in time leaves its timer without an event. */
  endOf(thread: string): readonly RecordedWait[] {
    const open = this.ofThread.get(thread);
    if (open === undefined) return NONE;
    const ended = [...open].map((effect) => this.open.get(effect) as RecordedWait);
    for (const { effect } of ended) this.remove(effect);
    return ended;
  }

  /** Ends the waits that began at this event or later. */
  endFrom(seq: number): readonly RecordedWait[] {
    const ended = this.all.filter((wait) => wait.seq >= seq);
    for (const { effect } of ended) this.remove(effect);
    return ended;
  }

  get all(): RecordedWait[] {
    return [...this.open.values()];
  }

  private remove(effect: string): void {
    this.open.delete(effect);
    const thread = threadOf(effect);
    const effects = this.ofThread.get(thread);
    effects?.delete(effect);
    if (effects?.size === 0) this.ofThread.delete(thread);
  }
}

const NONE: readonly RecordedWait[] = [];
