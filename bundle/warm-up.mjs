/** Runs the built program once and keeps what V8 compiled meanwhile. Usage: warm-up.mjs CLI ARGUMENT… */
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [node, , cli, ...args] = process.argv;
process.argv = [node, cli, ...args];
let scripts = new Map();
process.on('exit', () => {
  for (const [path, script] of scripts) {
    if (!existsSync(`${path}.cache`)) writeFileSync(`${path}.cache`, script.createCachedData());
  }
});
({ scripts } = createRequire(import.meta.url)(cli));
