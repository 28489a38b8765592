/**
 * Runs the cases that a name means: `npm run case retry gives up`. A name is that of a file in `test/corpus/`, with or
 * without its folder; of a part of a name, all cases that have it are run. `--update` rewrites what they expect.
 */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execaSync } from 'execa';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const corpus = join(root, 'test/corpus');
const MOST = 30;

/** How the names of the test files of each folder of cases begin. */
const FILES = { run: ['corpus-runs-', 'corpus.'], 'plan-runs': ['corpus-plan-runs.'], session: ['corpus-sessions.'] };
/** What a run has besides its own test. */
const SUITES = {
  run: ['run', 'a crashed run', 'a run on an engine', 'in memory'],
  'plan-runs': ['plan-runs', 'a crashed run of a plan', 'a run of a plan on an engine'],
};

const cases = readdirSync(corpus, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.case'))
  .map((path) => path.slice(0, -'.case'.length))
  .sort();

const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const update = process.argv.includes('--update');
const wanted = words
  .join('-')
  .replace(/^test\/corpus\/|\.case$/g, '')
  .toLowerCase();

const kindOf = (name) => name.slice(0, name.indexOf('/'));
const ownName = (name) => name.slice(name.indexOf('/') + 1);

function meant() {
  const exact = cases.filter((name) => name === wanted || ownName(name) === wanted);
  return exact.length > 0 ? exact : cases.filter((name) => name.includes(wanted));
}

/** How many pairs of letters two names share, of those that they have. */
function likeness(one, other) {
  const pairs = (text) => new Set(Array.from(text.slice(1), (letter, at) => text[at] + letter));
  const [a, b] = [pairs(one), pairs(other)];
  return (2 * [...a].filter((pair) => b.has(pair)).length) / (a.size + b.size || 1);
}

function fail(problem, names) {
  console.error(`${problem}\n${names.map((name) => `  ${name}\n`).join('')}`.trimEnd());
  process.exit(2);
}

if (wanted === '') fail('usage: npm run case NAME [-- --update]', []);
const found = meant();
if (found.length === 0) {
  const nearest = [...cases].sort((a, b) => likeness(wanted, ownName(b)) - likeness(wanted, ownName(a)));
  fail(`no case is called \`${words.join(' ')}\`; the nearest are`, nearest.slice(0, 5));
}
if (found.length > MOST)
  fail(`${found.length} cases have \`${words.join(' ')}\` in their name, such as`, found.slice(0, 5));

const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const names = found.map((name) => `(${(SUITES[kindOf(name)] ?? [kindOf(name)]).join('|')}) ${literal(ownName(name))}`);
const files = [...new Set(found.flatMap((name) => (FILES[kindOf(name)] ?? ['corpus.']).map((file) => `test/${file}`)))];
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const { exitCode } = execaSync(process.execPath, [vitest, 'run', ...files, '-t', `^(${names.join('|')})$`], {
  cwd: root,
  stdio: 'inherit',
  reject: false,
  env: { LONG: '1', ...(update ? { UPDATE: '1' } : {}) },
});
process.exitCode = exitCode ?? 1;
