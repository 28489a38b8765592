/** Timers of any length: those of the platform end at once if they are longer than 24.8 days. */

const LONGEST_MS = 2 ** 31 - 1;

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
