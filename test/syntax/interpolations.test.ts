/** What in braces is a value and what is text. */
import { expect, test } from 'vitest';
import { sourceFile } from '../../src/language/source/diagnostic.js';
import type { Instruction } from '../../src/language/syntax/ast.js';
import type { Template } from '../../src/language/syntax/expression-nodes.js';
import { parseProgram } from '../../src/language/syntax/parse.js';
import { scanInterpolation } from '../../src/language/syntax/tree/interpolation.js';

const same = (offset: number): number => offset;

test.each([
  '{x}',
  '{x.y[0].z}',
  '{x?}',
  '{x.y?.z}',
  '{f(a, "b")}',
  '{f(g(x))}',
  '{f(x).y[0]}',
  '{x:json}',
  '{f(x):int}',
  '{†state.x}',
  '{†a["b c"]}',
  '{x["k"]}',
  '{default(x, "}")}',
])('%s is a value', (text) => {
  const found = scanInterpolation(text, 0, 0, same, false);
  expect(found?.end).toBe(text.length);
  expect(found?.interpolation.span).toEqual({ file: 0, start: 0, end: text.length });
});

test.each([
  ...['{}', '{ x }', '{a,b}', '{1..3}', '{ cmd; }', '{print $1}', '{id: .x}', '{.Names}', '{a|b}', '{3}', '{x + 1}'],
  ...['{x', '{f(}', '{f(x}', '{x y}', '{"a": 1}', '{!x}', '{-x}', '{x-y}', '{(x)}', '{x == 1}', '{f(x) + 1}', '{x*}'],
])('%s is text', (text) => {
  expect(scanInterpolation(text, 0, 0, same, false)).toBeNull();
});

test('a list is spread in shell text only', () => {
  expect(scanInterpolation('{xs*}', 0, 0, same, true)?.interpolation.list).toBe(true);
  expect(scanInterpolation('{f(xs)*}', 0, 0, same, true)?.interpolation.list).toBe(true);
  expect(scanInterpolation('{xs*}', 0, 0, same, false)).toBeNull();
});

test('the filter and its location', () => {
  const found = scanInterpolation('echo {x.y:file}', 5, 0, same, true);
  expect(found?.interpolation.filter).toEqual({ text: 'file', span: { file: 0, start: 10, end: 14 } });
});

function emitted(text: string): { template: Template | undefined; codes: string[] } {
  const { program, diagnostics } = parseProgram(sourceFile('t', `EMIT: ${text}\n`), 0);
  const it = program.items[0] as Extract<Instruction, { kind: 'emit' }>;
  return { template: it.message, codes: diagnostics.map((diagnostic) => diagnostic.code) };
}

function shown(template: Template | undefined): string {
  return (template?.parts ?? []).map((part) => (typeof part === 'string' ? part : '<value>')).join('');
}

test.each([
  ['"a {x} b"', 'a <value> b'],
  ['"{{x}}"', '{x}'],
  ['"{{{x}}}"', '{<value>}'],
  ['"{{ x }} {{.A}} {{"', '{{ x }} {{.A}} {{'],
  ['"{{x} }"', '{<value> }'],
  ['"{x}}"', '<value>}'],
  ['"a\\"b\\\\c\\n\\t\\r\\u{e9}\\u{1F600}"', 'a"b\\c\n\t\ré😀'],
  ["'a\\n{x}'", 'a\\n<value>'],
  ['"{default(x, "none")} left"', '<value> left'],
  ['"don\'t"', "don't"],
])('%s', (text, wanted) => {
  const { template, codes } = emitted(text);
  expect(codes).toEqual([]);
  expect(shown(template)).toBe(wanted);
});

test.each(['"\\q"', '"\\u00e9"', '"\\u{d800}"', '"\\u{}"', '"\\u{110000}"', '"\\{x}"'])(
  '%s holds a bad escape',
  (text) => {
    expect(emitted(text).codes).toEqual(['bad-escape']);
  },
);
