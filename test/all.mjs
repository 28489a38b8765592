/**
 * Everything that `npm test` checks. The tests need the built program, so it is built first. Types and style do not:
 * they are checked beside the build and the tests, one after the other and with lower priority, while those wait. What
 * the checks print comes after the tests, whole; words after `--` go to vitest.
 */
import { getPriority, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execaNode } from 'execa';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const installed = (path) => join(root, 'node_modules', path);

/** Runs a script of Node to its end. */
function run(script, args, options = { stdio: 'inherit' }) {
  return execaNode(script, args, { cwd: root, nodeOptions: [], reject: false, ...options });
}

/** What is written in Go collects garbage four times less often, which otherwise takes a third of its time. */
const env = { GOGC: process.env.GOGC ?? '400' };

/** One checker: each further one checks shared types once more, and the tests need the processors. */
const types = (project, name) => [
  '--noEmit',
  '--checkers',
  '1',
  '-p',
  join(root, project),
  '--incremental',
  '--tsBuildInfoFile',
  installed(`.cache/${name}`),
];

const CHECKS = [
  ['types', 'typescript-native/bin/tsc', types('.', 'types')],
  ['types of the page', 'typescript-native/bin/tsc', types('src/viewer', 'types-page')],
  ['style', '@biomejs/biome/bin/biome', ['check', '--error-on-warnings']],
];

async function check() {
  const results = [];
  for (const [name, script, args] of CHECKS) {
    const child = run(installed(script), args, { all: true, stdin: 'ignore', env });
    if (child.pid !== undefined) setPriority(child.pid, Math.min(19, getPriority() + 5));
    const { failed, all } = await child;
    results.push({ name, failed, printed: all });
  }
  return results;
}

const checking = check();
const build = await run(join(root, 'bundle/build.mjs'), ['--without-types'], { stdio: 'inherit', env });
if (build.failed) process.exit(build.exitCode ?? 1);
const [tests, checks] = await Promise.all([
  run(installed('vitest/vitest.mjs'), ['run', ...process.argv.slice(2)]),
  checking,
]);
for (const { name, failed, printed } of checks) {
  console.log(`${failed ? 'FAILED' : 'passed'}: ${name}`);
  if (failed) console.log(printed);
}
process.exitCode = tests.failed ? (tests.exitCode ?? 1) : Number(checks.some(({ failed }) => failed));
