/**
 * The worktree of a run and those of its parallel tasks, from the first time to the last. Everything here can be asked
 * for again after a crash: what is there is taken up, what is half there is made anew.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  createCheckout,
  fillWorktree,
  moveBranch,
  placeOf,
  readRecord,
  removeLocks,
  tidyWorktree,
  type Worktree,
  type WorktreeRecord,
  worktreeOf,
  worktreesFolder,
} from './checkout.js';
import { git, wordOf } from './git.js';
import { stopLeftCalls } from './left-calls.js';
import type { Refusal } from './refusal.js';
import { findRepository, type Refused, type Repository, realStore, uncommitted } from './repository.js';

export interface OpenSpec {
  /** Where the run was started, anywhere in a checkout. */
  readonly cwd: string;
  /** Folder of the store. */
  readonly store: string;
  readonly runId: string;
  /** A commit to begin at instead of the one that is checked out; then uncommitted files do not matter. */
  readonly at?: string;
}

export type Opened = { readonly kind: 'open'; readonly worktree: Worktree } | Refused;

/** Opens the worktree of a run, and makes it when there is none. Rejects with a `GitFailure` or a `StoreError`. */
export async function openWorktree({ cwd, store, runId, at }: OpenSpec): Promise<Opened> {
  const directory = realStore(store);
  const record = readRecord(directory, runId);
  if (record !== null) return takeUp(directory, runId, record);
  const found = await findRepository(cwd);
  if (found.kind === 'refused') return found;
  const { repository } = found;
  const refusal = at === undefined ? await uncommitted(repository, directory) : null;
  if (refusal !== null) return { kind: 'refused', refusal };
  const { base, tree } = await beginning(repository, at);
  const { commonDir, prefix } = repository;
  await stopLeftCalls(join(worktreesFolder(directory), runId));
  const worktree = await createCheckout({ store: directory, name: runId, commonDir, prefix, base, tree });
  return { kind: 'open', worktree };
}

async function beginning(
  { root, head, tree }: Repository,
  at: string | undefined,
): Promise<{ base: string; tree: string }> {
  if (at === undefined) return { base: head, tree };
  const done = await git({ cwd: root }, ['rev-parse', `${at}^{commit}`, `${at}^{tree}`]);
  const [base = '', treeAt = ''] = wordOf(done).split('\n');
  return { base, tree: treeAt };
}

/**
 * A worktree for one task of a run, on a branch of its own that begins at `base`. `task` is any text that is its own for
 * each task. One that exists is given as it is, with whatever an interrupted attempt left in it.
 */
export async function forkWorktree(
  run: Worktree,
  {
    store,
    runId,
    task,
    base,
  }: { readonly store: string; readonly runId: string; readonly task: string; readonly base: string },
): Promise<Opened> {
  const directory = realStore(store);
  const name = taskName(runId, task);
  const record = readRecord(directory, name);
  if (record !== null) return takeUp(directory, name, record);
  const { commonDir } = run;
  const prefix = run.cwd.slice(run.root.length + 1);
  const done = await git(placeOf(run), ['rev-parse', '--verify', `${base}^{tree}`]);
  await stopLeftCalls(join(worktreesFolder(directory), name));
  const spec = { store: directory, name, commonDir, prefix, base, tree: wordOf(done) };
  return { kind: 'open', worktree: await createCheckout(spec) };
}

/** The name of a task's worktree, which begins with that of its run. A part of it is for people; the digest keeps tasks apart. */
export function taskName(runId: string, task: string): string {
  const readable = task.replace(/[^A-Za-z0-9_]+/g, '-').replace(/^-|-$/g, '');
  const digest = createHash('sha256').update(task).digest('hex').slice(0, 8);
  return `${runId}--${readable.slice(0, 40)}-${digest}`;
}

async function takeUp(store: string, name: string, record: WorktreeRecord): Promise<Opened> {
  const worktree = worktreeOf(record);
  const { root, commonDir, branch } = worktree;
  await stopLeftCalls(root);
  if (!existsSync(commonDir)) return { kind: 'refused', refusal: lost(worktree) };
  if (existsSync(root) && existsSync(join(worktree.gitDir, 'statedsl-index'))) {
    removeLocks(worktree);
    await tidyWorktree(worktree);
    mkdirSync(worktree.cwd, { recursive: true });
    return { kind: 'open', worktree };
  }
  // The folder was removed, but the work is on the branch.
  const tip = await git(
    { cwd: commonDir, gitDir: commonDir },
    ['rev-parse', '--verify', '-q', `refs/heads/${branch}`],
    {
      ok: [0, 1],
    },
  );
  if (tip.exit !== 0) return { kind: 'refused', refusal: lost(worktree) };
  const prefix = worktree.cwd.slice(root.length + 1);
  const { base, tree } = record;
  const fresh = await createCheckout({ store, name, commonDir, prefix, base, tree });
  await moveBranch(fresh, wordOf(tip), 'made again');
  await fillWorktree(fresh, wordOf(tip));
  return { kind: 'open', worktree: fresh };
}

function lost({ root, branch }: Worktree): Refusal {
  const message = `the worktree \`${root}\` of this run and its branch \`${branch}\` are gone`;
  return { kind: 'lost', message, help: 'start the run again, or use `--worktree=off`' };
}
