/**
 * Runs the built program once and keeps what V8 compiled meanwhile, or, with a file for them, only the names of the
 * scripts that were loaded. Usage: warm-up.mjs FILE|- CLI ARGUMENT…
 */
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { setFlagsFromString } from 'node:v8';

const [node, , list, cli, ...args] = process.argv;
process.argv = [node, cli, ...args];
let scripts = new Map();
let STORED = '';
process.on('exit', () => {
  if (list !== '-') {
    writeFileSync(list, [...scripts.keys()].map((path) => basename(path)).join('\n'));
    return;
  }
  // V8 takes only what was stored under the flags it has when it loads. A run sets this one when it begins, which is
  // after its scripts are loaded; 2 is what it was.
  setFlagsFromString('--semi-space-growth-factor=2');
  for (const [path, script] of scripts) {
    if (!existsSync(path + STORED)) writeFileSync(path + STORED, script.createCachedData());
  }
  const [first] = scripts.values();
  if (first?.cachedDataRejected !== true) return;
  process.stderr.write('V8 refuses what was stored: some flag of it changes between start and end\n');
  process.exitCode = 1;
});
({ scripts, STORED } = createRequire(import.meta.url)(cli));
