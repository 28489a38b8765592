/** `--watch` looks at the programs of the tests, too, wherever they are. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { watchedFolders } from '../../src/testing/watched-folders.js';

const root = mkdtempSync(join(tmpdir(), 'watched-'));
const at = (path: string): string => join(root, path);
for (const folder of ['tests/deep', 'programs', 'tests-of-others']) mkdirSync(at(folder), { recursive: true });

test('the folder of a file that is named, and of what it tests', () => {
  expect(watchedFolders([at('tests/a.test.dsl')], [at('tests/a.test.dsl'), at('programs/a.dsl')])).toEqual([
    at('tests'),
    at('programs'),
  ]);
});

test('a folder inside of another is not watched twice', () => {
  expect(watchedFolders([at('tests'), at('tests/deep/x.test.dsl')], [at('tests-of-others/a.dsl')])).toEqual([
    at('tests'),
    at('tests-of-others'),
  ]);
});

test('included patterns have no folder, and without names it is the working directory', () => {
  expect(watchedFolders([], ['std/nowhere-at-all/plan'])).toEqual([process.cwd()]);
});
