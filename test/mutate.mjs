/**
 * Makes small mistakes in source files, one at a time, and lists those that no test notices: `npm run mutate` for the core,
 * `npm run mutate -- src/interpreter/hold.ts` for a file or folder. `--most=N` tries N of the mistakes, drawn at random, which
 * `--seed=N` repeats; `--again` finds out anew which tests execute which file (otherwise once a day); `--all-tests` also takes
 * tests that start processes. `mutate/survivors.txt` has the mistakes that no test can notice, with the reasons. Another
 * survivor fails the command.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { mutantsOf } from './mutate/mutants.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, 'node_modules/.cache/statedsl-mutate');
const CORE = ['src/interpreter', 'src/language/check', 'src/runtime/run', 'src/runtime/store'];
/** Tests of laws take long and notice little that the others do not; they come last. */
const SLOW = /corpus-broken|hostile|random|format-program|previous|growth/;
const DAY_MS = 86_400_000;

const args = process.argv.slice(2);
const seed = Number(args.find((arg) => arg.startsWith('--seed='))?.slice(7) ?? Date.now() % 1_000_000);
const most = Number(args.find((arg) => arg.startsWith('--most='))?.slice(7) ?? Infinity);
const named = args.filter((arg) => !arg.startsWith('--'));

/** Runs vitest; the exit code, and what it printed. */
async function vitest(words, env = {}) {
  const script = join(root, 'node_modules/vitest/vitest.mjs');
  const all = [
    script,
    'run',
    '--config',
    'test/mutate/vitest.config.mjs',
    '--root',
    root,
    '--reporter=dot',
    '--maxWorkers=1',
    ...words,
  ];
  const { exitCode, all: printed } = await execa(process.execPath, all, {
    cwd: root,
    env,
    stdin: 'ignore',
    all: true,
    reject: false,
  });
  return { code: exitCode ?? null, printed };
}

/** Which test files execute a source file. */
async function executedBy() {
  const note = join(cache, 'executed.ndjson');
  const fresh = existsSync(note) && Date.now() - statSync(note).mtimeMs < DAY_MS && !args.includes('--again');
  if (!fresh) {
    mkdirSync(cache, { recursive: true });
    rmSync(note, { force: true });
    console.log('finding out which tests execute which file …');
    await vitest([], { COVERED_BY: note, ...(args.includes('--all-tests') ? {} : { UNIT: '1' }) });
  }
  const tests = new Map();
  for (const line of readFileSync(note, 'utf8').trim().split('\n')) {
    const { file, executed } = JSON.parse(line);
    for (const path of executed) tests.set(path, [...(tests.get(path) ?? []), relative(root, file)]);
  }
  return tests;
}

/** Some of a list in its order, each equally likely. */
function drawn(all, count) {
  let state = seed >>> 0;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return all.filter((_, at) => random() * (all.length - at) < count && count-- > 0);
}

/** Mistakes that no test can notice, one in a line: `path: was → becomes: reason`. */
function knownSurvivors() {
  const lines = readFileSync(join(root, 'test/mutate/survivors.txt'), 'utf8').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}

function sourceFiles(path) {
  const whole = join(root, path);
  if (statSync(whole).isFile()) return [whole];
  const names = readdirSync(whole, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(whole, name));
}

const files = (named.length > 0 ? named : CORE).flatMap(sourceFiles).sort();
const tests = await executedBy();
const mutants = files.flatMap((path) => mutantsOf(path, readFileSync(path, 'utf8')));
const chosen = drawn(mutants, most);
console.log(`${chosen.length} of ${mutants.length} mistakes in ${files.length} files, --seed=${seed}`);

const quick = (one) => !SLOW.test(one);
const green = new Map();

/** The tests that execute a file and pass without a mistake, quick ones first; they are run once to know that. */
async function testsOf(path) {
  if (green.has(path)) return green.get(path);
  const all = (tests.get(path) ?? []).filter(quick);
  const failing = new Set();
  if (all.length > 0) {
    const { code, printed } = await vitest(all);
    if (code !== 0) for (const one of all) if (new RegExp(`FAIL .*${one}`).test(printed)) failing.add(one);
  }
  for (const one of failing) console.log(`  left out, because it fails without a mistake: ${one}`);
  green.set(
    path,
    all.filter((one) => !failing.has(one)),
  );
  return green.get(path);
}

const known = knownSurvivors();
const counts = { noticed: 0, survived: 0 };
for (const mutant of chosen) {
  const which = await testsOf(mutant.path);
  const { code } =
    which.length === 0 ? { code: 0 } : await vitest([...which, '--bail=1'], { MUTANT: JSON.stringify(mutant) });
  const words = `${relative(root, mutant.path)}: ${mutant.was} → ${mutant.becomes}: `;
  const survived = code === 0 && !known.some((line) => line.startsWith(words));
  counts[survived ? 'survived' : 'noticed']++;
  if (survived) {
    const why = which.length === 0 ? ' (no test executes the file)' : '';
    console.log(
      `survived${why}: ${relative(root, mutant.path)}:${mutant.line}\n    ${mutant.was}\n  → ${mutant.becomes}`,
    );
  }
}
console.log(`${counts.noticed} noticed, ${counts.survived} survived`);
if (counts.survived > 0) process.exitCode = 1;
