/**
 * The effects that this process has started. A handler that is executed again in the same process joins an effect that
 * still runs, or has ended, instead of starting a second one. So the death of the engine's server repeats nothing while
 * its workers live.
 */
import { LazySignal } from '../runtime/stop-signal.js';
import type { PerformContext } from './engine-context.js';
import type { PerformedEffect } from './messages.js';

interface StartedEffect {
  /** The name that the engine has for the execution that started it. */
  readonly invocation: string;
  readonly stopping: LazySignal;
  readonly performed: Promise<PerformedEffect>;
  /** How many attempts wait for it: one that breaks off may notice that only after the next one has joined. */
  waiting: number;
  /** Set while no attempt waits for it. */
  timer: ReturnType<typeof setTimeout> | null;
}

/** An effect whose beginning an attempt of this process puts on record, and which has not started yet. */
interface IntendedEffect {
  readonly invocation: string;
  /** The attempt. */
  readonly by: string;
}

/** How long an effect continues when the attempt that started it broke off and no other one joins it. */
const GRACE_MS = 600_000;

export class StartedEffects {
  private readonly started = new Map<string, StartedEffect>();
  private readonly intended = new Map<string, IntendedEffect>();
  /** Attempts that are not over, by their executions. */
  private readonly attempts = new Map<string, number>();

  constructor(private readonly graceMs: number = GRACE_MS) {}

  /** An attempt begins. `over`: aborted when it is over. */
  enter(invocation: string, over: AbortSignal): void {
    this.attempts.set(invocation, (this.attempts.get(invocation) ?? 0) + 1);
    const leave = (): void => {
      const left = (this.attempts.get(invocation) ?? 0) - 1;
      if (left > 0) this.attempts.set(invocation, left);
      else this.attempts.delete(invocation);
    };
    over.addEventListener('abort', leave, { once: true });
  }

  /** Whether this process has something of an execution that no other process may start. */
  holds(invocation: string): boolean {
    if (this.attempts.has(invocation)) return true;
    for (const all of [this.started, this.intended])
      for (const one of all.values()) if (one.invocation === invocation) return true;
    return false;
  }

  /** An attempt is about to put on record that it begins an effect that must not run twice. */
  intend(key: string, by: string, { invocation, attemptOver }: PerformContext): void {
    const intended: IntendedEffect = { invocation, by };
    this.intended.set(key, intended);
    const forget = (): void => {
      if (this.intended.get(key) === intended) this.intended.delete(key);
    };
    const leave = (): void => void setTimeout(forget, this.graceMs).unref();
    attemptOver.addEventListener('abort', leave, { once: true });
  }

  /** Whether an attempt of this process put the beginning of an effect on record, and did not start it. */
  isIntendedBy(key: string, by: string): boolean {
    return this.intended.get(key)?.by === by;
  }

  /** How many there are whose outcome is not on record. */
  get size(): number {
    return this.started.size;
  }

  has(key: string): boolean {
    return this.started.has(key);
  }

  /** What the effect comes to; starts it for an execution if this process does not have it. */
  join(
    key: string,
    invocation: string,
    start: (stopping: LazySignal) => Promise<PerformedEffect>,
  ): Promise<PerformedEffect> {
    const known = this.started.get(key);
    if (known !== undefined) {
      if (known.timer !== null) clearTimeout(known.timer);
      known.timer = null;
      known.waiting++;
      return known.performed;
    }
    this.intended.delete(key);
    const stopping = new LazySignal();
    const performed = start(stopping);
    const effect: StartedEffect = { invocation, stopping, performed, waiting: 1, timer: null };
    this.started.set(key, effect);
    // A failure belongs to those who joined, who may have broken off. The next attempt starts the effect anew.
    performed.catch(() => {
      if (this.started.get(key) === effect) this.forget(key);
    });
    return performed;
  }

  /** Stops the effect if it runs. Its outcome no longer counts. */
  stop(key: string): void {
    this.started.get(key)?.stopping.abort();
  }

  /** Stops the effect, and resolves when it has ended. It is forgotten then. */
  async end(key: string): Promise<void> {
    const known = this.started.get(key);
    if (known === undefined) return;
    known.stopping.abort();
    await Promise.allSettled([known.performed]);
    this.forget(key);
  }

  /** Stops all of them, because the process ends. Resolves when they have ended. */
  async stopAll(): Promise<void> {
    const all = [...this.started.values()];
    for (const { stopping } of all) stopping.abort();
    await Promise.allSettled(all.map(({ performed }) => performed));
  }

  /** Its outcome is on record. */
  forget(key: string): void {
    const known = this.started.get(key);
    if (known?.timer != null) clearTimeout(known.timer);
    this.started.delete(key);
    this.intended.delete(key);
  }

  /** An attempt that had joined is over. Without another one, the effect is stopped after a time. */
  leave(key: string): void {
    const known = this.started.get(key);
    if (known === undefined || --known.waiting > 0) return;
    known.timer ??= setTimeout(() => {
      known.stopping.abort();
      this.started.delete(key);
    }, this.graceMs);
    known.timer.unref();
  }
}
