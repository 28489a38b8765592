/** `--watch` looks at the programs of the tests, too, wherever they are. */
import { mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FolderWatch } from '../../src/cli/files/folder-watch.js';
import { watchedFolders } from '../../src/lab/testing/find-tests.js';

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

test('a file that is replaced again and again is noticed each time, and so is one in a new folder', async () => {
  const noticed: string[] = [];
  let step = '';
  let arrive = (): void => undefined;
  const folders = new FolderWatch({
    counts: (name) => name.endsWith('.dsl'),
    onChange: () => {
      noticed.push(step);
      arrive();
    },
    onProblem: (message) => noticed.push(message),
  });
  const change = (name: string, act: () => void): Promise<void> => {
    step = name;
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    act();
    return arrived;
  };
  const replace = (): void => {
    writeFileSync(at('tests/new'), step);
    renameSync(at('tests/new'), at('tests/deep/a.dsl'));
  };
  folders.add(at('tests'));
  for (const name of ['first', 'second', 'third']) await change(name, replace);
  await change('folder', () => mkdirSync(at('tests/later')));
  await change('inside', () => writeFileSync(at('tests/later/b.dsl'), ''));
  folders.close();
  expect([...new Set(noticed)]).toEqual(['first', 'second', 'third', 'folder', 'inside']);
});
