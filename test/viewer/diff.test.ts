/** Diffs of steps as the page reads them. */
import { expect, test } from 'vitest';
import { diffFiles } from '../../src/page/history/steps-panel.jsx';

const fileOf = (name: string, ...lines: readonly string[]): string =>
  `${[`diff --git a/${name} b/${name}`, 'index 1..2 100644', `--- a/${name}`, `+++ b/${name}`, ...lines].join('\n')}\n`;

test('a diff has its files, each with its lines and their numbers', () => {
  const { files, lines, rest } = diffFiles(
    fileOf('a.ts', '@@ -3 +3 @@', '-old', '+new') + fileOf('b.ts', '@@ -1 +1 @@'),
  );
  expect(files?.map(({ name, added, removed }) => [name, added, removed])).toEqual([
    ['a.ts', 1, 1],
    ['b.ts', 0, 0],
  ]);
  expect(files?.[0]?.rows).toEqual([
    { name: 'head', text: '@@ -3 +3 @@' },
    { name: 'removed', old: 3, text: '-old' },
    { name: 'added', now: 3, text: '+new' },
  ]);
  expect([lines, rest]).toEqual([[], 0]);
});

test.each([
  ['the end of a diff that begins within a hunk', 'rest\n+new\n-old\n', ['', 'added', 'removed']],
  ['the end of a diff that begins within a head', '+++ b/a.ts\n@@ -1 +1 @@\n+x\n', ['head', 'head', 'added']],
  ['a diff that ends within its head', 'diff --git a/a b/a\n--- a/a', ['head', 'head']],
  ['a head that names no file', 'diff --git x\n+y', ['head', 'added']],
  ['nothing', '', []],
])('%s has plain lines', (_, text, names) => {
  const { files, lines } = diffFiles(text);
  expect(files).toBe(null);
  expect(lines.map(({ name }) => name)).toEqual(names);
});

test('a carriage return in a line begins no other file', () => {
  const { files } = diffFiles(fileOf('a', '@@ -0,0 +1 @@', '+10 %\rdiff --git a/b b/b'));
  expect(files?.map(({ name, rows }) => [name, rows.at(-1)?.text])).toEqual([['a', '+10 %\\x0ddiff --git a/b b/b']]);
});

test('all files together have at most 2000 lines, and the number of the others is known', () => {
  const long = fileOf('a', '@@ -0,0 +1,1999 @@', ...Array.from({ length: 1999 }, () => '+x'));
  const binary = 'diff --git a/b b/b\nindex 1..2 100644\nBinary files a/b and b/b differ\n';
  const { files, rest } = diffFiles(long + binary + fileOf('c', '@@ -0,0 +1,2 @@', '+1', '+2'));
  expect(files?.map(({ rows }) => rows.length)).toEqual([2000, 1, 0]);
  expect(rest).toBe(3);
});

test('lines that are no diff are counted as well', () => {
  const { lines, rest } = diffFiles('x\n'.repeat(2001));
  expect([lines.length, rest]).toEqual([2000, 1]);
});
