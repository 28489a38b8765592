/** Timers of any length: those of the platform end at once if they are longer than 24.8 days. */

const LONGEST_MS = 2 ** 31 - 1;

/** A timer that can stand still. */
interface PausableTimer {
  pause(): void;
  resume(): void;
  cancel(): void;
}

/** Calls `action` after `ms`, without the time for which it was paused. */
export function startPausableTimer(ms: number, action: () => void): PausableTimer {
  let left = ms;
  let since = performance.now();
  let cancel: (() => void) | null = startTimer(left, action);
  return {
    pause() {
      if (cancel === null) return;
      cancel();
      cancel = null;
      left -= performance.now() - since;
    },
    resume() {
      if (cancel !== null) return;
      since = performance.now();
      cancel = startTimer(left, action);
    },
    cancel() {
      cancel?.();
      cancel = () => undefined;
    },
  };
}

/** Calls `action` after `ms`. Returns a function that cancels it. */
export function startTimer(ms: number, action: () => void): () => void {
  let left = Math.max(0, ms);
  let timer: ReturnType<typeof setTimeout>;
  const arm = (): void => {
    const part = Math.min(left, LONGEST_MS);
    left -= part;
    timer = setTimeout(left > 0 ? arm : action, part);
  };
  arm();
  return () => clearTimeout(timer);
}

/** Lets timers, signals, ends of processes and other runs of this process be handled. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
