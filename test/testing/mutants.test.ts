/** Mistakes in a program that its tests notice, and those that they do not. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diskFiles } from '../../src/app/project/project-host.js';
import { loadSuite } from '../../src/lab/testing/load-suite.js';
import { type JudgedMutant, mutateProgram } from '../../src/lab/testing/mutation/mutate-program.js';
import { json } from '../../src/lab/testing/reporters/machine-reports.js';
import type { Suite } from '../../src/lab/testing/suite.js';

/** The mutants of the program that all test files of a folder are about. */
async function mutantsOf(files: Readonly<Record<string, string>>): Promise<JudgedMutant[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const host = { folder, files: diskFiles, allowOutside: false, environment: {} };
  const suites: Suite[] = [];
  for (const name of Object.keys(files).filter((one) => one.endsWith('.test.dsl'))) {
    const loaded = await loadSuite(host, name, folder);
    if ('missing' in loaded || loaded.suite === null) throw new Error(JSON.stringify(loaded));
    suites.push(loaded.suite);
  }
  const mutants: JudgedMutant[] = [];
  await mutateProgram(host, suites, folder, (mutant) => mutants.push(mutant));
  return mutants;
}

const killers = (mutants: readonly JudgedMutant[]): Record<string, string | null> =>
  Object.fromEntries(mutants.map(({ line, change, killed_by }) => [`${line} ${change}`, killed_by]));

test('a mutant that never ends is noticed, and one that is the same machine does not count', async () => {
  const mutants = await mutantsOf({
    'a.dsl': `STATE: A
  TRACK: n
  IF: n >= 2 → RETURN: done
  INCREMENT: n
  GOTO: A
`,
    'a.test.dsl': 'TESTS: "./a.dsl"\nTEST: it ends\n  EXPECT: returned "done"\n  EXPECT: states A, A, A\n',
  });
  expect(killers(mutants)).toEqual({
    '3 `IF: n >= 2 → RETURN: done` is left out': 'it ends',
    '3 `>=` → `>`': 'it ends',
    '3 `>=` → `<`': 'it ends',
    '3 `2` → `3`': 'it ends',
    '3 `RETURN: done` is left out': 'it ends',
    '3 the result is not returned': 'it ends',
    '4 `INCREMENT: n` is left out': 'it ends',
    '5 `GOTO: A` is left out': 'it ends',
  });
});

test('every test file of a program counts, and a document is a program too', async () => {
  const program = '# Doc\n\n```dsl\nINPUT: n = 1\nSTATE: A\n  IF: n > 3 → RETURN: many\n  RETURN: few\n```\n';
  const mutants = await mutantsOf({
    'a.md': program,
    'few.test.dsl': 'TESTS: "./a.md"\nTEST: few\n  GIVEN: n=3\n  EXPECT: returned "few"\n',
    'many.test.dsl': 'TESTS: "./a.md"\nTEST: many\n  GIVEN: n=4\n  EXPECT: returned "many"\n',
  });
  const found = killers(mutants);
  expect(found['6 `>` → `>=`']).toBe('few');
  expect(found['6 `3` → `4`']).toBe('many');
  expect(found['4 `1` → `2`']).toBeNull();
});

test('in a workflow file gates, numbers and conditions change', async () => {
  const mutants = await mutantsOf({
    'a.yaml': `steps:
  - name: one
    type: artifact
    agent: claude
    prompt: Write.
    gate: [{ bash: ./look.sh, as: look }, { expr: len(one.output) < 5 }]
    retry:
      - exit: 2
`,
    'a.test.dsl': `TESTS: "./a.yaml"
TEST: the first is not good
  MOCK: Task(claude) → "one", "two"
  MOCK: "./look.sh" → exit 1 "", ""
  EXPECT: returned
TEST: two attempts are the most
  MOCK: Task(claude) → "abc", …
  MOCK: "./look.sh" → exit 1 "", …
  EXPECT: failed
  EXPECT: calls Task(claude) == 2
`,
  });
  expect(killers(mutants)).toEqual({
    '6 `{ bash: ./look.sh, as: look` → `{ expr: "true", as: look`': 'check',
    '6 `{ expr: len(one.output) < 5` → `{ expr: "true", as: expr`': null,
    '6 `<` → `<=`': null,
    '6 `<` → `>=`': 'the first is not good',
    '6 `5` → `6`': null,
    '8 `2` → `3`': 'two attempts are the most',
  });
  const { mutants: printed } = JSON.parse(json([], [], mutants)) as { mutants: JudgedMutant[] };
  expect(printed[1]).toMatchObject({ line: 6, killed_by: null });
  expect(Object.keys(printed[1] as object)).toEqual(['file', 'line', 'column', 'change', 'killed_by']);
});
