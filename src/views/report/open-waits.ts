/** The waits that are open at a point of a run, and what ends each of them: an answer, a signal, its time or its deadline. */

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
  private open = new Map<string, W>();
  /** The wait that a timer ends, by the effect of the timer. */
  private readonly bounds = new Map<string, string>();

  begin(effect: string, wait: W): void {
    this.open.set(effect, wait);
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
    this.open.delete(name);
    return { wait, ranOut: bounded !== undefined };
  }

  /** Ends the first wait for this signal; null if none is open. */
  receive(signal: string): W | null {
    for (const [effect, wait] of this.open) {
      if (wait.kind !== 'signal' || wait.name !== signal) continue;
      this.open.delete(effect);
      return wait;
    }
    return null;
  }

  /** A branch that does something no longer waits: a join that ends in time leaves its timer without an event. */
  endOf(thread: string): void {
    for (const effect of this.open.keys())
      if (effect.slice(0, Math.max(0, effect.lastIndexOf('.'))) === thread) this.open.delete(effect);
  }

  /** Forgets waits that began at this event or later. */
  keepBefore(seq: number): void {
    this.open = new Map([...this.open].filter(([, wait]) => wait.seq < seq));
  }

  get all(): W[] {
    return [...this.open.values()];
  }
}
