/** Every operation, cut short at every call of git, and then done again. */
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { applyBranch } from '../../src/runtime/worktree/apply/apply.js';
import type { Worktree } from '../../src/runtime/worktree/checkout.js';
import { GitFailure } from '../../src/runtime/worktree/git/git.js';
import { mergeTasks } from '../../src/runtime/worktree/git/merge.js';
import { resetWorktree, snapshot } from '../../src/runtime/worktree/git/tree-snapshot.js';
import { removeWorktrees } from '../../src/runtime/worktree/remove-worktrees.js';
import { forkWorktree } from '../../src/runtime/worktree/worktree.js';
import { amount, some } from '../amount.js';
import { start } from '../harness/process.js';
import { randomNumbers, seed } from '../random.js';
import { dieAt } from './git-stand-in.js';
import { opened, RUN, repository, type TestRepository, writeIn } from './repositories.js';

type Death = 'during' | 'after';
type Step = () => Promise<unknown>;

/**
 * For each writing call of a step: dies in the middle of it, dies after it, and does it to the end. Gives their number.
 * Usually only every other call dies, in one of the two ways; which ones follows from the number of all random inputs.
 */
async function everyDeath(begin: () => Promise<{ again: Step; check: Step; deaths?: Death[] }>): Promise<number> {
  const all = amount(0, 1) === 1;
  const random = randomNumbers(seed);
  for (let at = all ? 0 : Math.floor(random() * 2); ; at += all ? 1 : 2) {
    const { again, check, deaths: possible = ['during', 'after'] } = await begin();
    const one = Math.floor(random() * possible.length);
    const deaths = all ? possible : possible.slice(one, one + 1);
    for (const when of deaths) {
      const stand = dieAt(at, when);
      await again().catch((cause: unknown) => {
        expect(cause).toBeInstanceOf(GitFailure);
      });
      stand.off();
      // Dying in the middle of the last one may come too late for it, so that nothing is left to be done.
      if (when === deaths[0] && !stand.died()) return at;
    }
    await again();
    await check();
  }
}

async function changed(one: TestRepository): Promise<{ tree: Worktree; commit: string }> {
  const tree = await opened(one);
  writeIn(tree.root, { 'a.txt': 'changed\n', 'new/file': 'n\n' });
  return { tree, commit: await snapshot(tree, { label: 'one', onto: tree.base }) };
}

test.each([
  // The number of calls that write.
  ['opening', 2],
  ['a snapshot', 4],
  ['going back', 3],
  ['merging a task', 4],
  ['a fork', 2],
  ['removing', 1],
  ['applying', 5],
] as const)('%s can be done again whenever it died', async (name, calls) => {
  expect(await everyDeath(STEPS[name])).toBeGreaterThanOrEqual(calls);
});

