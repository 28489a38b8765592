/** Operators and functions, as tables of what they give and how they fail. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RuntimeFailure } from '../../src/interpreter/failure.js';
import { link } from '../../src/interpreter/run.js';
import { Run } from '../../src/interpreter/run-state/run-memory.js';
import { compile } from '../../src/interpreter/values/evaluate.js';
import { readJson, render } from '../../src/interpreter/values/json.js';
import { isoTime } from '../../src/interpreter/values/operations.js';
import {
  codePoints,
  compareNumbers,
  compareText,
  numberKey,
  plain,
  type Value,
} from '../../src/interpreter/values/value.js';
import type { Comparison, Expr } from '../../src/machine/expression.js';
import { longTest } from '../amount.js';
import { call, constant, done, field, hole, local, machine, OPTIONS } from './machine-builder.js';

const program = machine({ A: { locals: ['x', 'y'], code: [done()] } });

/** Evaluates with `x` in local 0; undefined leaves it unbound. */
function evaluate(expr: Expr, x?: Value): Value {
  const run = new Run(link(program), OPTIONS);
  run.main.locals = [x, undefined];
  return compile(expr)(run.main);
}

function failure(expr: Expr, x?: Value): string {
  try {
    evaluate(expr, x);
    return 'no failure';
  } catch (thrown) {
    if (!(thrown instanceof RuntimeFailure)) throw thrown;
    return `${thrown.errorType}: ${thrown.message}`;
  }
}

const value = (text: string): Value => {
  const read = readJson(text);
  if (!read.ok) throw new Error(text);
  return read.value;
};
const compare = (operator: Comparison, left: Expr, right: Expr): Expr => ({ op: 'compare', operator, left, right });
const x = local(0, 'x');

describe('comparisons', () => {
  test.each([
    [1, '==', 1, true],
    [[1, { a: 2 }], '==', [1, { a: 2 }], true],
    [{ a: 1, b: 2 }, '==', { b: 2, a: 1 }, true],
    [[1], '==', [1, 2], false],
    [[], '==', {}, false],
    [{ a: 1 }, '==', null, false],
    [null, '!=', [1], true],
    [null, '==', null, true],
    ['2', '<=', '10', false],
    [2, '<=', 10, true],
    ['\u{1f600}', '>', '\uffee', true],
    ['abc', 'contains', 'b', true],
    [[{ a: 1 }], 'contains', { a: 1 }, true],
    [{ a: 1 }, 'contains', 'a', true],
    [{ a: 1 }, 'contains', 'constructor', false],
    ['a', 'in', ['a', 'b'], true],
    ['c', 'not-in', ['a', 'b'], true],
    ['abc', 'not-contains', 'z', true],
    ['v1.2', 'matches', '^v[0-9]', true],
    ['abc', 'starts-with', 'ab', true],
    ['abc', 'ends-with', 'bc', true],
  ] as const)('%j %s %j is %j', (left, operator, right, expected) => {
    expect(evaluate(compare(operator, constant(left as never), constant(right as never)))).toBe(expected);
  });

  test.each([
    [
      { status: 'ok' },
      '==',
      'ok',
      'bad_value: `==` cannot compare an object with text; compare one of its fields (`status`)',
    ],
    [
      1,
      '==',
      '1',
      'bad_value: `==` cannot compare a number with text; write `1` without quotes if that is the value, or `int(…)` for the number in a text',
    ],
    [
      true,
      '!=',
      'true',
      'bad_value: `!=` cannot compare a boolean with text; write `true` without quotes if that is the value',
    ],
    [
      [1],
      '!=',
      1,
      'bad_value: `!=` cannot compare a list with a number; compare an element, its `len(…)`, or use `contains`',
    ],
    [
      '5',
      '>',
      3,
      'bad_value: `>` cannot order text and a number; bind the text with CHECK, or use `int(…)` or `float(…)`',
    ],
    [null, '<', 3, 'bad_value: `<` cannot order null and a number'],
    [true, '>=', false, 'bad_value: `>=` cannot order a boolean and a boolean'],
    [5, 'contains', 5, 'bad_value: `contains` needs a text, a list or an object to look in, not a number'],
    ['abc', 'contains', 5, 'bad_value: `contains` looks for text in a text, not for a number'],
    [1, 'in', 'abc', 'bad_value: `in` looks for text in a text, not for a number'],
    [1, 'matches', 'a', 'bad_value: `matches` needs two texts, not a number and text'],
    ['a', 'matches', '(', 'bad_value: `matches` cannot read the pattern `(`'],
  ] as const)('%j %s %j fails', (left, operator, right, message) => {
    expect(failure(compare(operator, constant(left as never), constant(right as never)))).toBe(message);
  });

  test('a pattern that takes too long is a failure', () => {
    const run = new Run(link(program), { ...OPTIONS, matches: () => null });
    expect(() => compile(compare('matches', constant('a'), constant('(a+)+$')))(run.main)).toThrow('took too long');
  });

  test('long identifiers that round to one number differ', () => {
    const ids = value('[9007199254740993, 9007199254740992.0, 9007199254740995]') as Value[];
    expect(evaluate(compare('==', x, constant(9007199254740992)), ids[0])).toBe(false);
    expect(evaluate(compare('>', x, constant(9007199254740992)), ids[0])).toBe(true);
    expect(evaluate(compare('==', x, constant(9007199254740992)), ids[1])).toBe(true);
    const pair = value('[90071992547409931, 90071992547409932]') as Value[];
    const both: Expr = compare(
      '==',
      { op: 'index', of: x, index: constant(0) },
      { op: 'index', of: x, index: constant(1) },
    );
    expect(evaluate(both, pair)).toBe(false);
  });
});

