/**
 * What stops runs and effects. A program passes an `AbortSignal`. The command line uses a signal of its own, because Node
 * takes longer to load `AbortController` than a small run takes.
 */

/** The part of an `AbortSignal` that a run uses. */
export interface StopSignal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Aborts its signal, once. */
export class Stopper {
  private readonly listeners = new Set<() => void>();
  private readonly state: { aborted: boolean; reason?: unknown } & StopSignal;

  constructor() {
    this.state = {
      aborted: false,
      addEventListener: (_, listener) => void this.listeners.add(listener),
      removeEventListener: (_, listener) => void this.listeners.delete(listener),
    };
  }

  get signal(): StopSignal {
    return this.state;
  }

  abort(reason?: unknown): void {
    if (this.state.aborted) return;
    this.state.aborted = true;
    this.state.reason = reason;
    const listeners = [...this.listeners];
    this.listeners.clear();
    for (const listener of listeners) listener();
  }
}

/** A signal for what takes only an `AbortSignal`. Call `release` in the end. */
export function abortedBy(stopping: StopSignal | null): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  const onStop = (): void => controller.abort();
  if (stopping?.aborted) onStop();
  stopping?.addEventListener('abort', onStop, { once: true });
  return { signal: controller.signal, release: () => stopping?.removeEventListener('abort', onStop) };
}

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
