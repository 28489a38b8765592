/** The night tries what is random more often, so it must find those tests, also by what they import. */
import { expect, test } from 'vitest';
import { output, root } from './harness/process.js';

test('the night finds the tests with random inputs', () => {
  const found = output('node', ['test/nightly.mjs', '--list'], { cwd: root }).split('\n');
  expect(found).toContain('test/interpreter/parallel.test.ts');
  expect(found).toContain('test/runtime/crash.test.ts');
  expect(found).not.toContain('test/recipes.test.ts');
});