/**
 * For each operator, what it gives for the kind of value at the beginning of the line with each of them, in the same order:
 * true, not true, a value or a failure.
 */
const GRID = `
       ==                 <                  <=                 contains           +
null   T----------------- !!!!!!!!!!!!!!!!!! !!!!!!!!!!!!!!!!!! !!!!!!!!!!!!!!!!!! !!!!!!!!!!!!!!!!!!
true   -T-!!!!!!!!!!!!!!! !!!!!!!!!!!!!!!!!! !!!!!!!!!!!!!!!!!! !!!!!!!!!!!!!!!!!! !!!!!!!!!!!!!!!!!!
false  --T!!!!!!!!!!!!!!! !!!!!!!!!!!!!!!!!! !!!!!!!!!!!!!!!!!! !!!!!!!!!!!!!!!!!! !!!!!!!!!!!!!!!!!!
empty  -!!T--!!!!!!!!!!!! !!!-TT!!!!!!!!!!!! !!!TTT!!!!!!!!!!!! !!!T--!!!!!!!!!!!! !!!vvv!!!!!!!!!!!!
text   -!!-T-!!!!!!!!!!!! !!!---!!!!!!!!!!!! !!!-T-!!!!!!!!!!!! !!!TT-!!!!!!!!!!!! !!!vvv!!!!!!!!!!!!
digit  -!!--T!!!!!!!!!!!! !!!-T-!!!!!!!!!!!! !!!-TT!!!!!!!!!!!! !!!T-T!!!!!!!!!!!! !!!vvv!!!!!!!!!!!!
zero   -!!!!!T---!!!!!!!! !!!!!!-TTT!!!!!!!! !!!!!!TTTT!!!!!!!! !!!!!!!!!!!!!!!!!! !!!!!!vvvv!!!!!!!!
two    -!!!!!-TT-!!!!!!!! !!!!!!---T!!!!!!!! !!!!!!-TTT!!!!!!!! !!!!!!!!!!!!!!!!!! !!!!!!vvvv!!!!!!!!
2.0    -!!!!!-TT-!!!!!!!! !!!!!!---T!!!!!!!! !!!!!!-TTT!!!!!!!! !!!!!!!!!!!!!!!!!! !!!!!!vvvv!!!!!!!!
long   -!!!!!---T!!!!!!!! !!!!!!----!!!!!!!! !!!!!!---T!!!!!!!! !!!!!!!!!!!!!!!!!! !!!!!!vvvv!!!!!!!!
1.9    -!!!!!!!!!T-!!!!!! !!!!!!!!!!-T!!!!!! !!!!!!!!!!TT!!!!!! !!!!!!!!!!!!!!!!!! !!!!!!!!!!!!!!!!!!
1.10   -!!!!!!!!!-T!!!!!! !!!!!!!!!!--!!!!!! !!!!!!!!!!-T!!!!!! !!!!!!!!!!!!!!!!!! !!!!!!!!!!!!!!!!!!
[]     -!!!!!!!!!!!T----- !!!!!!!!!!!!!!!!!! !!!!!!!!!!!!!!!!!! ------------------ !!!!!!!!!!!!vvvv!!
[2]    -!!!!!!!!!!!-T---- !!!!!!!!!!!!!!!!!! !!!!!!!!!!!!!!!!!! -!!!!!-TT-!!!!!!!! !!!!!!!!!!!!vvvv!!
["a"]  -!!!!!!!!!!!--T--- !!!!!!!!!!!!!!!!!! !!!!!!!!!!!!!!!!!! -!!-T-!!!!!!!!!!!! !!!!!!!!!!!!vvvv!!
[null] -!!!!!!!!!!!---T-- !!!!!!!!!!!!!!!!!! !!!!!!!!!!!!!!!!!! T----------------- !!!!!!!!!!!!vvvv!!
{}     -!!!!!!!!!!!----T- !!!!!!!!!!!!!!!!!! !!!!!!!!!!!!!!!!!! !!!---!!!!!!!!!!!! !!!!!!!!!!!!!!!!!!
{a:2}  -!!!!!!!!!!!-----T !!!!!!!!!!!!!!!!!! !!!!!!!!!!!!!!!!!! !!!-T-!!!!!!!!!!!! !!!!!!!!!!!!!!!!!!
`;

