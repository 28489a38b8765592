/** Waiting for facts and for promised times, on machines that may be slow or busy. */
import { expect } from 'vitest';

/** Waits for a fact, however long that takes: only the time limit of the test ends the wait. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/**
 * An action that takes less than this time in one of several attempts. A busy machine delays some of them; a program that
 * waits for longer delays all. An attempt of which only a part counts returns the time of that part.
 */
export async function takesLessThan(ms: number, attempt: () => Promise<unknown>): Promise<void> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let attempts = 0; attempts < 10 && shortest >= ms; attempts++) {
    const begun = performance.now();
    const part = await attempt();
    shortest = Math.min(shortest, typeof part === 'number' ? part : performance.now() - begun);
  }
  expect(shortest).toBeLessThan(ms);
}
