import fs, { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Applied, applyBranch } from '../../src/runtime/worktree/apply/apply.js';
import { unappliedRuns } from '../../src/runtime/worktree/apply/unapplied.js';
import type { Worktree } from '../../src/runtime/worktree/checkout.js';
import { snapshot } from '../../src/runtime/worktree/git/tree-snapshot.js';
import { removeWorktrees } from '../../src/runtime/worktree/remove-worktrees.js';
import { inFastTime } from '../harness/fast-time.js';
import { start } from '../harness/process.js';
import { beforeFirst } from './git-stand-in.js';
import {
  difficultRepository,
  opened,
  RUN,
  repository,
  type TestRepository,
  temporaryFolder,
  writeIn,
} from './repositories.js';

let one: TestRepository;
let tree: Worktree;
/** Variables that would give commits a name. */
const NAMES = ['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_NOSYSTEM', 'EMAIL'];

beforeEach(async () => {
  one = repository({ 'a.txt': 'a\n', 'src/b.ts': 'b\n', 'gone.txt': 'g\n', '.gitignore': 'out/\n*.log\n' });
  tree = await opened(one);
  const before = NAMES.map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' });
  delete process.env.EMAIL;
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
});

async function worked(
  files: Readonly<Record<string, string>> = { 'a.txt': 'by the run\n', 'new/c.ts': 'c\n' },
): Promise<void> {
  writeIn(tree.root, files);
  await snapshot(tree, { label: 'attempt 1', onto: tree.base });
}

function apply(cwd = one.root): Promise<Applied> {
  return applyBranch({ cwd, store: one.store, runId: RUN, folder: one.store, message: `Merge run ${RUN}` });
}

/** What is about to be written, for the next `apply` if this one is killed. */
const intentFile = (): string => join(one.root, '.git/statedsl-apply/intent.json');

/** Tries, and sees that nothing of the user's is different. */
async function refused(): Promise<Applied> {
  const before = one.look();
  const isLocked = existsSync(join(one.root, '.git', 'index.lock'));
  const applied = await apply();
  expect(one.look()).toEqual(before);
  expect(existsSync(join(one.root, '.git', 'index.lock'))).toBe(isLocked);
  expect(existsSync(intentFile())).toBe(false);
  expect(existsSync(join(one.store, 'apply.json'))).toBe(false);
  return applied;
}

test('the branch is merged, files and index follow', async () => {
  rmSync(join(tree.root, 'gone.txt'));
  await worked();
  const applied = await apply();
  expect(applied).toMatchObject({ kind: 'applied', into: 'main', files: ['a.txt', 'gone.txt', 'new/c.ts'] });
  expect(one.git('status', '--porcelain')).toBe('');
  expect(readFileSync(join(one.root, 'a.txt'), 'utf8')).toBe('by the run\n');
  expect(existsSync(join(one.root, 'gone.txt'))).toBe(false);
  expect(one.git('log', '--first-parent', '--format=%s %an')).toBe(`Merge run ${RUN} statedsl\nbegin Test\n`);
  expect(one.git('rev-parse', 'HEAD^2')).toBe(one.git('rev-parse', tree.branch));
  expect(existsSync(join(one.root, '.git', 'statedsl-apply-index'))).toBe(false);
  expect(existsSync(join(one.root, '.git', 'index.lock'))).toBe(false);
  expect(existsSync(intentFile())).toBe(false);
});

test('it bears the name of the user where there is one, and no setting or hook hinders it', async () => {
  one = difficultRepository();
  tree = await opened(one);
  await worked();
  one.git('config', 'user.name', 'Ada');
  one.git('config', 'user.email', 'ada@localhost');
  expect((await apply()).kind).toBe('applied');
  expect(one.git('log', '-1', '--format=%an <%ae> %cn')).toBe('Ada <ada@localhost> Ada\n');
});

test('what was committed since stays, line by line', async () => {
  const lines = Array.from({ length: 20 }, (_, at) => `${at}\n`);
  one.write({ 'list.txt': lines.join('') });
  one.git('add', 'list.txt');
  one.git('commit', '-q', '-m', 'list');
  tree = await opened(one, { runId: RUN.replace(/a$/, 'b') });
  writeIn(tree.root, { 'list.txt': lines.with(2, 'run\n').join('') });
  await snapshot(tree, { label: 'x', onto: tree.base });
  one.write({ 'list.txt': lines.with(17, 'user\n').join('') });
  one.git('commit', '-q', '-a', '-m', 'since');
  const spec = { cwd: one.root, store: one.store, runId: RUN.replace(/a$/, 'b'), folder: one.store, message: 'm' };
  expect((await applyBranch(spec)).kind).toBe('applied');
  expect(readFileSync(join(one.root, 'list.txt'), 'utf8')).toBe(lines.with(2, 'run\n').with(17, 'user\n').join(''));
  expect(one.git('status', '--porcelain')).toBe('');
});

