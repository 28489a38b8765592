/** Reading a test file never fails, whatever it contains: each mistake is a diagnostic with a location in the file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatTests } from '../../src/language/format/format-tests.js';
import { sourceFile } from '../../src/language/source/diagnostic.js';
import { parseTests } from '../../src/language/syntax/tests/parse-tests.js';
import { amount, tries } from '../amount.js';

const example = readFileSync(
  join(fileURLToPath(new URL('../..', import.meta.url)), 'examples/release/release.test.dsl'),
  'utf8',
);

function parse(text: string) {
  const { tree, diagnostics } = parseTests(sourceFile('a.test.dsl', text), 0);
  for (const { span, message } of diagnostics) {
    expect(span.start, message).toBeGreaterThanOrEqual(0);
    expect(span.end, message).toBeLessThanOrEqual(text.length);
    expect(span.start, message).toBeLessThanOrEqual(span.end);
  }
  return tree;
}

test('an example has no mistakes', () => {
  expect(parseTests(sourceFile('a.test.dsl', example), 0).diagnostics).toEqual([]);
});

test('`stderr` ends only the output of a command', () => {
  const text = 'TESTS: "./a.dsl"\nTEST: a\n  GIVEN: x=1 + stderr + 2\n  MOCK: "a" → exit 1 "out" stderr "err"\n';
  expect(parseTests(sourceFile('a.test.dsl', text), 0).diagnostics).toEqual([]);
});

const words = fc.constantFrom(
  ...[
    'TESTS:',
    'MOCK:',
    'TEST:',
    '  EXPECT:',
    '  EACH: row in',
    '  GIVEN:',
    '  ANSWER:',
    '  AT:',
    '  CASSETTE:',
    '  SIGNAL:',
    '  START:',
    '→',
    '->',
    '"',
    "'",
  ],
  ...[
    '[',
    ']',
    '{',
    '}',
    '(',
    ')',
    '…',
    '\\',
    '\n',
    '\n  ',
    ' ',
    ',',
    '=',
    '==',
    '#',
    '  # ',
    'exit 1',
    'fails',
    'cost',
  ],
  ...[
    'Task(a)',
    'CALL x',
    '"*"',
    'states A',
    'event E',
    'no',
    'calls',
    'prompt',
    'returned',
    'once',
    'line 3',
    ' [always]',
    'times out',
    'for real',
    'match=',
    'drift=warn',
    '\u0000',
    '\ud800',
    '🙂',
    '\t',
    '\r\n',
  ],
);

test('lines of pieces in any order', () => {
  fc.assert(
    fc.property(fc.array(words, { maxLength: 40 }), (pieces) => void parse(pieces.join(''))),
    { numRuns: tries(25, 20_000) },
  );
});

test('an example that is cut off or has a character changed anywhere', () => {
  for (let at = 0; at < example.length; at += amount(29, 7)) {
    parse(example.slice(0, at));
    parse(`${example.slice(0, at)}"${example.slice(at + 1)}`);
  }
});

test('brackets that are nested too deep are one mistake', () => {
  const deep = `TESTS: "./a.dsl"\nTEST: a\n  EACH: r in ${'['.repeat(300)}1${']'.repeat(300)}\n`;
  const { diagnostics } = parseTests(sourceFile('a.test.dsl', deep), 0);
  expect(diagnostics.map(({ code }) => code)).toEqual(['nested-too-deep']);
});

test('an open bracket takes only deeper lines, and the line that closes it', () => {
  const linesOf = (text: string) =>
    parse(text).tests[0]?.lines.map(({ kind, span }) => [kind, text.slice(span.start, span.end)]);
  expect(linesOf('TEST: a\n  EACH: r in [\n    1\n  ]\n  SKIP: no\n')).toMatchInlineSnapshot(`
    [
      [
        "each",
        "EACH: r in [
        1
      ]",
      ],
      [
        "skip",
        "SKIP: no",
      ],
    ]
  `);
  expect(linesOf('TEST: a\n  EACH: r in [1\n  SKIP: no\n')).toMatchInlineSnapshot(`
    [
      [
        "skip",
        "SKIP: no",
      ],
    ]
  `);
});

const LARGE = amount(500, 20_000);

test('a large file takes time in proportion to its size', () => {
  expect(parse(`TEST: a\n  EXPECT: ${'['.repeat(5 * LARGE)}`).tests).toHaveLength(1);
  expect(parse(`TEST: a\n  EACH: x in [\n${'    1,\n'.repeat(LARGE)}`).tests).toHaveLength(1);
  expect(parse('MOCK: "x" → "y"\n'.repeat(LARGE)).mocks).toHaveLength(LARGE);
});

test('formatting twice changes nothing, and the tree stays', () => {
  const messy =
    'TESTS: "./a.dsl"\nMOCK:  "x" -> "a -> b"\nTEST: a\n     EACH: r in [\n       # few\n       1,\n       2\n     ]\n     EXPECT: returned\n\n\n\n  # why\n  SKIP: b -> c\n';
  const once = formatTests(messy);
  expect(formatTests(once)).toBe(once);
  expect(once).toBe(
    'TESTS: "./a.dsl"\nMOCK: "x" → "a -> b"\n\nTEST: a\n  EACH: r in [\n    # few\n    1,\n    2\n  ]\n  EXPECT: returned\n\n  # why\n  SKIP: b -> c\n',
  );
  expect(parse(once).tests[0]?.lines.map(({ kind }) => kind)).toEqual(['each', 'expect', 'skip']);
});
