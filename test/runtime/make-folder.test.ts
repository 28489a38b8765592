/** Processes that make the same folders at the same time. The others act in the middle of a call of the system. */
import fs, { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeFolder } from '../../src/runtime/store/own-file.js';
import { temporaryFolder } from './running.js';

/** What others do before a folder is made, once, by its path; and after that was tried. */
const others = { before: new Map<string, () => void>(), after: new Map<string, () => void>() };

const { mkdirSync: make } = fs;
function act(actions: Map<string, () => void>, path: string): void {
  const action = actions.get(path);
  actions.delete(path);
  action?.();
}

beforeAll(() => {
  fs.mkdirSync = ((path: string, options?: object): void => {
    act(others.before, path);
    try {
      make(path, options);
    } finally {
      act(others.after, path);
    }
  }) as typeof make;
  syncBuiltinESMExports();
});
afterAll(() => {
  fs.mkdirSync = make;
  syncBuiltinESMExports();
});

let root = '';
beforeEach(() => {
  root = temporaryFolder();
});
const at = (...names: readonly string[]): string => join(root, ...names);

test('another process makes the folder just before', () => {
  others.before.set(at('a'), () => mkdirSync(at('a')));
  makeFolder(at('a'));
  expect(existsSync(at('a'))).toBe(true);
});

test('another process makes the parent just after it was missing', () => {
  others.after.set(at('a', 'b'), () => mkdirSync(at('a')));
  makeFolder(at('a', 'b'));
  expect(existsSync(at('a', 'b'))).toBe(true);
});

test('another process makes the parent and the folder meanwhile', () => {
  others.before.set(at('a'), () => {
    mkdirSync(at('a'));
    mkdirSync(at('a', 'b'));
  });
  makeFolder(at('a', 'b'));
  expect(existsSync(at('a', 'b'))).toBe(true);
});

test('a file instead of the folder, or of its parent, is an error', () => {
  others.before.set(at('a'), () => writeFileSync(at('a'), ''));
  expect(() => makeFolder(at('a'))).toThrow('EEXIST');
  expect(() => makeFolder(at('a', 'b'))).toThrow('ENOTDIR');
});

test('a folder that cannot exist is an error, and no endless attempt', () => {
  expect(() => makeFolder('/proc/none/a/b')).toThrow('ENOENT');
});
