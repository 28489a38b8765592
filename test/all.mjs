/**
 * Everything that `npm test` checks. The tests need the built program, so it is built first. Types and style need
 * nothing of it: they are checked beside the tests, one after the other and with lower priority, in the time that
 * tests wait for processes. What was printed about them stands below the tests, whole; words after `--` go to vitest.
 */
import { spawn } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const installed = (path) => join(root, 'node_modules', path);

/** Runs a script of Node to its end; its exit code, and what it printed unless that was seen already. */
function finished(script, args, { stdio = 'inherit', later = false } = {}) {
  const child = spawn(process.execPath, [script, ...args], { cwd: root, stdio });
  if (child.pid !== undefined && later) setPriority(child.pid, Math.min(19, getPriority() + 5));
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (printed += chunk));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code: code ?? 1, printed })));
}

const BUILD = join(root, 'bundle/build.mjs');

const CHECKS = [
  [
    'types',
    installed('typescript/bin/tsc'),
    ['--noEmit', '--incremental', '--tsBuildInfoFile', installed('.cache/types.json')],
  ],
  ['style', installed('@biomejs/biome/bin/biome'), ['check', '--error-on-warnings']],
];

async function checked() {
  const results = [];
  for (const [name, script, args] of CHECKS)
    results.push({ name, ...(await finished(script, args, { stdio: ['ignore', 'pipe', 'pipe'], later: true })) });
  return results;
}

const built = await finished(BUILD, ['--without-types']);
if (built.code !== 0) process.exit(built.code);
const [tests, checks] = await Promise.all([
  finished(installed('vitest/vitest.mjs'), ['run', ...process.argv.slice(2)]),
  checked(),
]);
for (const { name, code, printed } of checks) {
  console.log(`${code === 0 ? 'passed' : 'FAILED'}: ${name}`);
  if (code !== 0) console.log(printed.trimEnd());
}
process.exitCode = tests.code || checks.find(({ code }) => code !== 0)?.code || 0;
