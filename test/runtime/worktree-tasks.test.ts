import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Worktree } from '../../src/runtime/worktree/checkout.js';
import { mergeTasks, type TaskBranch } from '../../src/runtime/worktree/git/merge.js';
import { snapshot } from '../../src/runtime/worktree/git/tree-snapshot.js';
import { removeWorktrees } from '../../src/runtime/worktree/remove-worktrees.js';
import { forkWorktree } from '../../src/runtime/worktree/worktree.js';
import { opened, RUN, repository, type TestRepository, writeIn } from './repositories.js';

const LINES = Array.from({ length: 30 }, (_, at) => `line ${at}\n`);

function lines(changes: Readonly<Record<number, string>>): string {
  return LINES.map((line, at) => changes[at] ?? line).join('');
}

async function fork(one: TestRepository, run: Worktree, task: string, base = run.base): Promise<Worktree> {
  const answer = await forkWorktree(run, { store: one.store, runId: RUN, task, base });
  if (answer.kind !== 'open') throw new Error(answer.refusal.message);
  return answer.worktree;
}

/** A task that writes files on its own branch. */
async function work(
  one: TestRepository,
  run: Worktree,
  task: string,
  files: Readonly<Record<string, string>>,
): Promise<TaskBranch> {
  const worktree = await fork(one, run, task);
  writeIn(worktree.root, files);
  const tip = await snapshot(worktree, { label: task, onto: worktree.base });
  return { task, base: worktree.base, tip };
}

test('tasks that change different lines of one file are merged in order', async () => {
  const one = repository({ 'list.txt': lines({}) });
  const before = one.look();
  const run = await opened(one);
  const [first, second, idle] = await Promise.all([
    work(one, run, 'build/one', { 'list.txt': lines({ 2: 'by one\n' }) }),
    work(one, run, 'build/two', { 'list.txt': lines({ 27: 'by two\n' }), 'two.txt': 'two\n' }),
    work(one, run, 'build/idle', {}),
  ]);
  expect(idle.tip).toBe(run.base);
  let onto = run.base;
  const earlier: TaskBranch[] = [];
  for (const task of [first, second, idle]) {
    const merged = await mergeTasks(run, { onto, tasks: [task] });
    if (merged.kind !== 'merged') throw new Error(merged.message);
    onto = merged.commit;
    earlier.push(task);
  }
  expect(readFileSync(join(run.root, 'list.txt'), 'utf8')).toBe(lines({ 2: 'by one\n', 27: 'by two\n' }));
  const log = one.git('log', '--first-parent', '--format=%s', `${run.base}..${run.branch}`);
  expect(log).toBe('merge task build/two\nbuild/one\n');
  expect(one.git('-C', run.root, 'status', '--porcelain')).toBe('');
  for (const task of earlier)
    expect(await mergeTasks(run, { onto, tasks: [task] })).toEqual({ kind: 'merged', commit: onto });
  expect(one.look()).toEqual(before);
});

test('a conflict names the files and both tasks, and leaves everything as it was', async () => {
  const one = repository({ 'list.txt': lines({}), 'other.txt': 'o\n' });
  const run = await opened(one);
  const first = await work(one, run, 'one', { 'list.txt': lines({ 4: 'by one\n' }) });
  const aside = await work(one, run, 'aside', { 'other.txt': 'aside\n' });
  const second = await work(one, run, 'two', { 'list.txt': lines({ 4: 'by two\n' }) });
  let onto = run.base;
  for (const task of [first, aside]) {
    const merged = await mergeTasks(run, { onto, tasks: [task] });
    if (merged.kind === 'merged') onto = merged.commit;
  }
  expect(await mergeTasks(run, { onto: run.base, tasks: [first, aside, second] })).toEqual({
    kind: 'conflict',
    files: ['list.txt'],
    task: 'two',
    tasks: ['one'],
    message: 'the changes of task `two` and task `one` conflict in `list.txt`',
  });
  expect(one.git('rev-parse', run.branch).trim()).toBe(onto);
  expect(one.git('-C', run.root, 'status', '--porcelain')).toBe('');
  expect(readFileSync(join(run.root, 'list.txt'), 'utf8')).toBe(lines({ 4: 'by one\n' }));
  expect(one.git('rev-parse', second.tip).trim()).toBe(second.tip);
});

test('a renamed file keeps what another task changed in it', async () => {
  const one = repository({ 'list.txt': lines({}) });
  const run = await opened(one);
  const renaming = await fork(one, run, 'rename');
  rmSync(join(renaming.root, 'list.txt'));
  writeIn(renaming.root, { 'renamed.txt': lines({}) });
  const tip = await snapshot(renaming, { label: 'rename', onto: run.base });
  const editing = await work(one, run, 'edit', { 'list.txt': lines({ 9: 'edited\n' }) });
  const first = await mergeTasks(run, { onto: run.base, tasks: [{ task: 'rename', base: run.base, tip }] });
  if (first.kind !== 'merged') throw new Error(first.message);
  await mergeTasks(run, { onto: first.commit, tasks: [editing] });
  expect(readFileSync(join(run.root, 'renamed.txt'), 'utf8')).toBe(lines({ 9: 'edited\n' }));
});

test('tasks have worktrees of their own whatever they are called, and are found again', async () => {
  const one = repository();
  const run = await opened(one, { cwd: join(one.root, 'src') });
  const names = ['a b', 'a-b', 'A b', 'ä/€', '..', '-', 'x'.repeat(300)];
  const trees = [];
  for (const name of names) trees.push(await fork(one, run, name));
  expect(new Set(trees.map(({ root }) => root.toLowerCase())).size).toBe(names.length);
  expect(trees[0]?.cwd).toBe(join(trees[0]?.root ?? '', 'src'));
  writeIn(trees[0]?.root ?? '', { half: 'done' });
  expect(await fork(one, run, 'a b')).toEqual(trees[0]);
  expect(existsSync(join(trees[0]?.root ?? '', 'half'))).toBe(true);
  await removeWorktrees(one.store, RUN);
  expect(one.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  expect(one.git('for-each-ref', 'refs/heads/statedsl')).toBe('');
});

test('many at once are made', async () => {
  const one = repository();
  const run = await opened(one);
  const names = Array.from({ length: 12 }, (_, at) => `task-${at}`);
  const trees = await Promise.all(names.map((name) => fork(one, run, name)));
  for (const tree of trees) expect(readFileSync(join(tree.root, 'a.txt'), 'utf8')).toBe('a\n');
});
