/** Repositories as people have them, in folders of their own that are removed with the test. */
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, onTestFinished } from 'vitest';
import type { Worktree } from '../../src/runtime/worktree/checkout.js';
import { type OpenSpec, openWorktree } from '../../src/runtime/worktree/worktree.js';
import { git as gitIn } from '../harness/process.js';

export const RUN = '0192f000-0000-7000-8000-00000000000a';

export interface TestRepository {
  readonly root: string;
  readonly store: string;
  /** Runs git as the user; gives what it printed. */
  git(...args: string[]): string;
  /** Writes files. */
  write(files: Readonly<Record<string, string>>): void;
  /** All that a person may notice: branch, commits, index, settings and files, without the work of runs. */
  look(): Record<string, string>;
}

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'worktree-test-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Repositories that were made once and are copied from then on, by their files. */
const templates = new Map<string, string>();

afterAll(() => {
  for (const folder of templates.values()) rmSync(folder, { recursive: true, force: true });
  templates.clear();
});

/** A repository with one commit. */
export function repository(
  files: Readonly<Record<string, string>> = { 'a.txt': 'a\n', 'src/b.ts': 'b\n' },
): TestRepository {
  const root = temporaryFolder();
  const store = join(root, '.statedsl');
  const git = (...args: string[]): string => gitIn(root, ...args);
  const key = JSON.stringify(files);
  const before = templates.get(key);
  if (before === undefined) {
    git('init', '-q', '-b', 'main');
    writeIn(root, files);
    git('add', '--all');
    git('commit', '-q', '-m', 'begin');
    // As the store itself makes it.
    writeIn(store, { '.gitignore': '*\n' });
    const template = realpathSync(mkdtempSync(join(tmpdir(), 'worktree-test-')));
    cpSync(root, template, { recursive: true, preserveTimestamps: true });
    templates.set(key, template);
  } else {
    cpSync(before, root, { recursive: true, preserveTimestamps: true });
  }
  return {
    root,
    store,
    git,
    write: (more) => writeIn(root, more),
    look: () => ({
      head: readFileSync(join(root, '.git', 'HEAD'), 'utf8'),
      index: readFileSync(join(root, '.git', 'index')).toString('base64'),
      config: readFileSync(join(root, '.git', 'config'), 'utf8'),
      exclude: readFileSync(join(root, '.git', 'info', 'exclude'), 'utf8'),
      branches: git('for-each-ref')
        .split('\n')
        .filter((line) => !line.includes('refs/heads/statedsl/'))
        .join('\n'),
      status: git('--no-optional-locks', 'status', '--porcelain'),
      files: readdirSync(root).sort().join(' '),
    }),
  };
}

export function writeIn(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** Opens the worktree of the run, which has to work. */
export async function opened(one: TestRepository, more: Partial<OpenSpec> = {}): Promise<Worktree> {
  const answer = await openWorktree({ cwd: one.root, store: one.store, runId: RUN, ...more });
  if (answer.kind !== 'open') throw new Error(answer.refusal.message);
  expect(answer.kind).toBe('open');
  return answer.worktree;
}

/** A repository in which everything goes wrong that a user's own settings can make go wrong. */
export function difficultRepository(): TestRepository {
  const one = repository();
  for (const hook of [
    'pre-commit',
    'commit-msg',
    'post-commit',
    'post-checkout',
    'reference-transaction',
    'post-merge',
  ]) {
    writeIn(one.root, { [`.git/hooks/${hook}`]: '#!/bin/sh\necho no >&2\nexit 1\n' });
    chmodSync(join(one.root, '.git', 'hooks', hook), 0o755);
  }
  for (const [name, value] of [
    ['commit.gpgSign', 'true'],
    ['gpg.program', '/bin/false'],
    ['user.useConfigOnly', 'true'],
    ['core.safecrlf', 'true'],
    ['branch.autoSetupMerge', 'always'],
    ['merge.ff', 'only'],
    ['diff.external', '/bin/false'],
    ['diff.noprefix', 'true'],
    ['color.ui', 'always'],
    ['status.showUntrackedFiles', 'no'],
    ['core.fsmonitor', '/bin/false'],
  ] as const)
    one.git('config', name, value);
  return one;
}
