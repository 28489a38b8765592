/** Every operator between values of every kind, and every function of them: what is said about it, one letter each. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are programs
import { expect, test } from 'vitest';
import { compile } from '../../src/language/check/compile.js';
import { positionAt } from '../../src/language/source/diagnostic.js';

/** Values, with what binds them where a constant does not. */
const VALUES = [
  '1',
  '"a"',
  '"{n}"',
  'true',
  'null',
  '[]',
  '[1, "a"]',
  '{"a": 1}',
  'n',
  't',
  'l',
  'word',
  'flag',
  'made',
  'found',
  'found.a?',
  'found.a.b',
  'exit_code(found)',
  'len(l)',
  'version(made)',
  'first(l)',
  'n + 1',
  'n == 1',
];

const HEAD = `INPUT: word = "x"
INPUT: flag = false
STATE: A
  TRACK: n = 0
  TRACK: t = "t"
  TRACK: l = ["l"]
  DO: made = ./make
  CHECK: found = ./find
`;

/** The codes of the messages about each line below the head. */
function codesOf(lines: readonly string[]): string[] {
  const text = `${HEAD}${lines.map((line) => `  ${line}\n`).join('')}  RETURN\n`;
  const { diagnostics, sources } = compile(text, {});
  const found = lines.map(() => new Set<string>());
  for (const { code, span } of diagnostics) {
    const source = sources[span.file];
    if (source === undefined) continue;
    found[positionAt(source, span.start).line - HEAD.split('\n').length]?.add(code);
  }
  return found.map((codes) => [...codes].sort().join('+'));
}

