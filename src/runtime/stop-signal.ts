/**
 * What stops a run from outside. A program passes an `AbortSignal`. The command line uses a signal of its own, because
 * Node takes longer to load `AbortController` than a small run takes.
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
