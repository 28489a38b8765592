/** A pause of code that computes for long. */

/** Lets timers, signals, ends of processes and other runs of this process be handled. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
