/**
 * The effects that this process has started. A handler that is executed again in the same process joins an effect that
 * still runs, or has ended, instead of starting a second one. So the death of the engine's server repeats nothing while
 * its workers live.
 */
import type { Performed } from './messages.js';

interface StartedEffect {
  readonly stopping: AbortController;
  readonly performed: Promise<Performed>;
  /** Set while no attempt waits for it. */
  timer: ReturnType<typeof setTimeout> | null;
}

/** How long an effect continues when the attempt that started it broke off and no other one joins it. */
const GRACE_MS = 600_000;

export class StartedEffects {
  private readonly started = new Map<string, StartedEffect>();

  constructor(private readonly graceMs: number = GRACE_MS) {}

  has(key: string): boolean {
    return this.started.has(key);
  }

  /** What the effect comes to; starts it if this process does not have it. */
  join(key: string, start: (stop: AbortSignal) => Promise<Performed>): Promise<Performed> {
    const known = this.started.get(key);
    if (known !== undefined) {
      if (known.timer !== null) clearTimeout(known.timer);
      known.timer = null;
      return known.performed;
    }
    const stopping = new AbortController();
    const performed = start(stopping.signal);
    // A failure belongs to those who joined. They may have broken off.
    performed.catch(() => undefined);
    this.started.set(key, { stopping, performed, timer: null });
    return performed;
  }

  /** Stops the effect if it runs. Its outcome no longer counts. */
  stop(key: string): void {
    this.started.get(key)?.stopping.abort();
  }

  /** Its outcome is on record. */
  forget(key: string): void {
    const known = this.started.get(key);
    if (known?.timer != null) clearTimeout(known.timer);
    this.started.delete(key);
  }

  /** The attempt that waited for it is over. Without another one, it is stopped after a time. */
  leave(key: string): void {
    const known = this.started.get(key);
    if (known === undefined) return;
    known.timer ??= setTimeout(() => {
      known.stopping.abort();
      this.started.delete(key);
    }, this.graceMs);
    known.timer.unref();
  }
}
