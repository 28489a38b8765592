/** What can run below a folder: which files count, and what is said about each. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { listPrograms } from '../../src/app/project/list-programs.js';
import { temporaryFolder } from '../runtime/running.js';

function listed(files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return listPrograms(folder);
}

const pathsOf = (all: readonly { readonly path: string }[]): string[] => all.map(({ path }) => path);

test('programs of a folder come before those below it, and what others made is left out', () => {
  const deep = 'a/'.repeat(8);
  const program = 'RETURN: done\n';
  const { programs, workflows, plans } = listed({
    ...{ 'b.dsl': program, 'a.statedsl': program, 'in/c.dsl': program, 'in/A.DSL': program, '.dsl': program },
    ...{ 'a.test.dsl': program, 'note.txt': program, 'node_modules/x.dsl': program, '.git/x.dsl': program },
    '01900000-0000-7000-8000-00000000aaaa/program.dsl': program,
    ...{ [`${deep}d.dsl`]: program, [`${deep}a/e.dsl`]: program },
    ...{ 'binary.dsl': 'RETURN: \0', 'large.dsl': `# ${'x'.repeat(1024 * 1024)}\n${program}` },
    ...{ 'only.dsl': 'PATTERN: P\n  DO: echo\n', 'inputs.dsl': 'INPUT: x\n', 'empty.dsl': '' },
  });
  expect(pathsOf(programs)).toEqual(['a.statedsl', 'b.dsl', 'in/A.DSL', 'in/c.dsl', `${deep}d.dsl`]);
  expect([workflows, plans]).toEqual([[], []]);
});

test('a program says its name, what it is for, what it needs and what is wrong', () => {
  const text = `#!/usr/bin/env statedsl
# Counts the words
# of a text.
#   statedsl run this
# and more
MACHINE: counter
TOOL: yes
INPUT: path
INPUT: most: number = 3
INPUT: kind = one of "a", "b"
INPUT: token SECRET
RETURN: {path
`;
  const [one] = listed({ 'p.dsl': text }).programs;
  expect(one).toMatchObject({ name: 'counter', comment: 'Counts the words of a text.', tool: true });
  expect(one?.errors).toBeGreaterThan(0);
  const good = listed({
    'q.dsl': 'INPUT: n = 3\nINPUT: t = "x y"\nINPUT: l = [1, 2]\nINPUT: must\nRETURN: {n}{t}{l}{must}\n',
  });
  expect(good.programs[0]).toMatchObject({ name: null, comment: null, errors: 0 });
  expect(good.programs[0]).not.toHaveProperty('tool');
  expect(good.programs[0]?.inputs.map((input) => [input.name, input.default, input.required])).toEqual([
    ['n', '3', false],
    ['t', '"x y"', false],
    ['l', '[1, 2]', false],
    ['must', null, true],
  ]);
});

test('the first paragraph of a document says what it is for, or else its title', () => {
  const fence = '```statedsl\nRETURN: done\n```\n';
  const commentOf = (text: string) => listed({ 'd.md': text + fence }).programs[0]?.comment;
  expect(commentOf('# Title\n\nWhat it\nis for.\n\nMore.\n\n')).toBe('What it is for.');
  expect(commentOf('---\nkey: value\n---\n# Title\n\nWhat it is for.\n```sh\nx\n```\n\n')).toBe('What it is for.');
  expect(commentOf('# Title\n\n- a list\n\n')).toBe('Title');
  expect(commentOf('# Title\n\n~~~~\nno\n~~~\nno\n~~~~\n\nIt ends.\n\n')).toBe('It ends.');
  expect(commentOf('')).toBeNull();
});

test('patterns say what is directly above them, and in a file of one the comment of the file', () => {
  const { patterns } = listed({
    'p.dsl':
      '# About the file.\n\nSTATE: A\n  USE: P(a=1)\n  RETURN\n\n# What P does\n# with it.\nPATTERN: P(a, b="x")\n  DO: echo {a} {b}\n\nPATTERN: Q\n  DO: echo\n',
    'q.dsl': '# About this one.\n\nPATTERN: R\n  DO: echo\n',
  });
  expect(patterns.map(({ path, name, comment }) => [path, name, comment])).toEqual([
    ['p.dsl', 'P', 'What P does with it.'],
    ['p.dsl', 'Q', null],
    ['q.dsl', 'R', 'About this one.'],
  ]);
  expect(patterns[0]?.parameters).toEqual([
    { name: 'a', default: null },
    { name: 'b', default: '"x"' },
  ]);
});

test('workflow files have steps, and plans have calls', () => {
  const { workflows, plans, programs } = listed({
    'flow.yaml': 'name: flow\ndescription: Builds it. \nsteps:\n  - { name: a, bash: make }\n',
    'other.yml': 'jobs: {}\n',
    'nested.yaml': 'all:\n  steps: []\n',
    'plan.json': '{"calls": [{"_tool": "a", "x": "†input.x", "y": "\\u2020input.y"}, {"_tool": "a", "x": "†input.x"}]}',
    'wrong.json': '{"calls": [{"_tool": 3}]}',
    'data.json': '{"tool": "a"}',
  });
  expect([programs, workflows.map(({ path, comment, errors }) => [path, comment, errors])]).toEqual([
    ...[[], [['flow.yaml', 'Builds it.', 0]]],
  ]);
  expect(plans.map(({ path, calls, inputs }) => [path, calls, inputs])).toEqual([
    ['plan.json', 2, ['x', 'y']],
    ['wrong.json', expect.any(Number), []],
  ]);
  expect([plans[0]?.errors, (plans[1]?.errors ?? 0) > 0]).toEqual([0, true]);
});
