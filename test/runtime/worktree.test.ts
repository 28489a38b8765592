import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findRepository } from '../../src/runtime/worktree/git/repository.js';
import { snapshot } from '../../src/runtime/worktree/git/tree-snapshot.js';
import { abandonedWorktrees, removeAll, removeWorktrees } from '../../src/runtime/worktree/remove-worktrees.js';
import { openWorktree } from '../../src/runtime/worktree/worktree.js';
import {
  difficultRepository,
  opened,
  RUN,
  repository,
  type TestRepository,
  temporaryFolder,
  writeIn,
} from './repositories.js';

async function refusalOf(one: Pick<TestRepository, 'root' | 'store'>, cwd = one.root) {
  const answer = await openWorktree({ cwd, store: one.store, runId: RUN });
  if (answer.kind !== 'refused') throw new Error('it was opened');
  return answer.refusal;
}

describe('opening', () => {
  test('files are those of the commit, on a branch of the run, and the user sees nothing of it', async () => {
    const one = repository();
    const before = one.look();
    const { root, cwd, branch, base } = await opened(one);
    expect(root).toBe(join(one.store, 'worktrees', RUN));
    expect(cwd).toBe(root);
    expect(branch).toBe(`statedsl/${RUN}`);
    expect(base).toBe(one.git('rev-parse', 'HEAD').trim());
    expect(readFileSync(join(root, 'src/b.ts'), 'utf8')).toBe('b\n');
    expect(one.git('-C', root, 'status', '--porcelain', '--branch')).toBe(`## ${branch}\n`);
    expect(one.look()).toEqual(before);
  });

  test('hooks, signing, a missing identity and other settings do not matter', async () => {
    const one = difficultRepository();
    const before = one.look();
    const worktree = await opened(one);
    writeIn(worktree.root, { 'mixed.txt': 'a\r\nb\n' });
    const commit = await snapshot(worktree, { label: 'first', onto: worktree.base });
    expect(commit).not.toBe(worktree.base);
    expect(one.git('log', '-1', '--format=%an %ae %s', commit)).toBe('statedsl statedsl@localhost first\n');
    expect(one.look()).toEqual(before);
  });

  test('a folder of the repository is found again in the worktree, even one without files', async () => {
    const one = repository();
    mkdirSync(join(one.root, 'src', 'empty'));
    const worktree = await opened(one, { cwd: join(one.root, 'src', 'empty') });
    expect(worktree.cwd).toBe(join(worktree.root, 'src', 'empty'));
    expect(existsSync(worktree.cwd)).toBe(true);
  });

  test('a store that git does not ignore is ignored in worktrees, and does not count as an uncommitted file', async () => {
    const one = repository();
    const store = join(one.root, 'tools', 'store');
    mkdirSync(store, { recursive: true });
    await opened(one, { store });
    expect(one.git('status', '--porcelain')).toBe('');
    writeIn(store, { 'index.ndjson': '{}\n' });
    await opened(one, { store, runId: RUN.replace(/a$/, 'b') });
  });

  test('a commit that is checked out without a branch will do, and so will a worktree of the user', async () => {
    const one = repository();
    one.git('checkout', '-q', '--detach');
    const { base } = await opened(one);
    expect(base).toBe(one.git('rev-parse', 'HEAD').trim());
    const other = join(temporaryFolder(), 'with\nline end');
    one.git('worktree', 'add', '-q', '-b', 'other', other);
    const found = await findRepository(other);
    expect(found).toMatchObject({ repository: { root: other, commonDir: join(one.root, '.git') } });
    await opened(one, { cwd: other, runId: RUN.replace(/a$/, 'b') });
  });

  test('it begins at another commit on request, whatever is uncommitted', async () => {
    const one = repository();
    const first = one.git('rev-parse', 'HEAD').trim();
    one.git('commit', '-q', '--allow-empty', '-m', 'second');
    one.write({ 'a.txt': 'changed\n' });
    expect((await opened(one, { at: first })).base).toBe(first);
  });

  test('variables of a surrounding git do not lead astray', async () => {
    const one = repository();
    const other = repository();
    const variables = { GIT_DIR: join(other.root, '.git'), GIT_INDEX_FILE: '/nowhere', GIT_WORK_TREE: other.root };
    Object.assign(process.env, variables);
    try {
      const worktree = await opened(one);
      expect(worktree.commonDir).toBe(join(one.root, '.git'));
    } finally {
      for (const name of Object.keys(variables)) delete process.env[name];
    }
  });

  test('submodules stay as they are: empty folders that no snapshot takes for a change', async () => {
    const inner = repository();
    const one = repository();
    one.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'sub');
    one.git('commit', '-q', '-m', 'submodule');
    one.write({ 'sub/a.txt': 'changed inside\n' });
    const worktree = await opened(one);
    expect(await snapshot(worktree, { label: 'none', onto: worktree.base })).toBe(worktree.base);
  });
});

