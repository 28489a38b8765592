/** Messages about a whole machine stay short, however large the machine is. */
import { describe, expect, test } from 'vitest';
import { compile } from '../../src/language/check/compile.js';
import { fileHandovers } from '../../src/language/check/lints/engine-files.js';
import type { Machine } from '../../src/machine/machine.js';

test('a message names at most 50 entry values that are not passed', () => {
  const names = Array.from({ length: 60 }, (_, at) => `v${at}`);
  const reads = names.map((name) => `  EMIT: READ v={${name}}`).join('\n');
  const passes = names.map((name) => `${name}=1`).join(', ');
  const { diagnostics } = compile(
    `STATE: A\n  IF: 1 == 2 → GOTO: B with ${passes}\n  GOTO: B\nSTATE: B\n${reads}\n  RETURN`,
  );
  const [missing, ...others] = diagnostics.filter(({ code }) => code === 'missing-entry-value');
  expect(others).toEqual([]);
  expect(missing?.message.match(/`v\d+`/g)).toHaveLength(50);
});

describe('files that one effect writes and a later one names', () => {
  const agent = 'DO: Task(writer) "Write it" > plan.md';
  test.each([
    ['in the order of the lines', 'STATE: A\n  DO: ls > a\n  DO: cat a\n  RETURN\n', ['a 2-3']],
    ['not in the other', 'STATE: A\n  DO: cat a\n  DO: ls > a\n  RETURN\n', []],
    ['nor in the same', 'STATE: A\n  DO: cat a > a\n  RETURN\n', []],
    ['unless the state is entered again', 'STATE: A\n  DO: cat a\n  DO: ls > a\n  GOTO: A\n', ['a 3-2']],
    [
      'in a state that follows',
      `STATE: A\n  ${agent}\n  GOTO: B\nSTATE: B\n  DO: cat ./plan.md\n  RETURN\n`,
      ['plan.md 2-5'],
    ],
    [
      'and in one after that',
      'STATE: A\n  DO: ls > a\n  GOTO: B\nSTATE: B\n  GOTO: C\nSTATE: C\n  DO: cat a\n  RETURN\n',
      ['a 2-7'],
    ],
    [
      'not in one that is never after it',
      'STATE: A\n  GOTO: B\nSTATE: C\n  DO: cat a\n  RETURN\nSTATE: B\n  DO: ls > a\n  RETURN\n',
      [],
    ],
    [
      'in ERROR, which any state may enter',
      'STATE: A\n  DO: ls > a\n  RETURN\nSTATE: ERROR\n  DO: cat a\n  FAIL: x\n',
      ['a 2-5'],
    ],
    [
      'not from ERROR to itself',
      'STATE: A\n  DO: ls\n  RETURN\nSTATE: ERROR\n  DO: cat a\n  DO: ls > a\n  FAIL: x\n',
      [],
    ],
    [
      'once, by the first of each',
      'STATE: A\n  DO: ls > a\n  DO: ls >> a\n  DO: cat a\n  DO: cat a\n  RETURN\n',
      ['a 2-3'],
    ],
    [
      'by programs with the files as words',
      'STATE: A\n  DO: ls | tee -a a b\n  DO: cp a c\n  DO: cat b c\n  RETURN\n',
      ['a 2-3', 'b 2-4', 'c 3-4'],
    ],
    ['by options for the output', 'STATE: A\n  DO: curl -o a x\n  DO: env IN=a cat\n  RETURN\n', ['a 2-3']],
    ['in the prompt of an agent', 'STATE: A\n  DO: ls > a.md\n  DO: Task(w) "Read (a.md)."\n  RETURN\n', ['a.md 2-3']],
    [
      'not from an agent with a computed name',
      'STATE: A\n  TRACK: n = "a"\n  DO: Task(w) "x" > {n}.md\n  DO: cat .md\n  RETURN\n',
      [],
    ],
    ['never from devices', 'STATE: A\n  DO: ls > /dev/null\n  DO: cat < /dev/null 2>&1\n  RETURN\n', []],
  ])('%s', (_, text, expected) => {
    const { machine, diagnostics } = compile(text);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    const found = fileHandovers(machine as Machine).map(
      ({ file, written, named }) => `${file} ${written.line}-${named.line}`,
    );
    expect(found).toEqual(expected);
  });
});
