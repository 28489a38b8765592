/** What tests execute is counted, and drawn as the graph of the program. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diskFiles } from '../../src/app/project/project-host.js';
import { Coverage } from '../../src/lab/testing/coverage.js';
import { loadSuite } from '../../src/lab/testing/load-suite.js';
import { dropUnreachable } from '../../src/lab/testing/machine-facts.js';
import { coveragePicture } from '../../src/lab/testing/reporters/coverage-picture.js';
import { runSuite } from '../../src/lab/testing/run-suites.js';
import { svgOf } from '../../src/views/picture/svg.js';

async function coverageOf(files: Readonly<Record<string, string>>): Promise<Coverage> {
  const folder = mkdtempSync(join(tmpdir(), 'coverage-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const host = { folder, files: diskFiles, allowOutside: false, environment: {} };
  const loaded = await loadSuite(host, 'a.test.dsl', folder);
  if ('missing' in loaded || loaded.suite === null) throw new Error(JSON.stringify(loaded));
  const coverage = new Coverage();
  const { results } = await runSuite(loaded.suite, {
    ...{
      host,
      cwd: folder,
      jobs: 1,
      isWanted: () => true,
      bail: false,
      offline: true,
      snapshots: 'read-only',
      coverage,
    },
    ...{ renew: null, faults: null, onResult: () => undefined },
  });
  expect(results.flatMap(({ failures }) => failures)).toEqual([]);
  return coverage;
}

const hitsOf = (coverage: Coverage, kind: string): Record<string, number> =>
  Object.fromEntries(
    coverage.list().flatMap((one) => (one.kind === kind ? [[`${one.line}: ${one.label}`, one.hits]] : [])),
  );

const PROGRAM = `STATE: FIRST
  DO: n = count
  IF: n == "1" → GOTO SECOND
  GOTO: THIRD
STATE: SECOND
  RETURN: two
STATE: THIRD
  RETURN: three
  ON ERROR:
    GOTO: SECOND
`;
const TESTS = 'TESTS: "./a.dsl"\nTEST: one\n  MOCK: "count" → "2"\n  EXPECT: returned "three"\n';

test('transitions', async () => {
  const coverage = await coverageOf({ 'a.dsl': PROGRAM, 'a.test.dsl': TESTS });
  expect(hitsOf(coverage, 'transition')).toEqual({
    '3: FIRST → SECOND': 0,
    '4: FIRST → THIRD': 1,
    '10: THIRD → SECOND': 0,
  });
});

test('what only events show counts for its own step and question', async () => {
  const program = `STATE: A
  ASK user: "one {1 + 1}?" → go choices=yes,no
  STEP: first
    DO: make one
    GATE: bash "check it" as unit
  WAIT: 1h
  IF: go == "no" → GOTO: B
  RETURN: end
STATE: B
  STEP: second
    DO: make two
    GATE: bash "check it too" as unit
  ASK user: "two?" → go choices=yes,no
  RETURN: second
`;
  const tests =
    'TESTS: "./a.dsl"\nTEST: one\n  ANSWER: go → "yes"\n  MOCK: "make *" → "", …\n  MOCK: "check *" → ""\n  EXPECT: returned "end"\n';
  const coverage = await coverageOf({ 'a.dsl': program, 'a.test.dsl': tests });
  expect(hitsOf(coverage, 'gate')).toEqual({
    '5: unit passed': 1,
    '5: unit failed': 0,
    '12: unit passed': 0,
    '12: unit failed': 0,
  });
  expect(hitsOf(coverage, 'choice')).toEqual({
    '2: go = yes': 1,
    '2: go = no': 0,
    '13: go = yes': 0,
    '13: go = no': 0,
  });
  expect(hitsOf(coverage, 'line')).toMatchObject({ '6: ': 1, '7: ': 1, '8: ': 1, '13: ': 0 });
});

test('the graph has the colors of what was executed', async () => {
  const { name, picture } = coveragePicture(await coverageOf({ 'a.dsl': PROGRAM, 'a.test.dsl': TESTS }));
  expect(name).toBe('covered: a');
  const cards = picture.nodes.filter(({ shape }) => shape === 'card');
  expect(cards.map(({ title, reach, rows }) => [title, reach, rows.at(-1)?.text])).toEqual([
    ['FIRST', 'partly', '5 of 7 covered'],
    ['SECOND', 'missed', '0 of 1 covered'],
    ['THIRD', 'partly', '1 of 4 covered'],
  ]);
  const ways = picture.edges.filter(({ reach }) => reach !== undefined);
  expect(ways.map(({ from, to, reach }) => [from.at(-1), to.at(-1), reach])).toEqual([
    ['0', '1', 'missed'],
    ['0', '2', 'reached'],
    ['2', '1', 'missed'],
  ]);
  const svg = await svgOf(name, picture);
  expect(svg).toContain('class="box missed"');
  expect(svg).toContain('class="way failure-way missed-way"');
});

test('what no run comes to has its own color', async () => {
  const program = 'STATE: A\n  TRACK: n = 1\n  IF: n == 2 → GOTO: DEAD\n  RETURN: one\nSTATE: DEAD\n  RETURN: two\n';
  const coverage = await coverageOf({
    'a.dsl': program,
    'a.test.dsl': 'TESTS: "./a.dsl"\nTEST: one\n  EXPECT: returned\n',
  });
  dropUnreachable(coverage);
  const { picture } = coveragePicture(coverage);
  const cards = picture.nodes.filter(({ shape }) => shape === 'card');
  expect(cards.map(({ title, reach, rows }) => [title, reach, rows.at(-1)?.text])).toEqual([
    ['A', 'reached', '4 of 4 covered'],
    ['DEAD', 'unreachable', 'no run comes here'],
  ]);
  expect(picture.edges.flatMap(({ reach }) => reach ?? [])).toEqual(['unreachable']);
});

test('steps of a workflow have colors, too', async () => {
  const workflow = 'name: w\nsteps:\n  - name: one\n    agent: a\n    prompt: x\n    retry:\n      - exit: 2\n';
  const tests = 'TESTS: "./w.yaml"\nTEST: one\n  MOCK: Task(a) → "done"\n  EXPECT: returned\n';
  const { picture } = coveragePicture(await coverageOf({ 'w.yaml': workflow, 'a.test.dsl': tests }));
  const step = picture.nodes.find(({ title }) => title === 'one');
  expect([step?.reach, step?.rows.at(-1)?.text]).toEqual(['partly', '3 of 4 covered']);
});

test('alternatives of CALL', async () => {
  const coverage = await coverageOf({
    'a.dsl':
      'STATE: A\n  CALL: pick → †state.good || †state.bad\n  CALL: other → †state.x && †state.y\n  RETURN: done\n',
    'tools.yaml': 'pick: { run: ["true"] }\nother: { run: ["true"] }\n',
    'a.test.dsl': `TESTS: "./a.dsl"
TEST: good
  MOCK: CALL pick → 1
  MOCK: CALL other → 2
  EXPECT: returned
TEST: also good
  MOCK: CALL pick → 1
  MOCK: CALL other → 2
  EXPECT: returned
`,
  });
  expect(hitsOf(coverage, 'alternative')).toEqual({ '2: pick → †state.bad': 0, '2: pick → †state.good': 2 });
});
