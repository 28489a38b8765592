/** Runs with a worktree through the library, and what is known about worktrees while effects work in them. */
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compile, type RunEvent, type RunOptions, run } from '../../src/index.js';
import { createScratch, outputStore } from '../../src/runtime/process/scratch.js';
import { resume } from '../../src/runtime/run/again/resume-run.js';
import { readRecord } from '../../src/runtime/worktree/checkout.js';
import { restoreCall } from '../../src/runtime/worktree/restore-call.js';
import { type RunWorktrees, runWorktrees } from '../../src/runtime/worktree/run-worktrees.js';
import { branchCommit } from '../../src/runtime/worktree/worktree.js';
import { difficultRepository, opened, RUN, repository, type TestRepository, writeIn } from './repositories.js';
import { temporaryFolder } from './running.js';

async function ran(one: TestRepository, text: string, options: RunOptions = {}) {
  const { machine, diagnostics } = compile(text, { name: 'p.dsl' });
  if (machine === null) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const events: RunEvent[] = [];
  const onEvent = (event: RunEvent): void => void events.push(event);
  return { report: await run(machine, { cwd: one.root, dir: one.store, worktree: true, onEvent, ...options }), events };
}

describe('a run of the library', () => {
  test('works apart, and commits what it did when it returns', async () => {
    const one = difficultRepository();
    const before = one.look();
    const { report, events } = await ran(one, 'DO: echo x > new && pwd\nRETURN: 1\n', { cwd: join(one.root, 'src') });
    const { branch = '', directory = '' } = report.worktree ?? {};
    expect(report).toMatchObject({ status: 'returned', worktree: { changed: true } });
    expect(events[0]).toMatchObject({ type: 'run_started', worktree: { base: one.git('rev-parse', 'HEAD').trim() } });
    expect(one.git('show', `${branch}:src/new`)).toBe('x\n');
    expect(readFileSync(join(directory, 'src', 'new'), 'utf8')).toBe('x\n');
    expect(one.look()).toEqual(before);
  });

  test('that changes nothing says so, and one that failed keeps its files', async () => {
    const one = repository();
    expect((await ran(one, 'DO: true\n')).report.worktree).toMatchObject({ changed: false });
    const failed = (await ran(one, 'DO: echo x > new && false\n')).report;
    expect(failed).toMatchObject({ status: 'failed', worktree: { changed: false } });
    expect(existsSync(join(failed.worktree?.directory ?? '', 'new'))).toBe(true);
  });

  test('needs a folder and a clean repository', async () => {
    const one = repository();
    const why = async (options: RunOptions) => (await ran(one, 'DO: true\n', options)).report.error;
    expect(await why({ cwd: temporaryFolder() })).toMatchObject({ kind: 'worktree' });
    const { machine } = compile('DO: true\n');
    if (machine !== null)
      expect((await run(machine, { cwd: one.root, worktree: true })).error?.message).toContain('pass the option `dir`');
    one.write({ dirty: '' });
    expect(await why({})).toMatchObject({ kind: 'worktree', message: expect.stringContaining('`dirty`') });
    // A store that does not hide itself would be a change of the repository.
    rmSync(join(one.root, 'dirty'));
    expect((await ran(one, 'DO: true\n', { dir: join(one.root, 'kept runs') })).report.status).toBe('returned');
    expect(one.git('status', '--porcelain')).toBe('');
  });

  test('resumes in its worktree, and is refused if that is gone', async () => {
    const one = repository();
    const ask = 'DO: echo x > new\nASK user: "Go?" → go\nDO: cat new\nRETURN: {go}\n';
    const { report } = await ran(one, ask);
    expect(report.status).toBe('suspended');
    const deliveries = [{ kind: 'answer', name: 'go', value: 'yes', by: 'test' }] as const;
    await expect(resume(report.run_id, { dir: one.store, cwd: temporaryFolder() })).rejects.toThrow(
      'has no directory for',
    );
    rmSync(join(one.store, 'worktrees', report.run_id), { recursive: true });
    one.git('worktree', 'prune');
    one.git('branch', '-D', `statedsl/${report.run_id}`);
    await expect(resume(report.run_id, { dir: one.store, deliveries })).rejects.toThrow('are gone');
  });

  test('contains no secret, however large the difference is', async () => {
    const one = repository();
    const env = { PATH: process.env.PATH, DEPLOY_TOKEN: 'tell-nobody-this' };
    const agents = { agents: { a: { adapter: 'command', run: ['./agent.sh'] } }, folder: one.root };
    one.write({ 'agent.sh': '#!/bin/sh\nseq 20000 > n; echo "$DEPLOY_TOKEN" >> n; seq 20000 >> n\necho done\n' });
    chmodSync(join(one.root, 'agent.sh'), 0o755);
    one.git('add', '--all');
    one.git('commit', '-q', '-m', 'agent');
    const text = 'STEP: s type=code\n  AGENT: a\n  PROMPT: "go"\nRETURN: 1\n';
    const { report } = await ran(one, text, { env, agents });
    expect(report.status).toBe('returned');
    const folder = join(one.store, 'runs', report.run_id);
    expect(one.git('show', `${report.worktree?.branch}:n`)).toContain('tell-nobody-this');
    const kept = one.git('grep', '--no-index', '-l', '-a', '-e', 'tell-nobody-this', '-e', '[*][*][*]', '--', folder);
    expect(kept.split('\n').some((name) => name.includes('artifacts'))).toBe(true);
    expect(() => one.git('grep', '--no-index', '-q', '-a', 'tell-nobody-this', '--', folder)).toThrow();
  });
});