test('a second time there is nothing to apply, with or without the branch', async () => {
  await worked();
  const applied = await apply();
  if (applied.kind !== 'applied') throw new Error(applied.kind);
  expect(await apply()).toEqual({ kind: 'contained', commit: applied.commit });
  await removeWorktrees(one.store, RUN);
  expect(await apply()).toEqual({ kind: 'contained', commit: applied.commit });
});

test('a note of an application that was not done does not count as one', async () => {
  await worked();
  writeIn(one.store, { 'apply.json': JSON.stringify({ root: one.root, head: tree.base, commit: tree.base }) });
  await removeWorktrees(one.store, RUN);
  one.git('update-ref', '-d', `refs/heads/${tree.branch}`);
  expect(await apply()).toMatchObject({ refusal: { kind: 'lost' } });
});

test('a run that changed nothing, and one that had no worktree', async () => {
  expect(await apply()).toEqual({ kind: 'contained', commit: tree.base });
  await removeWorktrees(one.store, RUN);
  rmSync(join(one.store, 'apply.json'));
  expect(await refused()).toMatchObject({ kind: 'refused', refusal: { kind: 'lost' } });
});

test('a checkout without a branch, a folder of it, and a worktree of the user', async () => {
  await worked();
  const other = join(temporaryFolder(), 'other');
  one.git('worktree', 'add', '-q', '--detach', other);
  mkdirSync(join(other, 'src'), { recursive: true });
  const before = one.look();
  expect(await apply(join(other, 'src'))).toMatchObject({ kind: 'applied', into: tree.base.slice(0, 12) });
  expect(readFileSync(join(other, 'new/c.ts'), 'utf8')).toBe('c\n');
  expect(one.git('-C', other, 'status', '--porcelain')).toBe('');
  expect(one.look()).toEqual(before);
});

describe('refusals leave everything as it was', () => {
  test('a conflict', async () => {
    await worked();
    one.write({ 'a.txt': 'by the user\n' });
    one.git('commit', '-q', '-a', '-m', 'since');
    expect(await refused()).toEqual({ kind: 'conflict', files: ['a.txt'] });
  });

  test('uncommitted changes of files that the run changed too, also staged ones', async () => {
    await worked({ 'a.txt': 'by the run\n', 'src/b.ts': 'by the run\n', 'new/c.ts': 'c\n' });
    one.write({ 'a.txt': 'changed\n', 'new/c.ts': 's\n', 'gone.txt': 'harmless\n' });
    one.git('add', 'new/c.ts');
    expect(await refused()).toMatchObject({
      refusal: {
        kind: 'uncommitted',
        files: ['a.txt', 'new/c.ts'],
        message: '`a.txt` and `new/c.ts` are not committed, and the run changed them too',
      },
    });
  });

  test('a file of the user where the run made a folder, and the other way round', async () => {
    await worked({ 'one/x': 'x\n', two: 'x\n' });
    one.write({ one: 'mine\n', 'two/mine': 'mine\n' });
    one.git('add', 'one', 'two/mine');
    expect(await refused()).toMatchObject({ refusal: { kind: 'uncommitted', files: ['one', 'two/mine'] } });
  });

  test('new files of the user in the way of new files of the run, ignored ones too', async () => {
    await worked({ 'new/c.ts': 'c\n', 'out.log': 'forced\n', 'x/y': 'y\n', '.gitignore': 'out/\n' });
    one.write({ 'new/c.ts': 'mine\n', 'out.log': 'mine\n', x: 'a file\n', 'other.txt': 'o\n' });
    expect(await refused()).toMatchObject({ refusal: { kind: 'in-the-way', files: ['new/c.ts', 'out.log', 'x'] } });
  });

  test('a merge in progress', async () => {
    await worked();
    writeFileSync(join(one.root, '.git', 'MERGE_HEAD'), `${tree.base}\n`);
    expect(await refused()).toMatchObject({ refusal: { kind: 'unfinished' } });
  });

  test('another git that has the index', async () => {
    await worked();
    writeFileSync(join(one.root, '.git', 'index.lock'), '');
    const before = one.look();
    await expect(inFastTime(apply)).rejects.toThrow('another git process is using the checkout');
    expect(one.look()).toEqual(before);
    rmSync(join(one.root, '.git', 'index.lock'));
    expect((await apply()).kind).toBe('applied');
    expect(one.git('status', '--porcelain')).toBe('');
  });
});

