/** A name that no test has (`vitest -t NAME`) is a mistake: the run fails instead of passing with nothing done. */
import type { TestProject } from 'vitest/node';

export function setup({ vitest }: TestProject): () => void {
  return () => {
    const pattern = vitest.config.testNamePattern;
    if (pattern === undefined || vitest.config.watch) return;
    const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
    if (tests.some((test) => test.result().state !== 'skipped')) return;
    console.error(`no test has a name that matches ${pattern}`);
    process.exitCode = 1;
  };
}
