/** A crash changes how a run ends only through a defect of statedsl: then the point names it, and the exit code is 70. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { diskFiles } from '../../src/app/project/project-host.js';
import { exitCodeOf } from '../../src/cli/commands/test.js';
import { FAULT_KINDS } from '../../src/lab/testing/faults/points.js';
import { type FaultResult, runFaults } from '../../src/lab/testing/faults/run-faults.js';
import { loadSuite } from '../../src/lab/testing/load-suite.js';
import { faultLines } from '../../src/lab/testing/reporters/fault-text.js';
import { executeTest } from '../../src/lab/testing/run-test.js';
import type { Suite } from '../../src/lab/testing/suite.js';
import { rowsOf, type TestRow } from '../../src/lab/testing/test-rows.js';
import { sourceFile } from '../../src/language/source/diagnostic.js';
import { parseTests } from '../../src/language/syntax/tests/parse-tests.js';
import { digestOf, presetDigest } from '../../src/runtime/store/image.js';
import { plain } from '../../src/views/drawing/paint.js';
import { amount, some } from '../amount.js';

const folder = mkdtempSync(join(tmpdir(), 'faults-'));
const host = { folder, files: diskFiles, allowOutside: false, environment: {} };
const options = {
  cwd: folder,
  real: null,
  snapshot: () => null,
  noteUse: () => undefined,
  noteEvents: () => undefined,
};

async function suiteOf(program: string, mocked = '*', properties = ''): Promise<Suite> {
  writeFileSync(join(folder, 'flow.dsl'), program);
  const tests = `TESTS: "./flow.dsl"\nTEST: all\n  MOCK: "${mocked}" → "ok", …\n  EXPECT: returned\n${properties}`;
  writeFileSync(join(folder, 'flow.test.dsl'), tests);
  const loaded = await loadSuite(host, 'flow.test.dsl', folder);
  if ('missing' in loaded || loaded.suite === null) throw new Error(JSON.stringify(loaded));
  return loaded.suite;
}

/** The run without a fault executes one machine, and all later ones the other: so they behave differently. */
async function faultsOfBoth(first: Suite, later: Suite): Promise<FaultResult> {
  // The record names the program that it is of.
  presetDigest(later.machine, digestOf(first.machine));
  let worlds = 0;
  const suite: Suite = {
    ...first,
    // The world of each run begins with the mocks of the tree.
    get tree() {
      worlds++;
      return first.tree;
    },
    get machine() {
      return worlds > 1 ? later.machine : first.machine;
    },
  };
  const row = first.tree.tests.flatMap(rowsOf)[0] as TestRow;
  const found = await runFaults(suite, row, options, { kinds: new Set(FAULT_KINDS), only: null });
  if (found === null) throw new Error('the test passes without a fault');
  return { file: 'a.test.dsl', name: 'all', line: 2, ...found };
}

const PROGRAM = 'STATE: A\n  DO: echo a\n  DO: echo b\n  RETURN: one\n';

test('a program that does the same after a crash has no defect', async () => {
  const suite = await suiteOf(PROGRAM);
  const result = await faultsOfBoth(suite, suite);
  expect(result.outcomes.filter(({ defect }) => defect !== undefined)).toEqual([]);
  expect(exitCodeOf([{ status: 'passed' }], [result], true)).toBe(0);
});

test('a fault may violate a property of the file', async () => {
  const program = [
    'INPUT: limit = 1',
    'STATE: A',
    '  TRACK: n',
    '  DO [timeout=5s]: build',
    '  GOTO: B',
    '  ON ERROR timeout: → GOTO: LATE',
    'STATE: B',
    '  DO: publish',
    '  RETURN',
    'STATE: LATE',
    '  RETURN: late',
    '',
  ].join('\n');
  const properties = [
    'PROPERTY: never late\n  NEVER: state LATE WHEN n < limit',
    'PROPERTY: always late\n  NEVER: state LATE WHEN n > limit',
    'PROPERTY: to the end\n  AFTER: state B → returned',
    'PROPERTY: once\n  AT MOST: 1 run "publish"',
    'PROPERTY: ends\n  ENDS: returned',
    'PROPERTY: of no run\n  ASSUME: limit > 1\n  NEVER: state A',
    'PROPERTY: of another run\n  REACHES: state LATE\n',
  ].join('\n');
  const suite = await suiteOf(program, '*', properties);
  const row = suite.tree.tests.flatMap(rowsOf)[0] as TestRow;
  const found = await runFaults(suite, row, options, { kinds: new Set(['crash', 'fail']), only: null });
  const failures = found?.outcomes.flatMap(({ point, failures }) =>
    failures.map(({ line, message }) => `${point.name} ${line} ${message.split(': ')[1]}`),
  );
  expect(failures).toEqual([
    'fail@4:exit 14 ends',
    'fail@4:timeout 6 never late',
    'fail@7:exit 10 to the end',
    'fail@7:exit 14 ends',
  ]);
});

