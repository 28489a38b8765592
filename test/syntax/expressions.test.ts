/** Which tree an expression gives: binding strength, paths, tests, and the spellings that are mended. */
import { expect, test } from 'vitest';
import type { Expression } from '../../src/language/syntax/expression-nodes.js';
import { parseExpressionText } from '../../src/language/syntax/parse.js';

/** An expression as a nested list, so that a table can hold it. */
function outline(e: Expression): string {
  switch (e.kind) {
    case 'number':
      return e.text;
    case 'text':
      return e.template.parts.length === 1 && typeof e.template.parts[0] === 'string'
        ? `'${e.template.parts[0]}'`
        : 'text';
    case 'constant':
      return String(e.value);
    case 'name':
      return e.name;
    case 'list':
      return `[${e.items.map(outline).join(' ')}]`;
    case 'object':
      return `{${e.entries.map((entry) => `${entry.key}:${outline(entry.value)}`).join(' ')}}`;
    case 'field':
      return `${outline(e.of)}.${e.name.text}`;
    case 'index':
      return `${outline(e.of)}[${outline(e.index)}]`;
    case 'maybe':
      return `${outline(e.of)}?`;
    case 'call':
      return `${e.name.text}(${e.args.map(outline).join(' ')})`;
    case 'step-key':
      return `${e.path}.${e.field}`;
    case 'data-reference':
      return `†${[e.root.text, ...e.path].join('/')}`;
    case 'references':
      return `(${e.operator} ${e.of.map(outline).join(' ')})`;
    case 'negate':
      return `(neg ${outline(e.of)})`;
    case 'not':
      return `(not ${outline(e.of)})`;
    case 'arithmetic':
    case 'logical':
    case 'compare':
      return `(${e.operator} ${outline(e.left)} ${outline(e.right)})`;
    case 'test':
      return `(${e.negated ? 'not-' : ''}${e.test} ${outline(e.of)})`;
    case 'broken':
      return 'broken';
  }
}

test.each([
  ['a OR b AND NOT c == 1', '(or a (and b (not (== c 1))))'],
  ['a AND b OR c AND d', '(or (and a b) (and c d))'],
  ['NOT NOT a', '(not (not a))'],
  ['1 + 2 * 3 - 4', '(- (+ 1 (* 2 3)) 4)'],
  ['a - b - c', '(- (- a b) c)'],
  ['(1 + 2) * 3', '(* (+ 1 2) 3)'],
  ['-a * -1', '(* (neg a) (neg 1))'],
  ['a + 1 > b % 2', '(> (+ a 1) (% b 2))'],
  ['a == b', '(== a b)'],
  ['a!=b', '(!= a b)'],
  ['x.y[0].z?.w', 'x.y[0].z?.w'],
  ['x["a b"][i + 1]', "x['a b'][(+ i 1)]"],
  ['len(a, b.c) >= 2', '(>= len(a b.c) 2)'],
  ['x is empty', '(empty x)'],
  ['x.y is not empty', '(not-empty x.y)'],
  ['x is not null AND y exists', '(and (not-null x) (exists y))'],
  ['t is valid JSON', '(valid-json t)'],
  ['a contains "x"', "(contains a 'x')"],
  ['a not contains b', '(not-contains a b)'],
  ['a in [1, 2]', '(in a [1 2])'],
  ['a not in xs', '(not-in a xs)'],
  ['a starts with b + c', '(starts-with a (+ b c))'],
  ['a ends  with "x"', "(ends-with a 'x')"],
  ['a matches "^x{3}$"', "(matches a '^x{3}$')"],
  ['{a: 1, "b c": [true, null]}', '{a:1 b c:[true null]}'],
  ['{}', '{}'],
  ['[]', '[]'],
  ['{x}', 'x'],
  ['{x.y}', 'x.y'],
  ['{x:json}', 'text'],
  ['†state.user["first name"][0] exists', '(exists †state/user/first name/0)'],
  ['x.in.contains', 'x.in.contains'],
  ['1.5e3', '1.5e3'],
  ["'it''s'", 'incomplete'],
  ['inside', 'inside'],
  ['android OR orange', '(or android orange)'],
])('%s', (text, wanted) => {
  const { expression, diagnostics, complete } = parseExpressionText(text, 0, 0);
  if (wanted === 'incomplete') {
    expect(complete).toBe(false);
    return;
  }
  expect(diagnostics).toEqual([]);
  expect(complete).toBe(true);
  expect(outline(expression)).toBe(wanted);
});

test.each([
  ['a = 1', 'operator-spelling', '=='],
  ['a === 1', 'operator-spelling', '=='],
  ['a && b', 'operator-spelling', 'AND'],
  ['a || b', 'operator-spelling', 'OR'],
  ['a and b', 'operator-spelling', 'AND'],
  ['!a', 'operator-spelling', 'NOT '],
  ['not a', 'operator-spelling', 'NOT'],
  ['a <> b', 'operator-spelling', '!='],
  ['a < b < c', 'chained-comparison', undefined],
  ['a ==', 'missing-part', undefined],
  ['f(a,', 'missing-part', undefined],
  ['(a', 'unclosed-bracket', undefined],
  ['[1, 2', 'unclosed-bracket', undefined],
])('%s is the mistake %s', (text, code, fix) => {
  const { diagnostics } = parseExpressionText(text, 0, 0);
  expect(diagnostics.map((diagnostic) => diagnostic.code)).toContain(code);
  expect(diagnostics[0]?.correction?.text).toBe(fix);
});

test.each(['', ' ', 'a b', 'a +', ')', 'a )', 'echo hi', 'ls | wc', '"a', "it's", 'a, b', 'x ~ y'])(
  '%j is not one expression',
  (text) => {
    const { complete, diagnostics } = parseExpressionText(text, 0, 0);
    expect(complete && diagnostics.length === 0).toBe(false);
  },
);

test('locations are locations in the file', () => {
  const { expression } = parseExpressionText('a.b == 12', 100, 3);
  expect(expression.span).toEqual({ file: 3, start: 100, end: 109 });
  expect(expression.kind === 'compare' && expression.right.span).toEqual({ file: 3, start: 107, end: 109 });
  expect(expression.kind === 'compare' && expression.operatorSpan).toEqual({ file: 3, start: 104, end: 106 });
});
