/** Private folders go with their process, and what a killed one left goes when it is old. */
import {
  chmodSync,
  chownSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
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
  mkdirSync(join(path, 'inside'), { recursive: true, mode: 0o700 });
  writeFileSync(join(path, 'inside', 'a'), '');
  symlinkSync(tmpdir(), join(path, 'link'));
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

  test('stay if another user owns them or can write to them, and links and files stay', () => {
    const parent = tmpdir();
    const [open, foreign, target] = [folderOf(NOBODY, old), folderOf(NOBODY, old), folderOf(process.pid, old)];
    chmodSync(open, 0o770);
    const link = join(parent, `statedsl-${NOBODY}-link-${process.pid}`);
    symlinkSync(target, link);
    lutimesSync(link, old, old);
    const file = join(parent, `statedsl-${NOBODY}-file-${process.pid}`);
    writeFileSync(file, '');
    utimesSync(file, old, old);
    // Only root can give a folder away; for others, this process becomes the other user.
    const user = process.geteuid?.() ?? 0;
    if (user === 0) chownSync(foreign, 65_534, 65_534);
    else vi.spyOn(process, 'geteuid').mockReturnValue(user + 1);
    for (const path of [open, foreign]) utimesSync(path, old, old);
    removeStaleFolders();
    vi.restoreAllMocks();
    const inner = [open, foreign, target].map((path) => join(path, 'inside', 'a'));
    expect([link, file, ...inner].map((path) => existsSync(path))).toEqual([true, true, true, true, true]);
    for (const path of [link, file, open, foreign, target]) rmSync(path, { recursive: true });
  });

  test('that become a link while they are removed lose nothing of its target', () => {
    const [stale, target] = [folderOf(NOBODY, old), folderOf(process.pid, old)];
    const moved = `${stale}-moved`;
    // What another process does between two steps of the removal, as soon as the directory is open.
    const date = vi.spyOn(Date, 'now').mockImplementation(() => {
      date.mockRestore();
      renameSync(stale, moved);
      symlinkSync(target, stale);
      return Date.now();
    });
    removeStaleFolders();
    expect(existsSync(join(target, 'inside', 'a'))).toBe(true);
    for (const path of [stale, moved, target]) rmSync(path, { recursive: true, force: true });
  });
});
