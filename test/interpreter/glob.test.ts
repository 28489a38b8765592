import { expect, test } from 'vitest';
import { filesMatching, filesOutside, matcher } from '../../src/interpreter/steps/glob.js';
import { longTest } from '../amount.js';

/** Which of these names a pattern matches. */
function found(pattern: string, ...names: string[]): string[] {
  return filesMatching(names, [pattern]);
}

test.each<[string, string[], string[]]>([
  // pattern, names that match, names that do not
  ['*.ts', ['a.ts', 'src/a.ts', 'x/y/.ts'], ['a.tsx', 'a.ts/b']],
  ['src/*.ts', ['src/a.ts', 'src/.ts'], ['src/x/a.ts', 'a.ts', 'y/src/a.ts']],
  ['src/**', ['src/a', 'src/x/y', 'src/.hidden'], ['src', 'srcs/a', 'x/src/a']],
  ['src/', ['src/a', 'src/x/y'], ['src', 'x/src/a']],
  ['**/x', ['x', 'a/x', 'a/b/x'], ['ax', 'a/bx', 'x/a']],
  ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['ab', 'a/xb', 'a/b/c', 'b']],
  ['a/**b', ['a/b', 'a/x/yb', 'a/xb'], ['a/bc']],
  ['**', ['a', 'a/b'], []],
  ['*', ['a', 'a/b', '.env'], []],
  ['./a', ['a'], ['x/a']],
  ['/a', ['a'], ['x/a']],
  ['?.md', ['a.md', 'ä.md', '😀.md', 'x/b.md'], ['ab.md', '.md']],
  ['x/?y', ['x/ay'], ['x//y', 'x/y']],
  ['[a-c]x', ['ax', 'cx'], ['dx', '-x']],
  ['[!a-c]x', ['dx'], ['ax']],
  ['[]]x', [']x'], ['x']],
  ['[x', ['[x'], ['x']],
  ['x[b-d]e', ['xbe', 'xde'], ['xae', 'x-e', 'xee', 'xe']],
  ['x[^b]y', ['xay', 'x^y'], ['xby', 'xy']],
  ['x[!!]y', ['xay'], ['x!y']],
  ['x[!]]y', ['xay'], ['x]y', 'x!]y']],
  ['x[^]a]y', ['xby'], ['x]y', 'xay']],
  ['x[]a]y', ['x]y', 'xay'], ['xby']],
  ['x[a-]y', ['xay', 'x-y'], ['xby']],
  ['x[a-c-e]y', ['xby', 'x-y', 'xey'], ['xdy']],
  ['x[a', ['x[a'], ['xa']],
  ['x[]', ['x[]'], ['x']],
  ['x**/y', ['x/y', 'xa/b/y'], ['xy']],
  ['x/**/y?', ['x/ya', 'x/z/ya'], ['x/y', 'xya']],
  ['a\\', ['a\\'], ['a']],
  ['x\\*y', ['x*y'], ['xay', 'x\\y']],
  ['\\*', ['*'], ['a', '\\*']],
  ['line\nend', ['line\nend'], ['line']],
  ['(a|b).+', ['(a|b).+'], ['a', 'ab']],
  ['', [], ['a']],
  ['{src,test/x}/**', ['src/a', 'test/x/b/c'], ['test/a', '{src,test/x}/a']],
  ['*.{ts,js{,on}}', ['a.ts', 'x/b.js', 'c.json'], ['a.jso', 'a.']],
  ['{a}.{b', ['{a}.{b'], ['a.b']],
  ['\\{a,b}', ['{a,b}'], ['a', 'b']],
  ['pages/[id].tsx', ['pages/[id].tsx', 'pages/i.tsx'], ['pages/x.tsx', 'x/pages/[id].tsx']],
  ['[id].tsx', ['[id].tsx', 'x/[id].tsx', 'd.tsx'], ['x.tsx']],
])('%j', (pattern, inside, beyond) => {
  expect(found(pattern, ...inside, ...beyond)).toEqual(inside);
});

test('files that no pattern allows', () => {
  expect(filesOutside(['src/a.ts', 'docs/b.md', 'c.md'], ['src/**', '*.md'])).toEqual([]);
  expect(filesOutside(['src/a.ts', 'docs/b.md'], ['src/**'])).toEqual(['docs/b.md']);
  expect(filesOutside(['a'], [])).toEqual(['a']);
});

longTest('a pattern that is all stars comes to an answer', () => {
  expect(matcher('**a*a**a*a**a*a**a*a**a*/b')(`${'a/'.repeat(500)}c`)).toBe(false);
  expect(matcher(`${'*a'.repeat(200)}b`)('a'.repeat(4000))).toBe(false);
  expect(matcher('{a,b}'.repeat(5000))('a'.repeat(5000))).toBe(false);
});
