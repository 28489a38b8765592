/** The waits that are open at a point of a run, and what ends each of them: an answer, a signal, its time or its deadline. */
import { threadOf } from '../../interpreter/events/facts.js';

/** What is known of every wait. */
export interface OpenWait {
  readonly kind: 'ask' | 'signal' | 'time' | 'approval';
  readonly name: string | null;
  /** The event that started it. */
  readonly seq: number;
}

export interface EndedWait<W> {
  readonly wait: W;
  /** Whether its deadline ended it. */
  readonly ranOut: boolean;
}

export class OpenWaits<W extends OpenWait> {
  private readonly open = new Map<string, W>();
  /** The effects of the open waits of each branch: a branch of very many must not look at the waits of all others. */
  private readonly ofThread = new Map<string, Set<string>>();
  /** The wait that a timer ends, by the effect of the timer. */
  private readonly bounds = new Map<string, string>();

  begin(effect: string, wait: W): void {
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
  end(effect: string): EndedWait<W> | null {
    const bounded = this.bounds.get(effect);
    const name = bounded ?? effect;
    const wait = this.open.get(name);
    if (wait === undefined) return null;
    this.remove(name);
    return { wait, ranOut: bounded !== undefined };
  }

  /** Ends the first wait for this signal; null if none is open. */
  receive(signal: string): W | null {
    for (const [effect, wait] of this.open) {
      if (wait.kind !== 'signal' || wait.name !== signal) continue;
      this.remove(effect);
      return wait;
    }
    return null;
  }

  /** Ends what a branch waits for when it does something else: a join that ends in time leaves its timer without an event. */
  endOf(thread: string): W[] {
    const open = this.ofThread.get(thread);
    if (open === undefined) return [];
    const effects = [...open];
    const ended = effects.map((effect) => this.open.get(effect) as W);
    for (const effect of effects) this.remove(effect);
    return ended;
  }

  /** Forgets waits that began at this event or later. */
  keepBefore(seq: number): void {
    for (const [effect, wait] of this.open) if (wait.seq >= seq) this.remove(effect);
  }

  get all(): W[] {
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
