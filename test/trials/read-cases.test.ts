/** The cases of a trial as they are read, and each mistake in them with its place. */
import { expect, test } from 'vitest';
import { readCases } from '../../src/lab/trials/read-cases.js';
import { compile } from '../../src/language/check/compile.js';
import type { Machine } from '../../src/machine/machine.js';

const { machine } = compile('INPUT: n = 1\nINPUT: to\nSTATE: A\n  DO: echo {n} {to}\n  RETURN: {n}\n', {
  name: 'program.dsl',
});

async function read(text: string, program: string | null = null) {
  const { compiled, diagnostics } = await readCases({ name: 'cases.yaml', text }, machine as Machine, program);
  const said = diagnostics.map(({ span, message, help }) => {
    const { length } = text.slice(0, span.start).split('\n');
    return `${length} «${text.slice(span.start, span.end)}» ${message}: ${help}`;
  });
  return { compiled, said };
}

test('a case has a name, inputs as they were written, and expectations', async () => {
  const { compiled, said } = await read(
    [
      '- inputs: {to: a, n: 5.0}',
      '  expect: returned 5',
      '- name: 7',
      '  inputs: {to: b}',
      '  expect:',
      '    - "EXPECT: failed"',
      '',
    ].join('\n'),
  );
  expect(said).toEqual([]);
  const kinds = compiled?.cases.map(({ expects, ...one }) => ({
    ...one,
    expects: expects.map((e) => e.expectation.kind),
  }));
  expect(kinds).toEqual([
    { name: 'case 1', inputs: { to: 'a', n: 5 }, printed: { n: '5.0' }, expects: ['returned'] },
    { name: '7', inputs: { to: 'b' }, printed: {}, expects: ['failed'] },
  ]);
});

test('a mistake is marked where it is', async () => {
  const text = [
    '- name: one',
    '  inputs: {to: a, m: 2}',
    '  expcet: [returned 1]',
    '- name: one',
    '  inputs: {to: .inf}',
    '  expect:',
    '    - returnd 1',
    '    - 5',
    '    - "returned \\"1\\" x"',
    '    - |',
    '      returned 1',
    '      returned 2',
    '- name: "two\\nlines"',
    '  expect: {returned: 1}',
    '- 5',
    '- name: []',
    '  inputs: 3',
    '- {inputs: {to: a}, expect: snapshot}',
    '',
  ].join('\n');
  const { compiled, said } = await read(text);
  expect(compiled).toBeNull();
  expect(said).toEqual([
    '2 «m» the program has no input `m`: correct it',
    '3 «expcet» a case has no `expcet`: did you mean `expect`?',
    '4 «one» there are two cases `one`: give each its own name',
    '5 «.inf» the value has a number that is not finite: write a number',
    '7 «returnd 1» `returnd 1` is not a value: write a text in quotes: `"…"`',
    '8 «5» an expectation is a text: write it in quotes, such as `\'returned "done"\'`',
    '9 «"returned \\"1\\" x"» `"1" x` is not a value: write a text in quotes: `"…"`',
    '10 «|» an expectation is one line of text: write each as an element of the list',
    '13 «name» the input `to` has no value: add `to` to `inputs`',
    '13 «"two\\nlines"» the name of a case is a text on one line: write `name: …`',
    '14 «{returned: 1}» `expect` is a list of expectations: write `- returned "…"` below it',
    '15 «5» a case is an object with `name`, `inputs` and `expect`: write `- name: …`',
    '16 «[]» the name of a case is a text on one line: write `name: …`',
    '17 «3» `inputs` is an object with values by name: write `{name: value}`',
    '18 «snapshot» a trial compares its runs with no snapshot: write what you expect of the result',
  ]);
  expect((await read('{}', 'a.dsl')).said).toEqual([
    '1 «{}» the file with the cases holds no list of them, in `a.dsl`: begin each with `- name: …`',
  ]);
  expect((await read('- [', 'a.dsl')).said).toEqual([
    expect.stringMatching(/^1 «» flow sequence in block collection must .*, in `a.dsl`: undefined$/),
  ]);
});
