/**
 * What `npm test` does: it builds the program, because the tests start it, and runs the tests; words after `--` go to
 * vitest. At the end it prints how much time of processors all of that took, which is limited: `npm test` has to pass
 * anywhere in a few minutes.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execaNode } from 'execa';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Runs a script of Node to its end; its exit code. */
async function run(script, args) {
  const { failed, exitCode } = await execaNode(join(root, script), args, {
    cwd: root,
    nodeOptions: [],
    reject: false,
    stdio: 'inherit',
  });
  return failed ? (exitCode ?? 1) : 0;
}

/** Seconds of this process and of all that it waited for; null where the system does not say. */
function processorSeconds() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
  } catch {
    return null;
  }
}

process.exitCode =
  (await run('bundle/build.mjs', ['--without-types', '--if-changed'])) ||
  (await run('node_modules/vitest/vitest.mjs', ['run', ...process.argv.slice(2)]));
const seconds = processorSeconds();
if (seconds !== null) console.log(`processor time: ${seconds.toFixed(0)} s`);
