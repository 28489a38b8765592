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

test('in a plan calls, parameters, arms and alternatives change, and an input that nothing reads does not count', async () => {
  const calls = [
    { _tool: 'verify', id: '†input.id', _outputPath: '†state.ok || †state.bad' },
    { _tool: 'greet', name: '†state.ok', loud: true, _outputPath: '†state.text' },
    { _tool: 'mail', text: '†state.text || †state.bad', tries: 2, _outputPath: '†state.sent' },
  ];
  const mutants = await mutantsOf({
    'tools.yaml': 'verify: { run: [./v] }\ngreet: { run: [./g] }\nmail: { run: [./m] }\n',
    'a.json': JSON.stringify({ calls, output: { sent: '†state.sent' } }, null, 1),
    'a.test.dsl': `TESTS: "./a.json"
MOCK: CALL mail → "sent", …
TEST: known
  GIVEN: id="u1"
  MOCK: CALL verify → "Ada"
  MOCK: CALL greet → "Hello"
  EXPECT: returned { sent: "sent" }
  EXPECT: prompt CALL greet contains "Ada"
  EXPECT: prompt CALL mail contains "Hello"
TEST: unknown
  GIVEN: id="u2"
  MOCK: CALL verify → exit 1 "nobody"
  EXPECT: calls CALL mail == 1
`,
  });
  expect(killers(mutants)).toMatchInlineSnapshot(`
    {
      "10 \`name\` of \`greet\` is left out": "known",
      "11 \`loud\` of \`greet\` is left out": null,
      "11 \`true\` → \`false\`": null,
      "16 \`text\` of \`mail\` is left out": "known",
      "16 \`†state.text || †state.bad\` → \`†state.bad\`": "known",
      "16 \`†state.text || †state.bad\` → \`†state.text\`": "unknown",
      "17 \`2\` → \`3\`": null,
      "17 \`tries\` of \`mail\` is left out": null,
      "5 \`id\` of \`verify\` is left out": "check",
      "6 \`†state.ok || †state.bad\` → \`†state.bad || †state.ok\`": "known",
      "8 the call of \`greet\` is left out": "check",
    }
  `);
  const unread = await mutantsOf({
    'a.md': '# One\n\n```dsl\nINPUT: n = 1\nINPUT: m = 1\nSTATE: A\n  RETURN: {m}\n```\n',
    'a.test.dsl': 'TESTS: "./a.md"\nTEST: it\n  EXPECT: returned 1\n',
  });
  expect(killers(unread)).toEqual({
    '5 `1` → `2`': 'it',
    '7 `RETURN: {m}` is left out': 'it',
    '7 the result is not returned': 'it',
  });
});