describe('a branch that moves while it is merged', () => {
  /** Commits a tree as the user, before the branch of the checkout is moved. Returns a copy of what was about to be written. */
  function commitBetween(tree: string): string {
    const seen = join(temporaryFolder(), 'intent.json');
    const commit = `"$real" -C '${one.root}' -c user.name=T -c user.email=t@localhost commit-tree ${tree} -p main -m user`;
    beforeFirst(
      'update-ref',
      `cp '${intentFile()}' '${seen}'; "$real" -C '${one.root}' update-ref HEAD "$(${commit})"`,
    );
    return seen;
  }

  test('is merged again', async () => {
    await worked();
    const seen = commitBetween('main^{tree}');
    const applied = await apply();
    expect(applied.kind).toBe('applied');
    expect(one.git('log', '--first-parent', '--format=%s')).toBe(`Merge run ${RUN}\nuser\nbegin\n`);
    expect(one.git('status', '--porcelain')).toBe('');
    expect(JSON.parse(readFileSync(seen, 'utf8'))).toMatchObject({
      run: RUN,
      head: one.git('rev-parse', 'main~2').trim(),
    });
    expect(existsSync(intentFile())).toBe(false);
  });

  test('and then is in conflict, leaves nothing to finish', async () => {
    await worked();
    one.write({ 'a.txt': 'by the user\n' });
    one.git('add', 'a.txt');
    const conflicting = one.git('write-tree').trim();
    one.git('reset', '-q', '--hard');
    commitBetween(conflicting);
    expect((await apply()).kind).toBe('conflict');
    expect(existsSync(intentFile())).toBe(false);
    expect(one.git('log', '--first-parent', '--format=%s')).toBe('user\nbegin\n');
  });
});

test('what the user changed in other files stays, staged or not', async () => {
  await worked();
  one.write({ 'src/b.ts': 'changed\n', 'staged.txt': 's\n', 'new/mine.ts': 'm\n' });
  one.git('add', 'staged.txt');
  rmSync(join(one.root, 'gone.txt'));
  expect((await apply()).kind).toBe('applied');
  expect(one.git('status', '--porcelain')).toBe(' D gone.txt\n M src/b.ts\nA  staged.txt\n?? new/mine.ts\n');
  expect(readFileSync(join(one.root, 'a.txt'), 'utf8')).toBe('by the run\n');
});

/** As a process leaves it that was killed after the branch had moved. */
function killed(): string {
  const head = one.git('rev-parse', 'HEAD').trim();
  const commit = one.git('commit-tree', `${tree.branch}^{tree}`, '-p', head, '-p', tree.branch, '-m', 'm').trim();
  const gitDir = join(one.root, '.git');
  writeIn(gitDir, {
    'statedsl-apply/intent.json': JSON.stringify({ run: RUN, root: one.root, gitDir, head, commit }),
    'index.lock': `statedsl apply ${RUN}\n`,
  });
  one.git('update-ref', 'HEAD', commit);
  return commit;
}

describe('an application that was killed is finished by the next one', () => {
  test('but for files that were changed since', async () => {
    await worked({ 'a.txt': 'by the run\n', 'new/c.ts': 'c\n' });
    const commit = killed();
    one.write({ 'a.txt': 'by the', 'new/c.ts': 'edited since\n', 'src/b.ts': 'mine\n' });
    expect(await apply()).toMatchObject({ refusal: { kind: 'unfinished', files: ['new/c.ts'] } });
    one.write({ 'a.txt': 'edited since\n', 'new/c.ts': '' });
    expect(await apply()).toMatchObject({ refusal: { kind: 'unfinished', files: ['a.txt'] } });
    one.write({ 'a.txt': 'by the' });
    expect(await apply()).toEqual({ kind: 'contained', commit });
    expect(one.git('status', '--porcelain')).toBe(' M src/b.ts\n');
    expect(readFileSync(join(one.root, 'a.txt'), 'utf8')).toBe('by the run\n');
  });

  test('of any run, before it does anything itself', async () => {
    rmSync(join(tree.root, 'gone.txt'));
    await worked();
    killed();
    const runId = RUN.replace(/a$/, 'b');
    expect(
      await applyBranch({ cwd: one.root, store: one.store, runId, folder: one.store, message: 'm' }),
    ).toMatchObject({
      refusal: { kind: 'lost' },
    });
    expect(one.git('status', '--porcelain')).toBe('');
    expect(readFileSync(join(one.root, 'new/c.ts'), 'utf8')).toBe('c\n');
  });

  test('and nothing is written again where it was done', async () => {
    await worked();
    killed();
    rmSync(join(one.root, '.git', 'index.lock'));
    one.git('reset', '-q', '--hard');
    one.write({ 'a.txt': 'edited since\n' });
    expect((await apply()).kind).toBe('contained');
    expect(readFileSync(join(one.root, 'a.txt'), 'utf8')).toBe('edited since\n');
  });
});

