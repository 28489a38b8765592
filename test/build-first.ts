/** Tests that start the program start what `src/` says now: dist/ is made again when it is older. */
import { join } from 'node:path';
import { output, root } from './harness/process.js';

export function setup(): void {
  try {
    output(process.execPath, [join(root, 'bundle/build.mjs'), '--without-types', '--if-changed'], { cwd: root });
  } catch {
    // Tests of single folders say more about a broken tree than no test at all; `npm test` builds before this.
    console.warn('dist/ could not be built again: tests that start the program see an older one');
  }
}