test('another end after a crash is a defect of statedsl', async () => {
  const result = await faultsOfBoth(await suiteOf(PROGRAM), await suiteOf(PROGRAM.replace('one', 'two')));
  const defects = result.outcomes.filter(({ defect }) => defect !== undefined);
  const cuts = result.outcomes.filter(({ point }) => point.kind === 'crash' || point.kind === 'twice');
  expect(defects.map(({ point }) => point.name)).toEqual(cuts.map(({ point }) => point.name));
  expect(defects[0]?.defect).toBe('a crash alone must not change how a run ends');
  expect(faultLines(result, plain)).toContain('a defect of statedsl: a crash alone must not change how a run ends\n');
  expect(exitCodeOf([{ status: 'passed' }], [result], true)).toBe(70);
  expect(exitCodeOf([{ status: 'failed' }], [result], false)).toBe(70);
});

test('a replay that differs is a defect of statedsl, at its event', async () => {
  const result = await faultsOfBoth(await suiteOf(PROGRAM), await suiteOf(PROGRAM.replace('echo b', 'echo c')));
  const defects = result.outcomes.flatMap(({ defect }) => defect ?? []);
  expect(defects).toContain('the replay differs at event 5 (`effect_requested`)');
});

test('a command that only a run after a crash asks for is a defect of statedsl, although no mock answers it', async () => {
  const later = await suiteOf(PROGRAM.replace('echo b', 'send b'), 'echo *');
  const result = await faultsOfBoth(await suiteOf(PROGRAM, 'echo *'), later);
  const early = result.outcomes.find(({ point }) => point.name === 'crash@1');
  expect(early?.reason).toContain('no mock answers `send b`');
  expect(early?.defect).toBe('a crash alone must not change how a run ends');
  expect(exitCodeOf([{ status: 'passed' }], [result], true)).toBe(70);
});

/** The row with one more `EXPECT [always]`. */
function expecting(row: TestRow, expectation: string): TestRow {
  const text = `TESTS: "./x.dsl"\nTEST: a\n  EXPECT [always]: ${expectation}\n`;
  const lines = parseTests(sourceFile('x', text), 0).tree.tests[0]?.lines ?? [];
  return { ...row, test: { ...row.test, lines: [...row.test.lines, ...lines] } };
}

test.each(['campaign/campaign', 'undo/undo', 'task/task', 'plans/orders/orders', 'patterns/approve'])(
  'a run that does the same again is as if executed to its end: %s',
  async (name) => {
    const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
    const file = join('examples', `${name}.test.dsl`);
    const loaded = await loadSuite({ ...host, folder: root }, file, folder);
    if ('missing' in loaded || loaded.suite === null) throw new Error(JSON.stringify(loaded));
    const { suite } = loaded;
    for (const row of some(suite.tree.tests.flatMap(rowsOf), 2)) {
      // As many calls as without a fault are expected of all.
      const measured = await executeTest(suite, expecting(row, 'calls "*" == 99999'), options);
      const calls = Number.parseInt(measured.failures.at(-1)?.got ?? '', 10);
      expect(calls).toBeGreaterThanOrEqual(0);
      const judged = expecting(row, `calls "*" == ${calls}`);
      const choice = { kinds: new Set(['crash', 'twice'] as const), only: null, mostEvents: amount(15, 100_000) };
      const describe = (found: Awaited<ReturnType<typeof runFaults>>) =>
        found?.outcomes.map(({ point, end, isSame, reason, failures, defect }) => ({
          ...{ point: point.name, end, isSame, reason, failures, defect },
        }));
      const early = describe(await runFaults(suite, judged, options, choice));
      const whole = describe(await runFaults(suite, judged, options, { ...choice, toTheEnd: true }));
      expect(early?.length).toBeGreaterThan(0);
      expect(early).toEqual(whole);
    }
  },
);
