/**
 * Runs JavaScript functions in this process, with a signal that is made when it is read. A function cannot be stopped
 * from outside: its signal is aborted, and nothing waits for it. The first of its end, a time limit and a stop decides.
 */
import type { Outcome } from '../interpreter/events/event.js';
import { clockMs } from './clock.js';
import type { EffectContext } from './effect-context.js';
import type { StopSignal } from './stop-signal.js';
import { startTimer } from './timer.js';

interface InProcessLimits {
  /** Its `stop` is aborted when the run stops the effect. */
  readonly context: Pick<EffectContext, 'stop'>;
  readonly timeoutMs: number | null;
  /** The outcome of an effect that was stopped. */
  readonly stopped: Outcome;
}

/** `work` settles with its outcome; `thrown` makes an outcome of what it rejects with. Times are in milliseconds. */
export function inProcess(
  { context, timeoutMs, stopped }: InProcessLimits,
  work: (aborting: LazySignal, spentMs: () => number) => Promise<Outcome>,
  thrown: (cause: unknown) => Outcome,
): Promise<Outcome> {
  const aborting = new LazySignal();
  const begun = clockMs();
  const spentMs = (): number => Math.round(clockMs() - begun);
  return new Promise((resolve) => {
    let isSettled = false;
    let stop: AbortSignal | null = null;
    const finish = (outcome: Outcome): void => {
      isSettled = true;
      cancelTimer();
      stop?.removeEventListener('abort', onStop);
      resolve(outcome);
    };
    const end = (outcome: Outcome): void => {
      aborting.abort();
      finish(outcome);
    };
    const onStop = (): void => end(stopped);
    const cancelTimer =
      timeoutMs === null
        ? () => undefined
        : startTimer(timeoutMs, () =>
            end({ kind: 'timed-out', timeout_ms: timeoutMs, ...nothing, duration_ms: spentMs() }),
          );
    work(aborting, spentMs).then(finish, (cause: unknown) => finish(thrown(cause)));
    // A function that ends without waiting for anything has ended by then, and nothing can have stopped it.
    process.nextTick(() => {
      if (isSettled) return;
      stop = context.stop;
      if (stop.aborted) onStop();
      else stop.addEventListener('abort', onStop, { once: true });
    });
  });
}

const nothing = { stdout: { text: '', bytes: 0 }, stderr: '' } as const;

/**
 * A signal that is created on demand. Most short effects do not need it, and creating an `AbortController` takes longer
 * than everything else about them.
 */
export class LazySignal implements StopSignal {
  private controller: AbortController | null = null;
  private isOver = false;
  private listeners: Set<() => void> | null = null;

  get aborted(): boolean {
    return this.isOver;
  }

  get signal(): AbortSignal {
    if (this.controller === null) {
      this.controller = new AbortController();
      if (this.isOver) this.controller.abort();
    }
    return this.controller.signal;
  }

  /** A listener is called once. */
  addEventListener(_: 'abort', listener: () => void): void {
    this.listeners ??= new Set();
    this.listeners.add(listener);
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.listeners?.delete(listener);
  }

  abort(): void {
    if (this.isOver) return;
    this.isOver = true;
    const { listeners } = this;
    this.listeners = null;
    for (const listener of listeners ?? []) listener();
    this.controller?.abort();
  }
}

const lazySignals = new WeakMap<object, LazySignal>();

/** Remembers where the `stop` of a context comes from. A copy of the context may have another `stop`. */
export function noteLazySignal(context: object, signal: LazySignal): void {
  lazySignals.set(context, signal);
}

/** The `stop` of a context, without creating it if that is not necessary. */
export function stopSignalOf(context: { readonly stop: AbortSignal }): StopSignal {
  return lazySignals.get(context) ?? context.stop;
}
