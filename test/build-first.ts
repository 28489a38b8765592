/** Tests that start the program start what `src/` says now: dist/ is made again when it is older. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { output, root } from './harness/process.js';

function newest(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Math.max(0, ...names.map((name) => statSync(join(folder, name)).mtimeMs));
}

export function setup(): void {
  const built = statSync(join(root, 'dist/cli.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (newest(join(root, 'src')) < built) return;
  try {
    output(process.execPath, [join(root, 'bundle/build.mjs'), '--without-types'], { cwd: root });
  } catch {
    // Tests of single folders say more about a broken tree than no test at all; `npm test` builds before this.
    console.warn('dist/ could not be built again: tests that start the program see an older one');
  }
}
