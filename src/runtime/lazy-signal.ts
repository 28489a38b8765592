/**
 * A signal that is created on demand. Most short effects do not need it, and creating an `AbortController` takes longer
 * than everything else about them.
 */
import type { StopSignal } from './stop-signal.js';

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
