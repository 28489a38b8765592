/** Messages about a whole machine stay short, however large the machine is. */
import { describe, expect, test } from 'vitest';
import { compile } from '../../src/language/check/compile.js';
import { fileHandovers } from '../../src/language/check/lints/engine-files.js';
import type { Machine } from '../../src/machine/machine.js';
import { parseExitCodes, parseRetry, parseRetryOn } from '../../src/machine/option-values.js';

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
    ['in what undoes the first', 'STATE: A\n  DO: ls > a\n  UNDO: rm a\n  DO: make\n  RETURN\n', ['a 2-3']],
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

describe('a text of a failure that RETURN gives, where a condition says', () => {
  test.each([
    ['exit_code(a) == 0', 'else'],
    ['exit_code(a) != 0', 'then'],
    ['exit_code(a) > 0', 'then'],
    ['exit_code(a) == 2', 'then'],
    ['exit_code(a) != 2', 'else'],
    ['exit_code(a) < 1', ''],
    ['exit_code(a) == n', ''],
    ['len(failures) == 0', 'else'],
    ['len(failures) != 0', 'then'],
    ['len(failures) > 0', 'then'],
    ['len(failures) == 2', 'then'],
    ['len(failures) == n', ''],
    ['len(a) == 0', ''],
    ['a == "failed"', 'then'],
    ['a == "FAILURE"', 'then'],
    ['a != "error"', 'else'],
    ['a > "failed"', ''],
    ['a == "failing"', ''],
    ['a == n', ''],
    ['NOT exit_code(a) == 0', 'then'],
    ['NOT exit_code(a) == 1', 'else'],
    ['NOT a.ok', 'then'],
    ['NOT a.fine', ''],
    ['NOT ok', ''],
    ['a.x == 1 OR exit_code(a) == 1', ''],
    ['exit_code(a) == 1 OR exit_code(a) == 2', 'then'],
    ['exit_code(a) == 1 AND a.x == 1', 'then'],
    ['a.x == 1 AND exit_code(a) == 0', 'else'],
    ['failures is empty', 'else'],
    ['failures is not empty', 'then'],
    ['a is empty', ''],
  ])('%s: %s', (condition, expected) => {
    const text = `STATE: A
  TRACK: n = 1
  TRACK: ok = true
  DO: in PARALLEL [on_failure=keep]:
    - a = ls
    - b = ls
  IF: ${condition} →
    RETURN: failed then
  ELSE →
    RETURN: failed else
`;
    const { diagnostics } = compile(text);
    const found = diagnostics.filter(({ code }) => code === 'returns-failure');
    expect(found.map(({ span }) => text.slice(span.start, span.end).split(' ').at(-1)).join(' ')).toBe(expected);
  });
});

describe('values of options', () => {
  test.each([
    ['2', { times: 2, pauseMs: 0 }],
    [' 2 ', { times: 2, pauseMs: 0 }],
    ['9999', { times: 9999, pauseMs: 0 }],
    ['10000', null],
    ['2/5s', { times: 2, pauseMs: 5000 }],
    ['5/1s..60s', { times: 5, pauseMs: 1000, upToMs: 60_000 }],
    ['5/1s..1s', { times: 5, pauseMs: 1000, upToMs: 1000 }],
    ['5/0s..1s', null],
    ['5/2s..1s', null],
    ['5/1s..2s..3s', null],
    ['5/1s..x', null],
    ['2/', null],
    ['x', null],
  ])('retry=%s', (text, read) => expect(parseRetry(text)).toEqual(read));

  test.each([
    ['timeout', { on: ['timeout'] }],
    ['timeout, exit:75', { on: ['timeout', 75] }],
    ['exit:255,exit:0', { on: [255, 0] }],
    ['exit:256', { wrong: 'exit:256' }],
    ['timeout,x', { wrong: 'x' }],
    ['', { wrong: '' }],
  ])('retry_on=%s', (text, read) => expect(parseRetryOn(text)).toEqual(read));

  test.each([
    ['0', [0]],
    [' 0, 255 ', [0, 255]],
    ['256', null],
    ['0,', null],
    [' any ', 'any'],
    ['x', null],
  ])('ok=%s', (text, read) => expect(parseExitCodes(text)).toEqual(read));
});

test('a list after a name is a value, and a command without one', () => {
  const { machine } = compile('STATE: A\n  DO: x = ["ls", "-l"]\n  DO: ["ls", "-l"]\n  RETURN: {x}\n');
  expect(machine?.states[0]?.code.map(({ op }) => op)).toEqual(['set', 'argv', 'return', 'fell-off']);
});