const STEPS = {
  async opening() {
    const one = repository();
    return {
      again: () => opened(one),
      check: async () => {
        const { root, branch, base } = await opened(one);
        expect(one.git('-C', root, 'status', '--porcelain', '--branch')).toBe(`## ${branch}\n`);
        expect(one.git('rev-parse', branch).trim()).toBe(base);
        expect(readFileSync(join(root, 'src/b.ts'), 'utf8')).toBe('b\n');
      },
    };
  },
  async 'a snapshot'() {
    const one = repository();
    const { tree, commit } = await changed(one);
    writeIn(tree.root, { 'new/more': 'm\n' });
    return {
      again: async () => snapshot(await opened(one), { label: 'two', onto: commit }),
      check: async () => {
        expect(one.git('log', '--format=%s', `${tree.base}..${tree.branch}`)).toBe('two\none\n');
        expect(one.git('show', `${tree.branch}:new/more`)).toBe('m\n');
        expect(one.git('-C', tree.root, 'status', '--porcelain')).toBe('');
      },
    };
  },
  async 'going back'() {
    const one = repository();
    const { tree } = await changed(one);
    writeIn(tree.root, { loose: 'l' });
    return {
      again: async () => resetWorktree(await opened(one), tree.base),
      check: async () => {
        expect(one.git('rev-parse', tree.branch).trim()).toBe(tree.base);
        expect(one.git('-C', tree.root, 'status', '--porcelain', '--branch')).toBe(`## ${tree.branch}\n`);
        expect(readFileSync(join(tree.root, 'a.txt'), 'utf8')).toBe('a\n');
      },
    };
  },
  async 'merging a task'() {
    const one = repository();
    const { tree, commit } = await changed(one);
    const forked = await forkWorktree(tree, { store: one.store, runId: RUN, task: 't', base: tree.base });
    if (forked.kind !== 'open') throw new Error(forked.refusal.message);
    writeIn(forked.worktree.root, { 'task.txt': 't\n' });
    const tip = await snapshot(forked.worktree, { label: 't', onto: tree.base });
    const task = { task: 't', base: tree.base, tip };
    return {
      again: async () => mergeTasks(await opened(one), { onto: commit, tasks: [task] }),
      check: async () => {
        expect(one.git('log', '--first-parent', '--format=%s', `${tree.base}..${tree.branch}`)).toBe(
          'merge task t\none\n',
        );
        expect(one.git('-C', tree.root, 'status', '--porcelain')).toBe('');
        expect(readFileSync(join(tree.root, 'task.txt'), 'utf8')).toBe('t\n');
      },
    };
  },
  async 'a fork'() {
    const one = repository();
    const { tree, commit } = await changed(one);
    const fork = (): ReturnType<typeof forkWorktree> =>
      forkWorktree(tree, { store: one.store, runId: RUN, task: 't', base: commit });
    return {
      again: fork,
      check: async () => {
        const answer = await fork();
        if (answer.kind !== 'open') throw new Error(answer.refusal.message);
        expect(one.git('-C', answer.worktree.root, 'status', '--porcelain')).toBe('');
        expect(one.git('rev-parse', answer.worktree.branch).trim()).toBe(commit);
      },
    };
  },
  async removing() {
    const one = repository();
    const before = one.look();
    await changed(one);
    return {
      // A branch is deleted under a lock of the user's repository, which nobody but its owner may take away.
      deaths: ['after' as const],
      again: () => removeWorktrees(one.store, RUN),
      check: async () => {
        expect(one.git('for-each-ref', 'refs/heads/statedsl')).toBe('');
        expect(one.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
        expect(one.look()).toEqual(before);
      },
    };
  },
  async applying() {
    const one = repository({ 'a.txt': 'a\n', 'gone.txt': 'g\n', 'kept.txt': 'k\n' });
    const tree = await opened(one);
    writeIn(tree.root, { 'a.txt': 'changed\n'.repeat(50_000), 'new/file': 'n\n' });
    rmSync(join(tree.root, 'gone.txt'));
    await snapshot(tree, { label: 'one', onto: tree.base });
    const spec = { cwd: one.root, store: one.store, runId: RUN, folder: one.store, message: 'apply' };
    return {
      again: () => applyBranch(spec),
      check: async () => {
        expect(await applyBranch(spec)).toMatchObject({ kind: 'contained' });
        expect(one.git('status', '--porcelain')).toBe('');
        expect(one.git('log', '--first-parent', '--format=%s')).toBe('apply\nbegin\n');
        expect(readFileSync(join(one.root, 'a.txt'), 'utf8')).toBe('changed\n'.repeat(50_000));
      },
    };
  },
};

/** Everything after the other, as often as it is started. */
const SCRIPT = `
import { openWorktree, forkWorktree } from './worktree.js';
import { resetWorktree, snapshot } from './git/tree-snapshot.js';
import { mergeTasks } from './git/merge.js';
import { applyBranch } from './apply/apply.js';
import { existsSync, writeFileSync } from 'node:fs';
const [cwd, store, runId] = process.argv.slice(2);
const opened = async (answer) => {
  const { kind, worktree, refusal } = await answer;
  if (kind !== 'open') throw new Error(refusal.message);
  return worktree;
};
const made = store + '/made';
if (!existsSync(made)) {
const run = await opened(openWorktree({ cwd, store, runId }));
await resetWorktree(run, run.base);
for (let file = 0; file < 20; file++) writeFileSync(run.root + '/run-' + file, 'run\\n'.repeat(1000));
const onto = await snapshot(run, { label: 'run', onto: run.base });
const fork = await opened(forkWorktree(run, { store, runId, task: 't', base: run.base }));
await resetWorktree(fork, run.base);
for (let file = 0; file < 20; file++) writeFileSync(fork.root + '/task-' + file, 'task\\n'.repeat(1000));
const tip = await snapshot(fork, { label: 't', onto: run.base });
const merged = await mergeTasks(run, { onto, tasks: [{ task: 't', base: run.base, tip }] });
if (merged.kind !== 'merged') throw new Error(merged.message);
writeFileSync(made, '');
}
console.log('applying');
const applied = await applyBranch({ cwd, store, runId, folder: store, message: 'apply' });
if (applied.kind !== 'applied' && applied.kind !== 'contained') throw new Error(JSON.stringify(applied));
`;

test('killed at any moment, it comes to the same end', async () => {
  const one = repository();
  const script = join(one.store, 'script.mjs');
  const folder = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'src', 'runtime', 'worktree');
  await build({
    stdin: { contents: SCRIPT, resolveDir: folder, loader: 'ts' },
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Packages in the older format of modules ask for `require`.
    banner: {
      js: "import { createRequire as $require } from 'node:module'; const require = $require(import.meta.url);",
    },
  });
  /** Null when it was killed, else its exit code and what it said. Without a time it is not killed, however slow it is. */
  const attempt = async (killAfterMs?: number): Promise<string | null> => {
    const child = start(process.execPath, [script, one.root, one.store, RUN]);
    const kill = () => child.kill('SIGKILL');
    let timer = killAfterMs === undefined ? undefined : setTimeout(kill, killAfterMs);
    child.stdout.once('data', () => {
      clearTimeout(timer);
      // Applying has moments of its own.
      if (killAfterMs !== undefined) timer = setTimeout(kill, killAfterMs / 10);
    });
    const { code, stderr } = await child.end;
    clearTimeout(timer);
    return code === null ? null : `${code} ${stderr}`;
  };
  for (const killAfterMs of some([70, 100, 140, 190, 250, 350, 500], 3))
    expect(await attempt(killAfterMs)).toBeOneOf([null, '0 ']);
  expect(await attempt()).toBe('0 ');
  expect(one.git('status', '--porcelain')).toBe('');
  expect(one.git('log', '--first-parent', '--format=%s')).toBe('apply\nbegin\n');
  expect(one.git('ls-files', 'run-*', 'task-*').trim().split('\n')).toHaveLength(40);
});
