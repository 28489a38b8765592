/**
 * More of what CI proves, for machines that have a night: `npm run nightly`. Tests with random inputs ten times, as long
 * tests and each time with others; kills at random times on a real engine, and an effect that lasts for a minute and a half;
 * all cases with agent programs; mistakes in core lines that tests must notice; how time grows. The exit code is 1 if any of
 * them fails; the others run nevertheless. `--list` prints the tests with random inputs alone.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const cwd = dirname(dirname(fileURLToPath(import.meta.url)));
const ROUNDS = 10;

/** Whether a file of the tests, or one that it imports, tries what is random. */
function isRandom(path, seen = new Set()) {
  if (seen.has(path) || /\/(amount|random)\.ts$/.test(path)) return false;
  seen.add(path);
  const text = readFileSync(path, 'utf8');
  if (/\b(numRuns|randomNumbers|seed)\b|\btries\(|\bfc\.assert\(/.test(text)) return true;
  // At the beginning of a line: a test may hold the text of a program that imports something.
  const imports = /^(?:import|export|\}) .*from '(\.[^']*)\.js';$/gm;
  const imported = [...text.matchAll(imports)].map(([, name]) => `${join(dirname(path), name)}.ts`);
  return imported.some((one) => one.startsWith(join(cwd, 'test')) && isRandom(one, seen));
}

function testsWithRandomInputs() {
  const names = readdirSync(join(cwd, 'test'), { recursive: true }).filter((name) => name.endsWith('.test.ts'));
  return names.map((name) => join('test', name)).filter((path) => isRandom(join(cwd, path)));
}

const random = testsWithRandomInputs();
if (process.argv.includes('--list')) {
  console.log(random.join('\n'));
  process.exit();
}
const STEPS = [
  ...Array.from({ length: ROUNDS }, (_, at) => {
    const env = { NIGHTLY: '1', TEST_SEED: String(Math.floor(Math.random() * 2 ** 31)) };
    return [`random inputs, ${at + 1} of ${ROUNDS}`, ['test:long', '--', ...random], env];
  }),
  ['kills on a real engine', ['test:engine', '--', '--kills', '50,20,20']],
  ['slow effects on a real engine', ['test:engine', '--', '--slow']],
  ['agent programs, all cases', ['test:agents']],
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
