/** The choices of an ASK and its default, and what a program is told about them. */
import { expect, test } from 'vitest';
import { compile } from '../../src/language/check/compile.js';

function asked(options: string) {
  const { machine, diagnostics } = compile(
    `INPUT: x = "z"\nSTATE: A\n  ASK user: "Which?" → a ${options}\n  RETURN: {a}`,
    {},
  );
  const code = machine?.states[0]?.code.find(({ op }) => op === 'ask');
  return { code, codes: diagnostics.map(({ code }) => code) };
}

test('choices are separated by commas, without spaces and quotes around them', () => {
  const { code, codes } = asked('choices="yes, no way ,,last" default="last"');
  expect(codes).toEqual([]);
  expect(code).toMatchObject({ choices: [['yes'], ['no way'], ['last']], value: ['last'] });
  expect(asked('choices=yes,no').code).toMatchObject({ choices: [['yes'], ['no']], value: null, deadline: null });
});

test('the default must be one of them, unless one is a value', () => {
  expect(asked('choices=yes,no default="maybe"').codes).toEqual(['input-choice']);
  expect(asked('choices=yes,no default="no"').codes).toEqual([]);
  expect(asked('choices=yes,{x} default="maybe"').codes).toEqual([]);
});

test('a deadline needs a default', () => {
  expect(asked('deadline=5m').codes).toEqual(['ask-deadline']);
  expect(asked('deadline=5m default="yes"').codes).toEqual([]);
});

test('a branch may set its own variables, but not a tracked one', () => {
  const codesOf = (name: string) =>
    compile(
      `STATE: A\n  TRACK: n\n  FOR EACH: x in [1, 2] in PARALLEL:\n    DO: own = 1\n    SET: ${name} = 2\n  RETURN: {n}`,
      {},
    )
      .diagnostics.filter(({ severity }) => severity === 'error')
      .map(({ code }) => code);
  expect(codesOf('n')).toEqual(['not-in-parallel']);
  expect(codesOf('own')).toEqual([]);
});

test('an agent needs a prompt or a value', () => {
  const codesOf = (line: string) =>
    compile(`INPUT: x = "z"\nSTATE: A\n  DO: r = ${line}\n  RETURN: {r}`, {}).diagnostics.map(({ code }) => code);
  expect(codesOf('Task(fake)')).toEqual(['prompt-missing']);
  expect(codesOf('Task(fake) "do it"')).toEqual([]);
  expect(codesOf('Task(fake) with x={x}')).toEqual([]);
});