describe('refusals', () => {
  test('uncommitted files are named; ignored ones and the store do not count', async () => {
    const one = repository({ '.gitignore': 'out/\n', 'a.txt': 'a\n', 'b.txt': 'b\n' });
    one.write({ 'out/x': 'x', '.statedsl/y': 'y' });
    expect((await openWorktree({ cwd: one.root, store: one.store, runId: RUN })).kind).toBe('open');
    await removeWorktrees(one.store, RUN);
    one.write({ 'a.txt': 'changed\n', 'new "file"\n': '' });
    rmSync(join(one.root, 'b.txt'));
    const refusal = await refusalOf(one);
    expect(refusal).toMatchObject({ kind: 'uncommitted', files: ['a.txt', 'b.txt', 'new "file"\n'] });
    expect(refusal.message).toBe('`a.txt`, `b.txt` and `new "file"\n` are not committed');
    expect(existsSync(join(one.store, 'worktrees'))).toBe(true);
    expect(one.git('branch', '--list', 'statedsl/*')).toBe('');
  });

  test('no repository, none with files, none with history', async () => {
    const nowhere = temporaryFolder();
    const store = join(nowhere, '.statedsl');
    expect(await refusalOf({ root: nowhere, store })).toMatchObject({ kind: 'no-repository' });
    const one = repository();
    const bare = join(nowhere, 'bare');
    one.git('clone', '-q', '--bare', one.root, bare);
    expect(await refusalOf({ root: bare, store })).toMatchObject({ kind: 'bare' });
    expect(await refusalOf({ root: join(one.root, '.git'), store })).toMatchObject({ kind: 'bare' });
    one.git('commit', '-q', '--allow-empty', '-m', 'second');
    one.git('clone', '-q', '--depth=1', `file://${one.root}`, join(nowhere, 'shallow'));
    expect(await refusalOf({ root: join(nowhere, 'shallow'), store })).toMatchObject({ kind: 'shallow' });
    one.git('init', '-q', join(nowhere, 'unborn'));
    const unborn = await refusalOf({ root: join(nowhere, 'unborn'), store });
    expect(unborn).toMatchObject({ kind: 'no-commit' });
    expect(unborn.message).toContain('has no commit yet');
  });

  test.each([false, true])('a branch where the folder of our branches has to be, packed: %s', async (packed) => {
    const one = repository();
    one.git('branch', 'statedsl');
    if (packed) one.git('pack-refs', '--all');
    const refusal = await refusalOf(one);
    expect(refusal).toMatchObject({ kind: 'in-the-way' });
    expect(refusal.message).toContain('the branch `statedsl` conflicts with');
    one.git('branch', '-m', 'statedsl', 'statedsl-old');
    expect((await opened(one)).branch).toBe(`statedsl/${RUN}`);
  });

  test('a repository of another user, and a machine without git', async () => {
    const one = repository();
    process.env.GIT_TEST_ASSUME_DIFFERENT_OWNER = '1';
    try {
      expect(await refusalOf(one)).toMatchObject({ kind: 'untrusted' });
    } finally {
      delete process.env.GIT_TEST_ASSUME_DIFFERENT_OWNER;
    }
    const { PATH } = process.env;
    process.env.PATH = '/nowhere';
    try {
      expect(await refusalOf(one)).toMatchObject({ kind: 'no-git' });
    } finally {
      process.env.PATH = PATH;
    }
  });

  test('a git that is too old', async () => {
    const one = repository();
    const { PATH } = process.env;
    const bin = temporaryFolder();
    writeFileSync(join(bin, 'git'), '#!/bin/sh\ncase "$*" in *version*) echo git version 2.34.1;; esac\n');
    chmodSync(join(bin, 'git'), 0o755);
    process.env.PATH = `${bin}:${PATH}`;
    try {
      expect(await refusalOf(one)).toMatchObject({ kind: 'old-git' });
    } finally {
      process.env.PATH = PATH;
    }
  });
});