test('one that was killed while it created its lock does not lock out the next one', async () => {
  await worked();
  const { writeFileSync: real } = fs;
  // The file is there, and nothing is in it yet.
  fs.writeFileSync = ((path, data, options) => {
    real(path, /lock$/.test(String(path)) ? '' : data, options);
    if (/lock$/.test(String(path))) throw new Error(`killed while it wrote ${path}`);
  }) as typeof real;
  syncBuiltinESMExports();
  try {
    await expect(apply()).rejects.toThrow('killed while it wrote');
  } finally {
    fs.writeFileSync = real;
    syncBuiltinESMExports();
  }
  expect((await apply()).kind).toBe('applied');
  expect(one.git('status', '--porcelain')).toBe('');
});

test('what cannot be written is put back: files, index and branch', async () => {
  await worked({ 'a.txt': 'by the run\n', 'new/c.ts': 'c\n', 'z.big': 'z\n' });
  // A filter that fails while files are written, and not when it is only tried whether they could be.
  one.git('config', 'filter.f.smudge', 'false');
  one.git('config', 'filter.f.clean', 'cat');
  one.git('config', 'filter.f.required', 'true');
  writeIn(join(one.root, '.git'), { 'info/attributes': '*.big filter=f\n' });
  const before = one.look();
  await expect(apply()).rejects.toThrow('smudge filter f failed');
  expect(one.look()).toEqual(before);
  one.git('config', 'filter.f.smudge', 'cat');
  expect((await apply()).kind).toBe('applied');
  expect(one.git('status', '--porcelain')).toBe('');
});

test('a refused application leaves no files, while commits and other applications run', async () => {
  const ids = ['b', 'c', 'd'].map((letter) => RUN.replace(/a$/, letter));
  for (const [at, runId] of ids.entries()) {
    const worktree = await opened(one, { runId });
    // The last one is in conflict with the first.
    writeIn(worktree.root, at === 2 ? { 'by-0': 'other\n' } : { [`by-${at}`]: 'x\n' });
    await snapshot(worktree, { label: runId, onto: worktree.base });
  }
  const stop = join(one.store, 'stop');
  const script = `while [ ! -e '${stop}' ]; do git -c user.name=T -c user.email=t@localhost commit -q --allow-empty -m user; done`;
  const commits = start('sh', ['-c', script], { cwd: one.root });
  const folders = ids.map((runId) => join(one.store, runId));
  for (const folder of folders) mkdirSync(folder);
  const applied = await Promise.all(
    ids.map((runId, at) =>
      applyBranch({ cwd: one.root, store: one.store, runId, folder: folders[at] as string, message: runId }),
    ),
  );
  writeFileSync(stop, '');
  await commits.end;
  expect(applied.map(({ kind }) => kind).sort()).toEqual(['applied', 'applied', 'conflict']);
  expect(one.git('status', '--porcelain')).toBe('');
  expect(one.git('log', '--merges', '--format=%s').trim().split('\n')).toHaveLength(2);
});

describe('what a run could not commit at its end', () => {
  /** Git takes no file of this name. */
  const REFUSED = 'git~1';

  test('is committed when it is applied', async () => {
    await worked();
    writeIn(tree.root, { 'late.txt': 'late\n' });
    expect(await apply()).toMatchObject({ kind: 'applied', files: ['a.txt', 'late.txt', 'new/c.ts'] });
    expect(readFileSync(join(one.root, 'late.txt'), 'utf8')).toBe('late\n');
  });

  test('is refused where git refuses it, and stays', async () => {
    writeIn(tree.root, { [REFUSED]: 'late\n' });
    expect(await refused()).toMatchObject({ refusal: { kind: 'left-work', help: expect.stringContaining(tree.root) } });
    expect(await unappliedRuns(one.store)).toEqual(new Set([RUN]));
    renameSync(join(tree.root, REFUSED), join(tree.root, 'fine'));
    expect(await apply()).toMatchObject({ kind: 'applied', files: ['fine'] });
    expect(await unappliedRuns(one.store)).toEqual(new Set());
  });

  test('is kept if its kind is unknown', async () => {
    await worked();
    rmSync(join(one.root, '.git/worktrees', RUN), { recursive: true });
    expect(await refused()).toMatchObject({ refusal: { kind: 'left-work' } });
    expect(await unappliedRuns(one.store)).toEqual(new Set([RUN]));
  });
});