/** One row for each value, with one letter for each case; below, what the letters mean. */
function table(cases: readonly ((value: string) => string)[]): string {
  const letters = new Map<string, string>([['', '.']]);
  const codes = codesOf(VALUES.flatMap((value) => cases.map((line) => line(value))));
  const rows = VALUES.map((value, at) => {
    const cells = codes.slice(at * cases.length, (at + 1) * cases.length).map((code) => {
      if (!letters.has(code))
        letters.set(code, 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'[letters.size - 1] ?? '?');
      return letters.get(code);
    });
    return `${cells.join('')} ${value}`;
  });
  const meanings = [...letters].filter(([code]) => code !== '').map(([code, letter]) => `${letter}: ${code}`);
  return [...rows, ...meanings].join('\n');
}

const of = (operator: string): string => {
  const isCondition = !['+', '-', '*'].includes(operator);
  const line = (left: string, right: string): string =>
    isCondition ? `IF: ${left} ${operator} ${right} → EMIT: X` : `SET: n = ${left} ${operator} ${right}`;
  return table(VALUES.map((right) => (left: string) => line(left, right)));
};

test('==', () =>
  expect(of('==')).toMatchInlineSnapshot(`
    ".a.a.aaa.aabaa.....a..c 1
    a.aa.aaaa.a.a....aaa.ac "a"
    .a.a.aaa.aa.aa.....a..c "{n}"
    aaa..aaaaaa..a...aaa.ac true
    .............d........c null
    aaaa....aa..a....aaa.ac []
    aaaa....aa..a....aaa.ac [1, "a"]
    aaaa....aa..a....aaa.ac {"a": 1}
    .a.a.aaa.aa.aa.....a..c n
    a.aa.aaaa.a.a....aaa.ac t
    aaaa....aa..a....aaa.ac l
    ......................c word
    aaa..aaaaaa..a...aaa.ac flag
    a.aa....a...a....aaa.ac made
    ......................c found
    ......................c found.a?
    ......................c found.a.b
    .a.a.aaa.aa.aa.....a..c exit_code(found)
    .a.a.aaa.aa.aa.....a..c len(l)
    aaaa.aaaaaa.aa...aa..ac version(made)
    ......................c first(l)
    .a.a.aaa.aa.aa.....a..c n + 1
    ccceecccccceeceeecccecc n == 1
    a: compares-unlike
    b: untyped-input
    c: chained-comparison+compares-unlike
    d: never-has-value
    e: chained-comparison"
  `));

test('<', () =>
  expect(of('<')).toMatchInlineSnapshot(`
    ".a.a.aaa.aabaa.....a..c 1
    a.aa.aaaa.a.a....aaa.ac "a"
    .a.a.aaa.aa.aa.....a..c "{n}"
    aaaa.aaaaaaaaaaaaaaaaac true
    ......................c null
    aaaa.aaaaaaaaaaaaaaaaac []
    aaaa.aaaaaaaaaaaaaaaaac [1, "a"]
    aaaa.aaaaaaaaaaaaaaaaac {"a": 1}
    .a.a.aaa.aa.aa.....a..c n
    a.aa.aaaa.a.a....aaa.ac t
    aaaa.aaaaaaaaaaaaaaaaac l
    ...a.aaa..a.a.........c word
    aaaa.aaaaaaaaaaaaaaaaac flag
    a.aa.aaaa.a.ad...aaa.ac made
    ...a.aaa..a.a.........c found
    ...a.aaa..a.a.........c found.a?
    ...a.aaa..a.a.........c found.a.b
    .a.a.aaa.aa.aa.....a..c exit_code(found)
    .a.a.aaa.aa.aa.....a..c len(l)
    aaaa.aaaaaa.aa...aa..ac version(made)
    ...a.aaa..a.a.........c first(l)
    .a.a.aaa.aa.aa.....a..c n + 1
    ccccecccccccccccccccccc n == 1
    a: compares-unlike
    b: untyped-input
    c: chained-comparison+compares-unlike
    d: compares-text
    e: chained-comparison"
  `));

test('contains', () =>
  expect(of('contains')).toMatchInlineSnapshot(`
    "aaaaaaaaaaaaaaaaaaaaaab 1
    a.aa.aaaa.a.a....aaa.ab "a"
    aaaaaaaaaaaaaaaaaaaaaab "{n}"
    aaaaaaaaaaaaaaaaaaaaaab true
    ......................c null
    ......................c []
    ...d.ddd..d.d......d..c [1, "a"]
    a.aa.aaaa.a.a....aaa.ab {"a": 1}
    aaaaaaaaaaaaaaaaaaaaaab n
    a.aa.aaaa.a.a....aaa.ab t
    ......................c l
    e.....................c word
    aaaaaaaaaaaaaaaaaaaaaab flag
    ......................c made
    ......................c found
    ......................c found.a?
    ......................c found.a.b
    aaaaaaaaaaaaaaaaaaaaaab exit_code(found)
    aaaaaaaaaaaaaaaaaaaaaab len(l)
    aaaaaaaaaaaaaaaaaaaaaab version(made)
    ......................c first(l)
    aaaaaaaaaaaaaaaaaaaaaab n + 1
    ffffffffffffffffffffffb n == 1
    a: wrong-type
    b: chained-comparison+compares-unlike+wrong-type
    c: chained-comparison+compares-unlike
    d: never-contains
    e: untyped-input
    f: chained-comparison+wrong-type"
  `));

test('in', () =>
  expect(of('in')).toMatchInlineSnapshot(`
    "aaaa...aaa.ba....aaa.ac 1
    a.aa....a...a....aaa.ac "a"
    aaaa...aaa..a....aaa.ac "{n}"
    aaaa..daaa..a....aaa.ac true
    a.aa....a...a....aaa.ac null
    aaaa..daaa..a....aaa.ac []
    aaaa..daaa..a....aaa.ac [1, "a"]
    aaaa..daaa..a....aaa.ac {"a": 1}
    aaaa...aaa..a....aaa.ac n
    a.aa....a...a....aaa.ac t
    aaaa..daaa..a....aaa.ac l
    a.aa....a...a....aaa.ac word
    aaaa..daaa..a....aaa.ac flag
    a.aa....a...a....aaa.ac made
    a.aa....a...a....aaa.ac found
    a.aa....a...a....aaa.ac found.a?
    a.aa....a...a....aaa.ac found.a.b
    aaaa...aaa..a....aaa.ac exit_code(found)
    aaaa...aaa..a....aaa.ac len(l)
    aaaa..daaa..a....aaa.ac version(made)
    a.aa....a...a....aaa.ac first(l)
    aaaa...aaa..a....aaa.ac n + 1
    eeeeffgeeeffeffffeeefec n == 1
    a: wrong-type
    b: untyped-input
    c: chained-comparison+compares-unlike+wrong-type
    d: never-contains
    e: chained-comparison+wrong-type
    f: chained-comparison
    g: chained-comparison+never-contains"
  `));

test('starts with', () =>
  expect(of('starts with')).toMatchInlineSnapshot(`
    "aaaaaaaaaaaaaaaaaaaaaab 1
    a.aa.aaaa.a.a....aaa.ab "a"
    aaaaaaaaaaaaaaaaaaaaaab "{n}"
    aaaaaaaaaaaaaaaaaaaaaab true
    a.aa.aaaa.a.a....aaa.ab null
    aaaaaaaaaaaaaaaaaaaaaab []
    aaaaaaaaaaaaaaaaaaaaaab [1, "a"]
    aaaaaaaaaaaaaaaaaaaaaab {"a": 1}
    aaaaaaaaaaaaaaaaaaaaaab n
    a.aa.aaaa.a.a....aaa.ab t
    aaaaaaaaaaaaaaaaaaaaaab l
    a.aa.aaaa.a.a....aaa.ab word
    aaaaaaaaaaaaaaaaaaaaaab flag
    a.aa.aaaa.a.a....aaa.ab made
    a.aa.aaaa.a.a....aaa.ab found
    a.aa.aaaa.a.a....aaa.ab found.a?
    a.aa.aaaa.a.a....aaa.ab found.a.b
    aaaaaaaaaaaaaaaaaaaaaab exit_code(found)
    aaaaaaaaaaaaaaaaaaaaaab len(l)
    aaaaaaaaaaaaaaaaaaaaaab version(made)
    a.aa.aaaa.a.a....aaa.ab first(l)
    aaaaaaaaaaaaaaaaaaaaaab n + 1
    ccccccccccccccccccccccb n == 1
    a: wrong-type
    b: chained-comparison+compares-unlike+wrong-type
    c: chained-comparison+wrong-type"
  `));

test('matches', () =>
  expect(of('matches')).toMatchInlineSnapshot(`
    "aaaaaaaaaaaaaaaaaaaaaab 1
    a.aa.aaaa.a.a....aaa.ab "a"
    aaaaaaaaaaaaaaaaaaaaaab "{n}"
    aaaaaaaaaaaaaaaaaaaaaab true
    a.aa.aaaa.a.a....aaa.ab null
    aaaaaaaaaaaaaaaaaaaaaab []
    aaaaaaaaaaaaaaaaaaaaaab [1, "a"]
    aaaaaaaaaaaaaaaaaaaaaab {"a": 1}
    aaaaaaaaaaaaaaaaaaaaaab n
    a.aa.aaaa.a.a....aaa.ab t
    aaaaaaaaaaaaaaaaaaaaaab l
    a.aa.aaaa.a.a....aaa.ab word
    aaaaaaaaaaaaaaaaaaaaaab flag
    a.aa.aaaa.a.a....aaa.ab made
    a.aa.aaaa.a.a....aaa.ab found
    a.aa.aaaa.a.a....aaa.ab found.a?
    a.aa.aaaa.a.a....aaa.ab found.a.b
    aaaaaaaaaaaaaaaaaaaaaab exit_code(found)
    aaaaaaaaaaaaaaaaaaaaaab len(l)
    aaaaaaaaaaaaaaaaaaaaaab version(made)
    a.aa.aaaa.a.a....aaa.ab first(l)
    aaaaaaaaaaaaaaaaaaaaaab n + 1
    ccccccccccccccccccccccb n == 1
    a: wrong-type
    b: chained-comparison+compares-unlike+wrong-type
    c: chained-comparison+wrong-type"
  `));

test('+', () =>
  expect(of('+')).toMatchInlineSnapshot(`
    ".a.a.aaa.aabaa.....a... 1
    a..a.aaa..a.a....aaa.ac "a"
    ...a...a....a......a... "{n}"
    aaaa.aaaaaaaaaaaaaaaaaa true
    ....................... null
    aa.a...a.a..a....aaa.ac []
    aa.a...a.a..a....aaa.ac [1, "a"]
    aaaa.aaaaaaaaaaaaaaaaaa {"a": 1}
    ...a...a....a......a... n
    a..a.aaa..a.a....aaa.ac t
    aa.a...a.a..a....aaa.ac l
    ...a...a....a......a... word
    aaaa.aaaaaaaaaaaaaaaaaa flag
    a..a...a....ad...aaa.ac made
    ...a...a....a......a... found
    ...a...a....a......a... found.a?
    ...a...a....a......a... found.a.b
    .a.a.aaa.aa.aa.....a... exit_code(found)
    .a.a.aaa.aa.aa.....a... len(l)
    aaaa.aaaaaaaaaaaaaaaaaa version(made)
    ...a...a....a......a... first(l)
    .a.a.aaa.aa.aa.....a... n + 1
    .a.a.aaa.aa.aa.....a..e n == 1
    a: wrong-type
    b: untyped-input
    c: compares-unlike
    d: joins-outputs
    e: chained-comparison+compares-unlike"
  `));

test('AND', () =>
  expect(of('AND')).toMatchInlineSnapshot(`
    "aaaaaaaabbbcabaaaabbaba 1
    aaaaaaaabbbaabaaaabbaba "a"
    aa...aaaddd..d...ddd.d. "{n}"
    aa...aaaddd..d...ddd.d. true
    aa...aaaddd..d...ddd.d. null
    aaaaaaaabbbaabaaaabbaba []
    aaaaaaaabbbaabaaaabbaba [1, "a"]
    aaaaaaaabbbaabaaaabbaba {"a": 1}
    bbdddbbbddddddddddddddd n
    bbdddbbbddddddddddddddd t
    bbdddbbbddddddddddddddd l
    aa...aaaddd..d...ddd.d. word
    aa...aaaddd..d...ddd.d. flag
    bbdddbbbddddddddddddddd made
    aa...aaaddd..d...ddd.d. found
    aa...aaaddd..d...ddd.d. found.a?
    aa...aaaddd..d...ddd.d. found.a.b
    bbdddbbbddddddddddddddd exit_code(found)
    bbdddbbbddddddddddddddd len(l)
    bbdddbbbddddddddddddddd version(made)
    aa...aaaddd..d...ddd.d. first(l)
    bbdddbbbddddddddddddddd n + 1
    aa...aaaddd..d...ddd.d. n == 1
    a: not-a-condition
    b: not-a-condition+wrong-type
    c: not-a-condition+untyped-input
    d: wrong-type"
  `));

test('one value', () => {
  const cases: readonly ((value: string) => string)[] = [
    (one) => `IF: ${one} → EMIT: X`,
    (one) => `IF: NOT ${one} → EMIT: X`,
    (one) => `IF: ${one} exists → EMIT: X`,
    (one) => `IF: ${one} is empty → EMIT: X`,
    (one) => `IF: ${one} is valid JSON → EMIT: X`,
    (one) => `SET: n = -${one}`,
    (one) => `SET: n += ${one}`,
    (one) => `SET: t += ${one}`,
    (one) => `SET: l += ${one}`,
    (one) => `INCREMENT: n by ${one}`,
    (one) => `EMIT: "{${one}}"`,
    (one) => `DO: echo {${one}}`,
    (one) => `WAIT: {${one}}`,
    (one) => `RETURN: {${one}}`,
    (one) => `SET: t = (${one}).x`,
    (one) => `SET: t = (${one})[0]`,
    (one) => `SET: t = (${one})["x"]`,
    ...'len int float string upper lower trim split lines keys values first last sort unique sum min max range version default'
      .split(' ')
      .map((name) => (one: string) => `SET: t = ${name}(${one})`),
    (one) => `SET: t = join(${one}, ",")`,
    (one) => `SET: t = slice(${one}, 1)`,
    (one) => `SET: t = slice(l, ${one})`,
    (one) => `SET: t = replace(t, ${one}, "b")`,
    (one) => `SET: t = default(found.a?, ${one})`,
  ];
  expect(table(cases)).toMatchInlineSnapshot(`
    "aa......b...c.dbbb...bbbbbbbbbbbb....ebb... 1
    aab..bb.bbf.ghdbb.........bbbbbbb..b.eb.... "a"
    ..b.....b.f.g.dbbb...bbbbbbbbbbbb....ebb... "{n}"
    .....bbbbb..b.dbbb...bbbbbbbbbbbb..b.ebb... true
    .....................................e..... null
    aa...bb..b..f.d.b....bbbbbbb.......b.e..... []
    aa...bb..bf.f.d.b....bbbbbbb.......b.e..... [1, "a"]
    aa...bbbbbf.a........bbbbb..bbbbb..b.ebb... {"a": 1}
    ........b...b.dbbb...bbbbbbbbbbbb....ebb... n
    .....................................e..... t
    bb...bb..b..b.d.b....bbbbbbb.......b.e..... l
    i....................................e..... word
    .....bbbbb..b.dbbb...bbbbbbbbbbbb..b.ebb... flag
    bb...bb..b.........................b.e..... made
    .....................................e..... found
    .....................................e..... found.a?
    .....................................e..... found.a.b
    bb......b...b....b...bbbbbbbbbbbb....ebb... exit_code(found)
    bb......b...b.dbbb...bbbbbbbbbbbb....ebb... len(l)
    bb...bbbbb..b.dbbb...bbbbbbbbbbbb..b.ebb... version(made)
    .....................................e..... first(l)
    bb......b..jb.dbbb...bbbbbbbbbbbb....ebb... n + 1
    ..kkk.bbbb.j..dbbb...bbbbbbbbbbbb..b.ebb... n == 1
    a: not-a-condition
    b: wrong-type
    c: not-a-condition+unexpected-text
    d: no-fields
    e: wrong-number-of-arguments
    f: unexpected-text
    g: missing-part+not-a-condition
    h: taken-as-text
    i: untyped-input
    j: ambiguous-braces
    k: chained-comparison"
  `);
});
