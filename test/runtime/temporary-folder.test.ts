/** Private folders go with their process, and what a killed one left goes when it is old. */
import { existsSync, mkdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  makeTemporaryFolder,
  removeStaleFolders,
  removeTemporaryFolder,
} from '../../src/runtime/process/temporary-folder.js';

/** No process has it: Linux gives numbers up to four million. */
const NOBODY = 99_999_999;
const old = new Date(Date.now() - 48 * 60 * 60 * 1000);

function folderOf(pid: number, age: Date): string {
  const path = join(tmpdir(), `statedsl-${pid}-${Math.random().toString(36).slice(2, 8)}`);
  mkdirSync(join(path, 'inside'), { recursive: true });
  utimesSync(path, age, age);
  return path;
}

describe('private folders', () => {
  test('are named after the process that made them', () => {
    const path = makeTemporaryFolder(tmpdir());
    expect(basename(path)).toMatch(new RegExp(`^statedsl-${process.pid}-`));
    removeTemporaryFolder(path);
    expect(existsSync(path)).toBe(false);
  });

  test('of a process that has ended are removed when they are old', () => {
    const [gone, fresh, alive] = [folderOf(NOBODY, old), folderOf(NOBODY, new Date()), folderOf(process.pid, old)];
    removeStaleFolders();
    expect([gone, fresh, alive].map((path) => existsSync(path))).toEqual([false, true, true]);
    for (const path of [fresh, alive]) rmSync(path, { recursive: true });
  });
});