describe('each kind of value with each other', () => {
  const kinds: readonly [name: string, value: Value][] = [
    ['null', null],
    ['true', true],
    ['false', false],
    ['empty', ''],
    ['text', 'a'],
    ['digit', '2'],
    ['zero', 0],
    ['two', 2],
    ['2.0', value('2.0')],
    ['long', value('9007199254740993')],
    ['1.9', evaluate(call('version', constant('1.9')))],
    ['1.10', evaluate(call('version', constant('1.10')))],
    ['[]', []],
    ['[2]', [2]],
    ['["a"]', ['a']],
    ['[null]', [null]],
    ['{}', {}],
    ['{a:2}', { a: 2 }],
  ];
  const run = new Run(link(program), OPTIONS);
  const result = (expr: Expr, left: Value, right: Value): string => {
    run.main.locals = [left, right];
    try {
      const made = compile(expr)(run.main);
      return made === true ? 'T' : made === false ? '-' : 'v';
    } catch (thrown) {
      if (!(thrown instanceof RuntimeFailure)) throw thrown;
      return '!';
    }
  };
  const grid = (expr: Expr): string[] =>
    kinds.map(([, left]) => kinds.map(([, right]) => result(expr, left, right)).join(''));
  const y = local(1, 'y');
  const operators = (['==', '<', '<=', 'contains'] as const).map((one) => compare(one, x, y));
  const [equal, , , has] = operators as [Expr, Expr, Expr, Expr];

  test('is compared, added or refused', () => {
    const all = [...operators, { op: 'arithmetic', operator: '+', left: x, right: y } as Expr].map(grid);
    const lines = kinds.map(([name], at) => name.padEnd(7) + all.map((cells) => cells[at]).join(' '));
    expect(lines).toEqual(GRID.trim().split('\n').slice(1));
  });

  test.each([
    ['!=', compare('!=', x, y), equal, false],
    ['>', compare('>', x, y), compare('<', y, x), true],
    ['>=', compare('>=', x, y), compare('<=', y, x), true],
    ['in', compare('in', x, y), compare('contains', y, x), true],
    ['not-in', compare('not-in', x, y), compare('in', x, y), false],
    ['not-contains', compare('not-contains', x, y), has, false],
  ] as [string, Expr, Expr, boolean][])('%s is defined by another operator', (_, expr, other, same) => {
    const swapped = (row: string): string => row.replace(/[T-]/g, (sign) => (sign === 'T' ? '-' : 'T'));
    expect(grid(expr)).toEqual(same ? grid(other) : grid(other).map(swapped));
  });
});

describe('arithmetic', () => {
  const of = (operator: '+' | '-' | '*' | '/' | '%', left: unknown, right: unknown): Expr => ({
    op: 'arithmetic',
    operator,
    left: constant(left as never),
    right: constant(right as never),
  });
  test.each([
    ['+', 1, 2, 3],
    ['+', 'a', 'b', 'ab'],
    ['+', [1], [2], [1, 2]],
    ['-', 1, 2, -1],
    ['*', 3, 2, 6],
    ['/', 3, 2, 1.5],
    ['%', -7, 3, -1],
    ['%', 7, -3, 1],
    ['%', -3, 3, 0],
  ] as const)('%s %j %j', (operator, left, right, expected) => {
    expect(evaluate(of(operator, left, right))).toEqual(expected);
  });
  test.each([
    [
      '+',
      'a',
      1,
      'bad_value: `+` cannot add text and a number; use `int(…)` or `float(…)` for the sum, or one text, as in `"{a}{b}"`',
    ],
    ['+', [1], 1, 'bad_value: `+` cannot add a list and a number; write `[…]` around an element, as in `items + [x]`'],
    ['+', 'a', true, 'bad_value: `+` cannot add text and a boolean; write one text, as in `"{a}{b}"`'],
    ['/', 1, 0, 'bad_value: division by zero'],
    ['%', 1, 0, 'bad_value: the remainder of a division by zero'],
    ['*', 1e200, 1e200, 'bad_value: `*` does not give a finite number'],
    ['-', '3', 1, 'bad_value: `-` needs two numbers, not text and a number; use `int(…)` or `float(…)`'],
  ] as const)('%s %j %j fails', (operator, left, right, message) => {
    expect(failure(of(operator, left, right))).toBe(message);
  });
});

