/**
 * More of what CI proves, for machines that have a night: `npm run nightly`. Tests with random inputs ten times, as long
 * tests and each time with others; kills at random times on a real engine, and an effect that lasts for a minute and a half;
 * mistakes in core lines that tests must notice; how time grows. The exit code is 1 if any of them fails; the others run
 * nevertheless.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const cwd = dirname(dirname(fileURLToPath(import.meta.url)));
const ROUNDS = 10;

function testsWithRandomInputs() {
  const names = readdirSync(join(cwd, 'test'), { recursive: true }).filter((name) => name.endsWith('.test.ts'));
  const isRandom = (path) => /\b(numRuns|randomNumbers|seed)\b/.test(readFileSync(join(cwd, path), 'utf8'));
  return names.map((name) => join('test', name)).filter(isRandom);
}

const random = testsWithRandomInputs();
const STEPS = [
  ...Array.from({ length: ROUNDS }, (_, at) => {
    const env = { NIGHTLY: '1', TEST_SEED: String(Math.floor(Math.random() * 2 ** 31)) };
    return [`random inputs, ${at + 1} of ${ROUNDS}`, ['test:long', '--', ...random], env];
  }),
  ['kills on a real engine', ['test:engine', '--', '--kills', '50,20,20']],
  ['slow effects on a real engine', ['test:engine', '--', '--slow']],
  ['mistakes in core lines', ['mutate', '--', '--most=200']],
  ['growth of time', ['bench', '--', 'growth', '--check']],
];

for (const [name, words, env = {}] of STEPS) {
  console.log(`\n== ${name}`);
  const begun = performance.now();
  const { failed } = await execa('npm', ['run', '--silent', ...words], { cwd, env, stdio: 'inherit', reject: false });
  console.log(`${failed ? 'FAILED' : 'passed'}: ${name}, ${Math.round((performance.now() - begun) / 1000)} s`);
  if (failed) process.exitCode = 1;
}
