/** The folders whose files a program may name. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readableFrom } from '../../src/app/project/read-program.js';
import { memoryHost } from './memory-host.js';

test.each([
  ['a.dsl', ['.']],
  ['other/a.dsl', ['other', '.']],
  ['<other>/a.dsl', ['<other>', '.']],
  ['-', ['.']],
  ['<stdin>', ['.']],
])('%s may name the files of %j', (program, folders) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'statedsl-readable-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ['.git', 'other/.git', '<other>/.git']) mkdirSync(join(root, name), { recursive: true });
  const host = { ...memoryHost(() => undefined), folder: root };
  expect(readableFrom(host, program)).toEqual(folders.map((name) => join(root, name)));
});