describe('whole numbers beyond 2^53', () => {
  const long = '9007199254740993';
  const one = (text: string): Expr => ({ op: 'index', of: x, index: constant(Number(text)) });
  const pair = (left: string, right: string): Value => value(`[${left}, ${right}]`);
  test.each([
    [long, '+', '1', '9007199254740994'],
    [long, '+', long, '18014398509481986'],
    [long, '-', '1', '9007199254740992'],
    ['1', '-', long, '-9007199254740992'],
    [long, '*', '3', '27021597764222979'],
    [long, '%', '10', '3'],
    ['10', '%', long, '10'],
    [`-${long}`, '%', '10', '-3'],
    [long, '/', '1', '9007199254740992'],
    [long, '+', '0.5', '9007199254740992'],
  ] as const)('%s %s %s is %s', (left, operator, right, expected) => {
    const made = evaluate({ op: 'arithmetic', operator, left: one('0'), right: one('1') }, pair(left, right));
    expect(render(made)).toBe(expected);
  });

  test('fail as others do', () => {
    const of = (operator: '%' | '+', right: string): string =>
      failure({ op: 'arithmetic', operator, left: one('0'), right: one('1') }, pair(long, right));
    expect(of('%', '0')).toBe('bad_value: the remainder of a division by zero');
    expect(of('+', 'true')).toBe('bad_value: `+` cannot add a number and a boolean');
  });

  test('are negated, and equal ones are one', () => {
    const negate: Expr = { op: 'negate', of: x };
    expect(render(evaluate(negate, value(long)))).toBe(`-${long}`);
    expect(evaluate(negate, 1.5)).toBe(-1.5);
    expect(failure(negate, 'a')).toBe('bad_value: `-` needs a number, not text');
    const all = value(
      `[${long}, ${long}.0, 9007199254740992, 9007199254740992.0, 90071992547409930, 9.007199254740993e16]`,
    );
    expect(render(evaluate(call('unique', x), all))).toBe(`[${long},9007199254740992,90071992547409930]`);
  });
});

