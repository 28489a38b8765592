import { Buffer } from 'node:buffer';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Worktree } from '../../src/runtime/worktree/checkout.js';
import { readDifference } from '../../src/runtime/worktree/git/commit-difference.js';
import { resetWorktree, snapshot } from '../../src/runtime/worktree/git/tree-snapshot.js';
import { output } from '../harness/process.js';
import { countCalls } from './git-stand-in.js';
import { difficultRepository, opened, repository, type TestRepository, writeIn } from './repositories.js';

let one: TestRepository;
let tree: Worktree;

beforeEach(async () => {
  one = repository({ 'a.txt': 'a\n', 'src/b.ts': 'b\n', 'src/c.ts': 'c\n', '.gitignore': '*.log\n' });
  tree = await opened(one);
});

/** Runs a program in the worktree, as an agent would. */
function inside(worktree: Worktree, program: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Agent', '-c', 'user.email=agent@localhost'];
  return output(program, program === 'git' ? [...identity, ...args] : args, { cwd: worktree.root });
}

const take = (onto: string, label = 'attempt 1'): Promise<string> => snapshot(tree, { label, onto });

describe('a snapshot', () => {
  test('has new, changed and deleted files, but none that git ignores', async () => {
    writeIn(tree.root, { 'a.txt': 'changed\n', 'new/file': 'n\n', 'debug.log': 'ignored' });
    rmSync(join(tree.root, 'src/b.ts'));
    const commit = await take(tree.base);
    const { files, diff } = await readDifference(tree, tree.base, commit);
    expect(files).toEqual(['a.txt', 'new/file', 'src/b.ts']);
    expect(diff).toContain('--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+changed\n');
    expect(one.git('log', '--format=%s %p', '-1', tree.branch)).toBe(`attempt 1 ${tree.base.slice(0, 7)}\n`);
    expect(inside(tree, 'git', 'status', '--porcelain', '--branch')).toBe(`## ${tree.branch}\n`);
  });

  test('is the commit before when nothing changed', async () => {
    expect(await take(tree.base)).toBe(tree.base);
    writeIn(tree.root, { 'a.txt': 'changed\n' });
    const commit = await take(tree.base);
    expect(await take(commit, 'attempt 2')).toBe(commit);
  });

  test('costs four calls of git, and two when nothing changed', async () => {
    const calls = countCalls();
    writeIn(tree.root, { 'a.txt': 'changed\n' });
    const commit = await take(tree.base);
    expect(calls.taken()).toEqual(['add', 'write-tree', 'commit-tree', 'update-ref']);
    await take(commit);
    expect(calls.taken()).toEqual(['add', 'write-tree']);
    await readDifference(tree, tree.base, commit);
    await resetWorktree(tree, tree.base);
    expect(calls.taken()).toEqual(['diff-tree', 'update-ref', 'read-tree', 'clean']);
  });

  test('keeps modes, symbolic links, binary files, empty files and line ends', async () => {
    writeIn(tree.root, { 'run.sh': '#!/bin/sh\n', empty: '', 'crlf.txt': 'a\r\nb\n' });
    chmodSync(join(tree.root, 'run.sh'), 0o755);
    symlinkSync('nowhere', join(tree.root, 'link'));
    writeFileSync(join(tree.root, 'picture'), Buffer.from([0, 255, 1, 254]));
    const commit = await take(tree.base);
    const { diff, files } = await readDifference(tree, tree.base, commit);
    expect(files).toEqual(['crlf.txt', 'empty', 'link', 'picture', 'run.sh']);
    expect(diff).toContain('Binary files /dev/null and b/picture differ\n');
    await resetWorktree(tree, tree.base);
    await resetWorktree(tree, commit);
    expect(lstatSync(join(tree.root, 'run.sh')).mode & 0o111).not.toBe(0);
    expect(lstatSync(join(tree.root, 'link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(tree.root, 'picture'))).toEqual(Buffer.from([0, 255, 1, 254]));
    expect(readFileSync(join(tree.root, 'crlf.txt'), 'utf8')).toBe('a\r\nb\n');
  });

  test('keeps files with any name', async () => {
    const names = ['with blank', '-rf', ':(top)x', '"quoted"', 'line\nend', 'tab\there', 'ä€', '*', 'back\\slash'];
    writeIn(tree.root, Object.fromEntries(names.map((name) => [name, 'x\n'])));
    writeFileSync(Buffer.concat([Buffer.from(`${tree.root}/latin-`), Buffer.from([0xe9])]), 'x\n');
    const commit = await take(tree.base);
    expect((await readDifference(tree, tree.base, commit)).files).toEqual([...names, 'latin-\\351'].sort());
  });

  test('filters and line ends are those the user has set', async () => {
    one.git('config', 'filter.loud.clean', 'tr a-z A-Z');
    one.git('config', 'filter.loud.smudge', 'tr A-Z a-z');
    one.git('config', 'core.autocrlf', 'true');
    writeIn(tree.root, { '.gitattributes': '*.loud filter=loud\n', 'x.loud': 'hello\n', 'unix.txt': 'a\n' });
    const commit = await take(tree.base);
    expect(one.git('show', `${commit}:x.loud`)).toBe('HELLO\n');
    await resetWorktree(tree, tree.base);
    expect(await take(tree.base)).toBe(tree.base);
    await resetWorktree(tree, commit);
    expect(readFileSync(join(tree.root, 'x.loud'), 'utf8')).toBe('hello\r\n');
    expect(await take(commit)).toBe(commit);
  });

  test('a filter that fails is reported with its message', async () => {
    one.git('config', 'filter.broken.clean', 'echo filter is out of order >&2; false');
    one.git('config', 'filter.broken.required', 'true');
    writeIn(tree.root, { '.gitattributes': '*.x filter=broken\n', 'y.x': 'y' });
    await expect(take(tree.base)).rejects.toThrow(/^`git add` failed: .*filter is out of order/s);
  });
});

describe('whatever was done with git inside', () => {
  test('commits on top stay, and what was not committed comes on top of them', async () => {
    writeIn(tree.root, { 'a.txt': 'one\n' });
    inside(tree, 'git', 'commit', '-q', '-a', '-m', 'by the agent');
    const first = await take(tree.base);
    expect(one.git('log', '--format=%s', `${tree.base}..${first}`)).toBe('by the agent\n');
    writeIn(tree.root, { 'a.txt': 'two\n' });
    inside(tree, 'git', 'commit', '-q', '-a', '-m', 'again');
    writeIn(tree.root, { 'b.txt': 'loose\n' });
    const second = await take(first, 'attempt 2');
    expect(one.git('log', '--format=%s', `${tree.base}..${second}`)).toBe('attempt 2\nagain\nby the agent\n');
  });

  test('another branch, rewritten history, a stopped merge and a lock do not matter', async () => {
    writeIn(tree.root, { 'a.txt': 'one\n' });
    const first = await take(tree.base);
    inside(tree, 'git', 'checkout', '-q', '-b', 'elsewhere', tree.base);
    writeIn(tree.root, { 'a.txt': 'two\n' });
    inside(tree, 'git', 'commit', '-q', '-a', '-m', 'elsewhere');
    expect(() => inside(tree, 'git', 'merge', tree.branch)).toThrow();
    writeFileSync(join(tree.gitDir, 'index.lock'), '');
    writeIn(tree.root, { 'a.txt': 'three\n' });
    const second = await take(first, 'attempt 2');
    expect(one.git('log', '--format=%s', `${tree.base}..${tree.branch}`)).toBe('attempt 2\nattempt 1\n');
    expect(one.git('show', `${second}:a.txt`)).toBe('three\n');
    expect(one.git('log', '-1', '--format=%s', 'elsewhere')).toBe('elsewhere\n');
    expect(inside(tree, 'git', 'status', '--porcelain', '--branch')).toBe(`## ${tree.branch}\n`);
    inside(tree, 'git', 'reset', '-q', '--hard', tree.base);
    inside(tree, 'git', 'checkout', '-q', second, '--', '.');
    expect(await take(second, 'attempt 3')).toBe(second);
    expect(one.git('rev-parse', tree.branch).trim()).toBe(second);
  });

  test('a file that git ignores by a setting is still detected', async () => {
    inside(tree, 'git', 'update-index', '--assume-unchanged', 'a.txt');
    inside(tree, 'git', 'update-index', '--skip-worktree', 'src/b.ts');
    writeIn(tree.root, { 'a.txt': 'sly\n', 'src/b.ts': 'sly\n' });
    expect((await readDifference(tree, tree.base, await take(tree.base))).files).toEqual(['a.txt', 'src/b.ts']);
  });

  test('a worktree that was cut off from its repository is connected again', async () => {
    const before = one.look();
    for (const cut of [() => undefined, () => inside(tree, 'git', 'init', '-q')]) {
      rmSync(join(tree.root, '.git'));
      cut();
      writeIn(tree.root, { 'a.txt': `${cut}\n` });
      expect((await readDifference(tree, tree.base, await take(tree.base))).files).toEqual(['a.txt']);
      expect(inside(tree, 'git', 'rev-parse', '--abbrev-ref', 'HEAD').trim()).toBe(tree.branch);
    }
    expect(one.look()).toEqual(before);
  });

  test('repositories that were made inside count as their files, with or without commits', async () => {
    writeIn(tree.root, {
      'with/a': 'a\n',
      'with/.gitignore': 'out\n',
      'with/out': '',
      'without/d/b': 'b\n',
      'x/y/c': 'c\n',
    });
    mkdirSync(join(tree.root, 'nothing'));
    for (const folder of ['with', 'without', 'nothing', 'x', 'x/y']) inside(tree, 'git', 'init', '-q', folder);
    inside(tree, 'git', '-C', 'with', 'add', 'a');
    inside(tree, 'git', '-C', 'with', 'commit', '-q', '-m', 'inner');
    const first = await take(tree.base);
    const files = ['with/.gitignore', 'with/a', 'without/d/b', 'x/y/c'];
    expect((await readDifference(tree, tree.base, first)).files).toEqual(files);
    writeIn(tree.root, { 'with/more': 'm\n' });
    expect((await readDifference(tree, first, await take(first))).files).toEqual(['with/more']);
    await resetWorktree(tree, tree.base);
    expect(['with', 'without', 'nothing', 'x'].filter((name) => existsSync(join(tree.root, name)))).toEqual([]);
  });
});

describe('a change', () => {
  test('shows renames in the diff and lists both names among the files', async () => {
    writeIn(tree.root, { 'long.txt': 'line\n'.repeat(50) });
    const first = await take(tree.base);
    renameSync(join(tree.root, 'long.txt'), join(tree.root, 'renamed "it"'));
    const { diff, files } = await readDifference(tree, first, await take(first));
    expect(files).toEqual(['long.txt', 'renamed "it"']);
    expect(diff).toContain('rename from long.txt\nrename to "renamed \\"it\\""\n');
  });

  test('settings of the user do not change how it looks', async () => {
    const difficult = difficultRepository();
    const worktree = await opened(difficult);
    writeIn(worktree.root, { 'a.txt': 'ä\n' });
    const commit = await snapshot(worktree, { label: 'x', onto: worktree.base });
    expect((await readDifference(worktree, worktree.base, commit)).diff).toMatch(
      /^diff --git a\/a.txt b\/a.txt\nindex .*\n--- a\/a.txt\n\+\+\+ b\/a.txt\n@@ -1 \+1 @@\n-a\n\+ä\n$/,
    );
  });

  test('of large files it says little, and of many lines it keeps the beginning and all names', async () => {
    writeIn(tree.root, { big: 'x'.repeat(17 * 1024 * 1024) });
    const first = await take(tree.base);
    expect((await readDifference(tree, tree.base, first)).diff.length).toBeLessThan(300);
    writeIn(tree.root, {
      'p.txt': `${'p'.repeat(99)}\n`.repeat(100_000),
      'q.txt': `${'q'.repeat(99)}\n`.repeat(100_000),
    });
    const { diff, files, truncated: cut } = await readDifference(tree, first, await take(first));
    expect(cut).toBe(true);
    expect(files).toEqual(['p.txt', 'q.txt']);
    expect(diff.length).toBeLessThanOrEqual(16 * 1024 * 1024);
    expect(diff.endsWith('q\n')).toBe(true);
  });

  test('a mode is a change, and nothing is none', async () => {
    chmodSync(join(tree.root, 'a.txt'), 0o755);
    const commit = await take(tree.base);
    expect((await readDifference(tree, tree.base, commit)).files).toEqual(['a.txt']);
    expect(await readDifference(tree, commit, commit)).toEqual({ diff: '', files: [], truncated: false });
  });
});

describe('going back', () => {
  test('files are as they were, new ones are removed, and those that git ignores stay', async () => {
    rmSync(join(tree.root, 'src/b.ts'));
    rmSync(join(tree.root, 'src/c.ts'));
    writeIn(tree.root, { 'a.txt': 'changed\n', 'new/file': 'n', 'x.log': 'kept', 'src/b.ts/deep/file': '' });
    await take(tree.base);
    writeIn(tree.root, { 'later/file': 'n', 'a.txt': 'again\n' });
    await resetWorktree(tree, tree.base);
    expect(inside(tree, 'git', 'status', '--porcelain', '--branch')).toBe(`## ${tree.branch}\n`);
    expect(readFileSync(join(tree.root, 'a.txt'), 'utf8')).toBe('a\n');
    expect(readFileSync(join(tree.root, 'src/b.ts'), 'utf8')).toBe('b\n');
    expect(existsSync(join(tree.root, 'later'))).toBe(false);
    expect(existsSync(join(tree.root, 'new'))).toBe(false);
    expect(readFileSync(join(tree.root, 'x.log'), 'utf8')).toBe('kept');
    expect(await take(tree.base)).toBe(tree.base);
  });

  test('what an attempt declared as ignored is removed too', async () => {
    writeIn(tree.root, { '.gitignore': 'secret/\n', 'secret/plan': 'x' });
    await take(tree.base);
    await resetWorktree(tree, tree.base);
    expect(existsSync(join(tree.root, 'secret'))).toBe(false);
  });

  test('the folder of the run stays even when no file is in it', async () => {
    mkdirSync(join(one.root, 'docs'));
    const worktree = await opened(one, { cwd: join(one.root, 'docs'), runId: '0192f000-0000-7000-8000-00000000000b' });
    await resetWorktree(worktree, worktree.base);
    expect(existsSync(worktree.cwd)).toBe(true);
  });
});
