/** What the page calls commands, values and files where there is little room. */
import { describe, expect, test } from 'vitest';
import { readJson } from '../../src/interpreter/values/json.js';
import type { Value } from '../../src/interpreter/values/value.js';
import { type ChangedFolder, treeOf } from '../../src/page/history/files-panel.jsx';
import { commandTail, fromHere } from '../../src/page/record/event-words.js';
import { previewOf, readValue } from '../../src/page/run/value-view.jsx';

describe('a command', () => {
  test.each([
    ['python3 /a/b/tools/x.py go', 'python3 ./tools/x.py go'],
    ['cat /a/b', 'cat .'],
    ['x --desk=/a/b/c "/a/b/d"', 'x --desk=./c "./d"'],
    // These only begin like the folder, or end like it.
    ['cat /a/bc /a/b.txt /a/b-c', 'cat /a/bc /a/b.txt /a/b-c'],
    ['cat /x/a/b/c ~/a/b', 'cat /x/a/b/c ~/a/b'],
    ['cat /a/b/bin/y /a/b', 'cat ./y .'],
  ])('%s names its files from its folders', (text, named) => {
    expect(fromHere(text, ['/a/b/bin', '/a/b', '/'])).toBe(named);
  });

  test.each([
    ['python3 ./tools/campaign.py ready-tasks', 'campaign.py ready-tasks'],
    ['bash -- ./tools/x.sh a/b', 'x.sh a/b'],
    ['node a.mjs', 'a.mjs'],
    ['/usr/bin/make all', 'make all'],
    ['./run', 'run'],
    ['python3 -m pytest tests/a.py', 'python3 -m pytest tests/a.py'],
    ["bash -c 'cd a/b'", "bash -c 'cd a/b'"],
    ['echo a/b', 'echo a/b'],
    ['cat a/b > c/d', 'cat a/b > c/d'],
    ['x=$(cat a/b)', 'x=$(cat a/b)'],
    ['python3 {program_dir()}/x.py', 'python3 {program_dir()}/x.py'],
    ['', ''],
  ])('%s has a tail', (text, tail) => {
    expect(commandTail(text)).toBe(tail);
  });
});

describe('a value', () => {
  const valueIn = (text: string): Value => {
    const read = readJson(text);
    if (!read.ok) throw new Error(read.why);
    return read.value;
  };

  test.each(['{"a":1.10,"b":[1,{"c":null}],"d":"\\u202e"}', '[]', '{}', 'true', '"x"', '[[],{}]'])(
    '%s is its own preview if it is short',
    (text) => expect(previewOf(valueIn(text))).toBe(text.replace('\\u202e', '\u202e')),
  );

  test('of any size has a preview of at most so many characters', () => {
    const deep = Array.from({ length: 500 }).reduce<Value>((inner) => [inner, 'x'.repeat(1000)], 'end');
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => ['k'.repeat(300) + at, at]));
    for (const value of [deep, wide, 'y'.repeat(1_000_000), valueIn(`[${'9'.repeat(400)}]`)]) {
      const preview = previewOf(value, 60);
      expect(preview.length).toBe(60);
      expect(preview.endsWith('…')).toBe(true);
    }
  });

  test('has its numbers as they were written, if that is known', () => {
    expect(previewOf(readValue({ a: 1.1 }, '{"a":1.10}'))).toBe('{"a":1.10}');
    expect(previewOf(readValue({ a: 1.1 }, undefined))).toBe('{"a":1.1}');
  });
});

test('changed files are a tree, in which a folder with nothing but one folder has no row of its own', () => {
  const file = (path: string) => ({ path, status: 'changed' as const, added: 1, removed: 0 });
  const names = ({ name, folders, files }: ChangedFolder): unknown => [
    name,
    ...folders.map(names),
    ...files.map(([last, { path }]) => `${last} ${path}`),
  ];
  const tree = treeOf(['z', 'a/b/c/1', 'a/b/2', 'x/y/3', 'a/b/c/0'].map(file));
  expect(names(tree)).toEqual(['', ['a/b', ['c', '0 a/b/c/0', '1 a/b/c/1'], '2 a/b/2'], ['x/y', '3 x/y/3'], 'z z']);
});