describe('paths', () => {
  const data = { status: 'ok', list: [1, 2], none: null, inner: { a: 1 } };
  test.each([
    [field(x, 'status'), 'ok'],
    [{ op: 'index', of: field(x, 'list'), index: constant(1) }, 2],
    [{ op: 'index', of: x, index: constant('status') }, 'ok'],
    [{ op: 'maybe', of: field(x, 'zzz') }, null],
    [{ op: 'maybe', of: field(field(x, 'zzz'), 'deep') }, null],
    [field({ op: 'maybe', of: field(x, 'zzz') }, 'c'), null],
    [field({ op: 'maybe', of: field(x, 'none') }, 'c'), null],
    [call('default', field(x, 'zzz'), constant(7)), 7],
    [call('default', { op: 'maybe', of: field(x, 'zzz') }, constant(7)), 7],
    [call('default', local(1, 'y'), constant(7)), 7],
    [{ op: 'test', test: 'exists', negated: false, of: field(x, 'zzz') }, false],
    [{ op: 'test', test: 'exists', negated: false, of: field(x, 'none') }, true],
    [{ op: 'test', test: 'exists', negated: true, of: local(1, 'y') }, true],
    [{ op: 'test', test: 'empty', negated: false, of: field(x, 'zzz') }, true],
    [{ op: 'test', test: 'empty', negated: true, of: field(x, 'list') }, true],
    [{ op: 'test', test: 'null', negated: false, of: field(x, 'none') }, true],
  ] as [Expr, Value][])('%j', (expr, expected) => {
    expect(evaluate(expr, data)).toEqual(expected);
  });
  test.each([
    [
      field(x, 'statuss'),
      'bad_value: `x` has no field `statuss`; it has `status`, `list`, `none`, `inner`; did you mean `status`?',
    ],
    [field(field(x, 'status'), 'a'), 'bad_value: `x.status` is text, which has no field `a`'],
    [
      { op: 'index', of: field(x, 'list'), index: constant(2) },
      'bad_value: `x.list` has no element 2: it has 2 (the first is 0)',
    ],
    [
      { op: 'index', of: field(x, 'list'), index: constant(-1) },
      'bad_value: `x.list` has no element -1: it has 2 (the first is 0)',
    ],
    [
      field(x, 'constructor'),
      'bad_value: `x` has no field `constructor`; it has `status`, `list`, `none`, `inner`; write `x.constructor?` if it may be missing',
    ],
    [field({ op: 'maybe', of: field(x, 'inner') }, 'b'), 'bad_value: `x.inner?` has no field `b`; it has `a`'],
    [
      { op: 'test', test: 'null', negated: false, of: field(x, 'zzz') },
      'bad_value: `x` has no field `zzz`; it has `status`, `list`, `none`, `inner`; write `x.zzz?` if it may be missing',
    ],
    [local(1, 'y'), 'bad_value: `y` has no value here: no instruction on the way to this line has bound it'],
  ] as [Expr, string][])('%j fails', (expr, message) => {
    expect(failure(expr, data)).toBe(message);
  });
  test.each([
    ['0', false],
    ['false', false],
    ['""', true],
    ['[]', true],
    ['{}', true],
    ['null', true],
  ])('%s is empty: %s', (text, expected) => {
    expect(evaluate({ op: 'test', test: 'empty', negated: false, of: x }, value(text))).toBe(expected);
  });
  test('is valid JSON', () => {
    const valid: Expr = { op: 'test', test: 'valid-json', negated: false, of: x };
    expect(evaluate(valid, '{"a":1}')).toBe(true);
    expect(evaluate(valid, '{a}')).toBe(false);
    expect(evaluate(valid, [1])).toBe(true);
  });
});

describe('logic', () => {
  const and = (left: Expr, right: Expr): Expr => ({ op: 'and', left, right });
  test('short-circuits', () => {
    expect(evaluate(and(constant(false), local(1)))).toBe(false);
    expect(evaluate({ op: 'or', left: constant(true), right: local(1) })).toBe(true);
  });
  test('takes booleans only', () => {
    expect(failure(and(constant(1), constant(true)))).toBe(
      'bad_value: the left side of AND is a number, not true or false; compare it, as in `> 0`',
    );
    expect(failure({ op: 'not', of: constant(null) })).toBe(
      'bad_value: the operand of NOT is null, not true or false; test it with `is not null`',
    );
  });
});

