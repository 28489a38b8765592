/**
 * The number from which all random inputs of the tests are drawn. In CI it follows from the commit: the same commit tests
 * the same inputs, and each new commit tests others. Elsewhere each start of the tests draws one. `TEST_SEED=N` repeats it.
 */
import type { TestProject } from 'vitest/node';
import { output, root } from './harness/process.js';

export function setup({ vitest }: TestProject): () => void {
  // The workers, which start later, have the environment of this process.
  process.env.TEST_SEED ??= String(process.env.CI === undefined ? Math.floor(Math.random() * 2 ** 31) : seedOfCommit());
  return () => {
    if (vitest.state.getCountOfFailedTests() > 0)
      console.error(`TEST_SEED=${process.env.TEST_SEED} repeats the random inputs`);
  };
}

/** A constant where the sources are not in a repository. */
function seedOfCommit(): number {
  try {
    return Number.parseInt(output('git', ['rev-parse', 'HEAD'], { cwd: root }).slice(0, 7), 16);
  } catch {
    return 1;
  }
}
