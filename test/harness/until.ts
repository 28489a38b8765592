/** Waiting for facts, on machines that may be slow or busy. */

/** Waits for a fact, however long that takes: only the time limit of the test ends the wait. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}