describe('opening again', () => {
  test('what is there is taken up with everything in it', async () => {
    const one = repository();
    const worktree = await opened(one);
    writeIn(worktree.root, { 'half.txt': 'done' });
    one.write({ 'a.txt': 'changed since\n' });
    expect(await opened(one)).toEqual(worktree);
    expect(readFileSync(join(worktree.root, 'half.txt'), 'utf8')).toBe('done');
  });

  test('what was made by half is made anew', async () => {
    const one = repository();
    const { root } = await opened(one);
    const record = `${root}.json`;
    for (const damage of [
      () => rmSync(record),
      () => writeFileSync(record, '{"root'),
      () => {
        rmSync(record);
        rmSync(root, { recursive: true });
        // As git leaves it when it is killed while it makes one.
        writeFileSync(join(one.root, '.git', 'worktrees', RUN, 'locked'), 'initializing');
      },
      () => {
        rmSync(record);
        rmSync(join(one.root, '.git', 'worktrees', RUN, 'gitdir'));
        writeFileSync(join(one.root, '.git', 'refs', 'heads', 'statedsl', `${RUN}.lock`), '');
      },
    ]) {
      damage();
      const worktree = await opened(one);
      expect(one.git('-C', worktree.root, 'status', '--porcelain')).toBe('');
    }
    expect(one.git('worktree', 'list').trim().split('\n')).toHaveLength(2);
  });

  test('a removed folder is restored from the branch', async () => {
    const one = repository();
    const worktree = await opened(one);
    writeIn(worktree.root, { 'kept.txt': 'kept' });
    const commit = await snapshot(worktree, { label: 'one', onto: worktree.base });
    rmSync(worktree.root, { recursive: true });
    const again = await opened(one);
    expect(again.base).toBe(worktree.base);
    expect(one.git('rev-parse', again.branch).trim()).toBe(commit);
    expect(readFileSync(join(again.root, 'kept.txt'), 'utf8')).toBe('kept');
  });

  test('a worktree without its branch is refused', async () => {
    const one = repository();
    const worktree = await opened(one);
    rmSync(worktree.root, { recursive: true });
    one.git('worktree', 'prune');
    one.git('branch', '-q', '-D', worktree.branch);
    expect(await refusalOf(one)).toMatchObject({ kind: 'lost' });
  });
});

describe('removing', () => {
  test('nothing is left of it, and removing it twice does no harm', async () => {
    const one = repository();
    symlinkSync('a.txt', join(one.root, 'link'));
    one.git('add', 'link');
    one.git('commit', '-q', '-m', 'link');
    const before = one.look();
    const worktree = await opened(one);
    await removeWorktrees(one.store, RUN);
    await removeWorktrees(one.store, RUN);
    expect(existsSync(worktree.root)).toBe(false);
    expect(existsSync(join(one.root, '.git', 'worktrees'))).toBe(false);
    expect(one.git('for-each-ref', 'refs/heads/statedsl')).toBe('');
    expect(one.look()).toEqual(before);
  });

  test('worktrees of runs that are gone are swept up, unless their run may only be beginning', async () => {
    const one = repository();
    const worktree = await opened(one);
    expect(abandonedWorktrees(one.store, () => false)).toEqual([]);
    const old = new Date(Date.now() - 2 * 3_600_000);
    rmSync(`${worktree.root}.json`);
    utimesSync(worktree.root, old, old);
    expect(abandonedWorktrees(one.store, () => true)).toEqual([]);
    const leaving = abandonedWorktrees(one.store, () => false);
    expect(leaving).toMatchObject([{ root: worktree.root, branch: worktree.branch }]);
    await removeAll(one.store, leaving);
    expect(one.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(one.git('for-each-ref', 'refs/heads/statedsl')).toBe('');
  });

  test('without the repository the folders still go', async () => {
    const one = repository();
    const store = temporaryFolder();
    const worktree = await opened(one, { store });
    rmSync(join(one.root, '.git'), { recursive: true });
    await removeWorktrees(store, RUN);
    expect(existsSync(worktree.root)).toBe(false);
  });
});