describe('an agent that was cut short', () => {
  const agent = (effect: string, more: object = {}) => ({ kind: 'agent', effect, attempt: 1, ...more });
  const shell = (effect: string, more: object = {}) => ({ kind: 'shell', effect, attempt: 1, ...more });

  async function begin(): Promise<{ one: TestRepository; trees: RunWorktrees; files: () => string }> {
    const one = repository({ a: 'a\n' });
    const trees = runWorktrees(await opened(one), { store: one.store, runId: RUN, fresh: true });
    return { one, trees, files: () => one.git('-C', trees.main.root, 'ls-files', '-co').split('\n').join(' ').trim() };
  }

  test('leaves nothing, and earlier work stays', async () => {
    const { trees, files } = await begin();
    const { root } = trees.main;
    (await trees.enter(root, shell('1')))();
    writeIn(root, { before: '' });
    await trees.enter(root, agent('2'));
    writeIn(root, { half: '', a: 'changed\n' });
    expect(await restoreCall(trees.main, [agent('9')])).toBe(false);
    expect(await restoreCall(trees.main, [agent('2')])).toBe(true);
    expect(files()).toBe('a before');
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('a\n');
  });

  test('keeps its files if something else worked in the same worktree', async () => {
    const { trees } = await begin();
    const { root } = trees.main;
    await trees.enter(root, agent('1'));
    await trees.enter(root, agent('2'));
    expect(await restoreCall(trees.main, [agent('1'), agent('2')])).toBe(false);
    const { trees: other } = await begin();
    await other.enter(other.main.root, agent('1'));
    (await other.enter(other.main.root, shell('2')))();
    expect(await restoreCall(other.main, [agent('1')])).toBe(false);
  });

  test('of a step returns to the last snapshot, without the files that gates left', async () => {
    const { one, trees, files } = await begin();
    const { root, base } = trees.main;
    const outputs = outputStore(null, createScratch(), null);
    writeIn(root, { done: '' });
    const action = { do: 'snapshot', onto: base, from: base, label: 'one' } as const;
    const request = { effect: '1', kind: 'worktree', attempt: 1, delayMs: 0, task: null, action } as const;
    expect(await trees.perform(request, outputs)).toMatchObject({ kind: 'changed', files: ['done'] });
    (await trees.enter(root, shell('2', { stepAttempt: 1 })))();
    writeIn(root, { report: '' });
    const commit = await branchCommit(trees.main);
    await trees.enter(root, agent('3', { step: 's', stepAttempt: 1 }));
    expect(await branchCommit(trees.main)).toBe(commit);
    expect(await restoreCall(trees.main, [agent('3')])).toBe(true);
    expect(files()).toBe('a done');
    expect(readRecord(one.store, RUN)?.base).toBe(base);
  });
});