describe('functions', () => {
  test.each([
    ['len', ['a\u{1f600}'], 2],
    ['len', [[1, 2]], 2],
    ['len', [{ a: 1 }], 1],
    ['upper', ['aß'], 'ASS'],
    ['lower', ['AB'], 'ab'],
    ['trim', ['  a\n'], 'a'],
    ['split', ['a, b', ', '], ['a', 'b']],
    ['split', ['a\u{1f600}b', ''], ['a', '\u{1f600}', 'b']],
    ['split', [' a  b ', undefined], ['a', 'b']],
    ['join', [[1, 'a', null], '-'], '1-a-'],
    ['lines', ['a\nb\n'], ['a', 'b']],
    ['lines', [''], []],
    ['lines', ['a\r\n\nb'], ['a', '', 'b']],
    ['replace', ['a.b.c', '.', '$&'], 'a$&b$&c'],
    ['keys', [{ b: 1, a: 2 }], ['a', 'b']],
    ['values', [{ b: 1, a: 2 }], [2, 1]],
    ['first', [[1, 2]], 1],
    ['last', [[1, 2]], 2],
    ['slice', ['a\u{1f600}bc', 1, 3], '\u{1f600}b'],
    ['slice', [[1, 2, 3], -2], [2, 3]],
    ['slice', [[1, 2, 3], 0, -1], [1, 2]],
    ['slice', ['abc', 5, 9], ''],
    ['sort', [['b', '\uffee', '\u{1f600}', 'a']], ['a', 'b', '\uffee', '\u{1f600}']],
    ['sort', [[10, 9, 2]], [2, 9, 10]],
    ['unique', [[{ a: 1, b: 2 }, { b: 2, a: 1 }, 1, '1', 1]], [{ a: 1, b: 2 }, 1, '1']],
    ['sum', [[]], 0],
    ['sum', [[1, 2.5]], 3.5],
    ['min', [[3, 1]], 1],
    ['max', [3, 1, 7], 7],
    ['abs', [-2], 2],
    ['round', [-2.5], -3],
    ['round', [2.5], 3],
    ['round', [1.005, 2], 1.01],
    ['round', [-1.005, 2], -1.01],
    ['round', [1250, -2], 1300],
    ['round', [1e300, 300], 1e300],
    ['round', [1.5, -300], 0],
    ['floor', [-1.5], -2],
    ['ceil', [1.2], 2],
    ['int', ['42'], 42],
    ['int', [4.9], 4],
    ['int', ['-7'], -7],
    ['float', ['4.50'], 4.5],
    ['string', [{ a: [1] }], '{"a":[1]}'],
    ['json', [{ b: 'x', a: null }], '{"b":"x","a":null}'],
    ['parse_json', ['{"a":[1]}'], { a: [1] }],
    ['base64_encode', ['hé'], 'aMOp'],
    ['base64_decode', ['aMOp'], 'hé'],
    ['range', [3], [0, 1, 2]],
    ['range', [2, 4], [2, 3]],
    ['range', [4, 2], []],
    ['sha256', ['abc'], 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['sha256', [''], 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ] as [string, unknown[], unknown][])('%s(%j)', (name, args, expected) => {
    const given = args.filter((arg) => arg !== undefined).map((arg) => constant(arg as never));
    expect(plain(evaluate(call(name, ...given)))).toEqual(expected);
  });

  test.each([
    ['int', ['4.7'], 'bad_value: `int` cannot read `4.7` as a whole number'],
    ['int', ['x'], 'bad_value: `int` cannot read `x` as a whole number'],
    ['int', ['9'.repeat(400)], `bad_value: \`int\` cannot represent \`${'9'.repeat(80)}…\``],
    ['float', ['x'], 'bad_value: `float` cannot read `x` as a number'],
    ['first', [[]], 'bad_value: `first` of an empty list has no value; test it with `is empty`'],
    [
      'sort',
      [[1, 'a']],
      'bad_value: `sort` needs a list of numbers, texts or versions; the list mixes number and text',
    ],
    ['sort', [[[1]]], 'bad_value: `sort` needs numbers, but the list contains a list'],
    ['len', [5], 'bad_value: `len` needs a text, a list or an object; its argument is a number'],
    ['upper', [null], 'bad_value: `upper` needs text; its argument is null'],
    ['parse_json', ['{'], 'bad_value: `parse_json` cannot read `{` as JSON'],
    ['base64_decode', ['%'], 'bad_value: `base64_decode` cannot read `%` as base64 of UTF-8 text'],
    ['range', [1e9], 'value_too_large: `range` of 1000000000 numbers is over the limit of 4194304'],
    ['replace', ['a', '', 'b'], 'bad_value: `replace` needs a text to look for; its second argument is empty'],
    ['min', [[]], 'bad_value: `min` of an empty list has no value; test it with `is empty`'],
    ['sum', [['a']], 'bad_value: `sum` needs numbers, but the list contains text'],
    ['round', [1, 301], 'bad_value: `round` needs between -300 and 300 decimal places'],
    ['round', [1, -301], 'bad_value: `round` needs between -300 and 300 decimal places'],
    ['int', [[1]], 'bad_value: `int` needs a number or text; its argument is a list'],
    ['float', [[1]], 'bad_value: `float` needs a number or text; its argument is a list'],
    ['float', ['9'.repeat(400)], 'bad_value: `float` does not give a finite number'],
    [
      'float',
      [`9007199254740993.${'0'.repeat(990)}`],
      `bad_value: \`float\` cannot represent \`9007199254740993.${'0'.repeat(63)}…\``,
    ],
    ['version', [[1]], 'bad_value: `version` needs text; its argument is a list'],
    [
      'version',
      ['1'.repeat(1001)],
      `bad_value: \`version\` cannot read \`${'1'.repeat(80)}…\` as a version, such as \`1.10.2\``,
    ],
    [
      'parse_json',
      ['['.repeat(201) + ']'.repeat(201)],
      'bad_value: `parse_json`: the text is nested deeper than 200 levels',
    ],
  ] as [string, unknown[], string][])('%s(%j) fails', (name, args, message) => {
    expect(failure(call(name, ...args.map((arg) => constant(arg as never))))).toBe(message);
  });

  test('sha256 of a text over one block', () => {
    expect(evaluate(call('sha256', constant('a'.repeat(1000))))).toBe(
      '41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3',
    );
  });

  test('texts of 1000 characters are read as numbers and versions, and no longer ones', () => {
    const number = `9007199254740993.${'0'.repeat(983)}`;
    expect(render(evaluate(call('float', constant(number))))).toBe(number);
    expect(failure(call('float', constant(`${number}0`)))).toContain('cannot represent');
    const version = '1'.repeat(1000);
    expect(render(evaluate(call('version', constant(version))))).toBe(version);
    expect(failure(call('version', constant(`${version}1`)))).toContain('cannot read');
    expect(evaluate(call('int', constant(`${'0'.repeat(999)}7`)))).toBe(7);
    expect(failure(call('int', constant(`${'0'.repeat(1000)}7`)))).toContain('cannot represent');
  });

  test('a value nested too deep cannot be made', () => {
    let deep: Value = [];
    for (let i = 1; i < 200; i++) deep = [deep];
    expect(failure({ op: 'list', items: [x] }, deep)).toBe('bad_value: the value is nested deeper than 200 levels');
  });
});

longTest('values that share their parts cannot grow without end', () => {
  const pair: Expr = { op: 'list', items: [x, x] };
  const twice: Expr = { op: 'arithmetic', operator: '+', left: x, right: x };
  const grow = (expr: Expr, from: Value): string => {
    let last = from;
    for (let i = 0; i < 100; i++) {
      const message = failure(expr, last);
      if (!message.startsWith('no failure')) return message;
      last = evaluate(expr, last);
    }
    return 'it grows';
  };
  expect(grow(pair, [1, 2, 3])).toBe('value_too_large: the value has more than 16 million parts');
  expect(grow(twice, 'x'.repeat(1024 * 1024))).toMatch(/^value_too_large: a text of \d+ characters/);
  expect(grow(twice, [1, 2, 3])).toMatch(/^value_too_large: a list of \d+ elements/);
});

describe('numbers keep their printed text', () => {
  test.each([
    ['1.10', '1.10', 1.1],
    ['1.1', '1.1', 1.1],
    ['1e3', '1e3', 1000],
    ['-0', '-0', -0],
    ['12e45678', '12e45678', '12e45678'],
    ['12345678901234567890', '12345678901234567890', '12345678901234567890'],
    ['[1.10,{"a":100000000000000000001}]', '[1.10,{"a":100000000000000000001}]', [1.1, { a: '100000000000000000001' }]],
    [
      '{"a" : 1.0, "b":"1.0\\"" , "c" : [ ] , "d":{}}',
      '{"a":1.0,"b":"1.0\\"","c":[],"d":{}}',
      { a: 1, b: '1.0"', c: [], d: {} },
    ],
    ['{"__proto__": 1.0}', '{"__proto__":1.0}', JSON.parse('{"__proto__":1}')],
    ['"a"', 'a', 'a'],
    ['null', '', null],
  ])('%s', (text, rendered, expected) => {
    expect(render(value(text))).toBe(rendered);
    expect(plain(value(text))).toEqual(expected);
  });

  test('a filter gives a whole number or fails', () => {
    const int = (of: Value): Value => evaluate({ op: 'template', template: [hole(x, '{x:int}', 'int')] }, of);
    expect(int('007')).toBe(7);
    expect(int(value('1e3'))).toBe(1000);
    expect(render(int('12345678901234567890'))).toBe('12345678901234567890');
    expect(() => int('4.5')).toThrow('`{x:int}` needs a whole number, not `4.5`');
    expect(() => int([1])).toThrow('`{x:int}` needs a whole number, not a list');
  });
});

describe('what JavaScript and BigInt say', () => {
  const units = (...some: string[]) => fc.array(fc.constantFrom(...some), { maxLength: 5 }).map((all) => all.join(''));
  const sign = (number: number | bigint): number => (number < 0 ? -1 : number > 0 ? 1 : 0);

  test('texts are ordered by their characters, and have as many', () => {
    const characters = units('a', 'b', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{1f600}', '\u{10ffff}');
    const codes = (text: string): number[] => [...text].map((one) => one.codePointAt(0) as number);
    fc.assert(
      fc.property(characters, characters, (a, b) => {
        const [left, right] = [codes(a), codes(b)];
        const at = left.findIndex((code, i) => code !== right[i]);
        const expected = at === -1 ? left.length - right.length : (left[at] as number) - (right[at] ?? -1);
        expect(sign(compareText(a, b))).toBe(sign(expected));
      }),
    );
    const halves = units('a', '\ud7ff', '\ud800', '\udbff', '\udc00', '\udfff', '\ue000');
    fc.assert(
      fc.property(halves, (text) => {
        expect(codePoints(text)).toBe([...text].length);
      }),
    );
  });

  test('a time is the one of a Date', () => {
    const [first, last] = [Date.UTC(1, 0, 1), Date.UTC(9999, 11, 31, 23, 59, 59, 999)];
    const same = (ms: number): void => {
      expect(isoTime(ms)).toBe(new Date(ms).toISOString());
    };
    fc.assert(fc.property(fc.integer({ min: first, max: last }), same));
    const days = fc.tuple(
      fc.constantFrom(0, 1600, 1900, 1970, 1999, 2000, 2100, 2024),
      fc.integer({ min: -400, max: 800 }),
    );
    fc.assert(fc.property(days, ([year, day]) => same(Date.UTC(2000 + (year % 400), 0, day) + year)));
    expect(isoTime(1.9)).toBe('1970-01-01T00:00:00.001Z');
  });

  test('numbers beyond 2^53 are ordered and rounded by their digits', () => {
    const digits = fc.bigInt({ min: 2n ** 53n, max: 2n ** 53n + 9n });
    const long = fc.record({
      digits,
      minus: fc.boolean(),
      fraction: fc.constantFrom('', '0', '4', '5', '50', '51', '99'),
      zeros: fc.nat(2),
    });
    type Long = { digits: bigint; minus: boolean; fraction: string; zeros: number };
    const text = ({ digits: of, minus, fraction, zeros }: Long): string =>
      `${minus ? '-' : ''}${of}${fraction === '' ? '' : `.${fraction}`}${zeros === 0 ? '' : `e${zeros}`}`;
    // In hundredths.
    const exact = ({ digits: of, minus, fraction, zeros }: Long): bigint =>
      BigInt(`${minus ? '-' : ''}${of}${fraction.padEnd(2, '0')}`) * 10n ** BigInt(zeros);
    fc.assert(
      fc.property(long, long, (a, b) => {
        const [left, right] = value(`[${text(a)},${text(b)}]`) as [number, number];
        const [x1, y1] = [exact(a), exact(b)];
        expect(sign(compareNumbers(left, right))).toBe(sign(x1 - y1));
        expect(numberKey(left) === numberKey(right)).toBe(x1 === y1);
        const whole = x1 / 100n;
        const rest = x1 % 100n;
        const rounded = (name: string): string => render(evaluate(call(name, x), left));
        expect(rounded('int')).toBe(String(whole));
        expect(rounded('floor')).toBe(String(rest < 0n ? whole - 1n : whole));
        expect(rounded('ceil')).toBe(String(rest > 0n ? whole + 1n : whole));
        expect(rounded('round')).toBe(String(rest >= 50n ? whole + 1n : rest <= -50n ? whole - 1n : whole));
      }),
    );
  });
});

describe('numbers that are equal or long', () => {
  test.each([
    ['min', '[1.0, 1, 2]', '1.0'],
    ['min', '[2, 1, 1.0]', '1'],
    ['max', '[1, 2.0, 2]', '2.0'],
    ['max', '[1, 9007199254740993, 9007199254740992]', '9007199254740993'],
    ['sum', '[9007199254740991, 1]', '9007199254740992'],
    ['sum', '[9007199254740993, -9007199254740992]', '1'],
    ['sum', '[9007199254740993, 0.5]', '9007199254740992'],
  ])('%s(%s) is %s', (name, list, expected) => {
    expect(render(evaluate(call(name, x), value(list)))).toBe(expected);
  });

  test('what null, a text and a number lack differs', () => {
    const at = (index: unknown): Expr => ({ op: 'index', of: x, index: constant(index as never) });
    const orSeven = (expr: Expr): Expr => call('default', expr, constant(7));
    expect([failure(at('a'), null), evaluate(orSeven(at('a')), null)]).toEqual([
      'bad_value: `x` is null, which has no element `a`',
      7,
    ]);
    expect([failure(at(5), [1]), evaluate(orSeven(at(5)), [1])]).toEqual([
      'bad_value: `x` has no element 5: it has 1 (the first is 0)',
      7,
    ]);
    for (const [index, of] of [
      ['a', 'text'],
      [0, 5],
      ['a', true],
      ['a', [1]],
    ] as [unknown, Value][])
      expect(failure(orSeven(at(index)), of)).toBe(failure(at(index), of));
  });
});
