/**
 * Opens the worktree of a run and those of its parallel tasks. Every operation can be repeated after a crash: it uses
 * what exists and makes again what is incomplete.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  branchOf,
  createCheckout,
  fillWorktree,
  gitTargetOf,
  looseBranch,
  moveBranch,
  readRecord,
  removeLocks,
  tidyWorktree,
  type Worktree,
  type WorktreeRecord,
  worktreeOf,
  worktreesFolder,
} from './checkout.js';
import { type GitTarget, git, stopLeftCalls, wordOf } from './git/git.js';
import {
  blockedBranches,
  type FoundRepository,
  findRepository,
  type RefusedRepository,
  type Repository,
  realStore,
  uncommittedRefusal,
} from './git/repository.js';
import type { WorktreeRefusal } from './refusal.js';

export interface OpenSpec {
  /** The folder in which the run was started, anywhere in a checkout. */
  readonly cwd: string;
  /** Folder of the store. */
  readonly store: string;
  readonly runId: string;
  /** The commit to start from instead of the one that is checked out; uncommitted files then do not matter. */
  readonly at?: string;
  /** The repository of `cwd`, if the caller has already found that everything is committed. */
  readonly repository?: Repository;
}

type Opened =
  | {
      readonly kind: 'open';
      readonly worktree: Worktree;
      /** Whether it is new and equals the commit from which it was created. */
      readonly made: boolean;
    }
  | RefusedRepository;

/** Opens the worktree of a run, or makes it. Rejects with a `GitFailure` or a `StoreError`. */
export async function openWorktree({ cwd, store, runId, at, ...given }: OpenSpec): Promise<Opened> {
  const directory = realStore(store);
  const record = readRecord(directory, runId);
  if (record !== null) return reopenRecorded(directory, runId, record);
  const found =
    given.repository === undefined
      ? await usableRepository(cwd, directory, at === undefined)
      : { kind: 'found' as const, repository: given.repository };
  if (found.kind === 'refused') return found;
  const { repository } = found;
  const { commonDir, prefix, root } = repository;
  const from = at === undefined ? { base: repository.head, tree: repository.tree } : await commitAt({ cwd: root }, at);
  if (from === null) return { kind: 'refused', refusal: absentRefusal(root, at ?? '') };
  const { base, tree } = from;
  await stopLeftCalls(join(worktreesFolder(directory), runId));
  const worktree = await createCheckout({ store: directory, name: runId, commonDir, prefix, base, tree });
  return { kind: 'open', worktree, made: true };
}

/** The repository for the worktree of a run in `cwd`, or why it can have none. */
export async function usableRepository(cwd: string, store: string, committed = true): Promise<FoundRepository> {
  const found = await findRepository(cwd);
  if (found.kind === 'refused') return found;
  const blocked = blockedBranches(found.repository);
  if (blocked !== null) return { kind: 'refused', refusal: blocked };
  if (!committed) return found;
  const refusal = await uncommittedRefusal(found.repository, realStore(store));
  return refusal === null ? found : { kind: 'refused', refusal };
}

/** The worktree of a run that was started with one. */
export async function reopenWorktree(store: string, runId: string): Promise<Opened> {
  return reopenByName(realStore(store), runId);
}

/** The worktrees of its tasks. */
export async function reopenTasks(store: string, runId: string): Promise<Worktree[]> {
  const directory = realStore(store);
  const worktrees: Worktree[] = [];
  for (const file of readdirSync(worktreesFolder(directory))) {
    if (!file.startsWith(`${runId}--`) || !file.endsWith('.json')) continue;
    const opened = await reopenByName(directory, file.slice(0, -'.json'.length));
    // Its content is gone with its branch, unless it was merged before.
    if (opened.kind === 'open') worktrees.push(opened.worktree);
  }
  return worktrees;
}

async function reopenByName(store: string, name: string): Promise<Opened> {
  const record = readRecord(store, name);
  if (record !== null) return reopenRecorded(store, name, record);
  return {
    kind: 'refused',
    refusal: lostRefusal({ root: join(worktreesFolder(store), name), branch: branchOf(name) }),
  };
}

/** The folder of a run in its repository: `''` or a relative path. */
function prefixOf({ cwd, root }: Pick<Worktree, 'cwd' | 'root'>): string {
  return cwd.slice(root.length + 1);
}

/** The commit of the branch of a worktree. */
export async function branchCommit(worktree: Worktree): Promise<string> {
  const loose = looseBranch(worktree);
  if (loose !== null) return loose;
  return wordOf(await git(gitTargetOf(worktree), ['rev-parse', '--verify', `refs/heads/${worktree.branch}`]));
}

/** Null: the repository does not have the commit. */
async function commitAt(target: GitTarget, commit: string): Promise<{ base: string; tree: string } | null> {
  const done = await git(target, ['rev-parse', '--verify', '-q', `${commit}^{tree}`], { ok: [0, 1] });
  return done.exit === 0 ? { base: commit, tree: wordOf(done) } : null;
}

/** The run that is replayed has worked in another repository. */
function absentRefusal(repository: string, commit: string): WorktreeRefusal {
  const message = `the repository \`${repository}\` does not have the commit \`${commit.slice(0, 12)}\` with the files of that point`;
  return { kind: 'lost', message, help: 'fetch the branch of the run first: `git fetch REPOSITORY statedsl/RUN`' };
}

/**
 * A worktree for one task of a run, on its own branch from `base`. `task` is any text that is unique for each task.
 * Returns an existing worktree as it is, with what an interrupted attempt left in it, unless it started from another
 * commit: then it belonged to the same task of an earlier round and is replaced.
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
  if (record !== null && record.base === base) return reopenRecorded(directory, name, record);
  const { commonDir } = run;
  const prefix = prefixOf(run);
  const from = await commitAt(gitTargetOf(run), base);
  if (from === null) return { kind: 'refused', refusal: absentRefusal(commonDir, base) };
  await stopLeftCalls(join(worktreesFolder(directory), name));
  const spec = { store: directory, name, commonDir, prefix, ...from };
  return { kind: 'open', worktree: await createCheckout(spec), made: true };
}

/** The name of a task's worktree: the run's name, a readable part, and a digest that makes it unique. */
export function taskName(runId: string, task: string): string {
  const readable = task.replace(/[^A-Za-z0-9_]+/g, '-').replace(/^-|-$/g, '');
  const digest = createHash('sha256').update(task).digest('hex').slice(0, 8);
  return `${runId}--${readable.slice(0, 40)}-${digest}`;
}

async function reopenRecorded(store: string, name: string, record: WorktreeRecord): Promise<Opened> {
  const worktree = worktreeOf(record);
  const { root, commonDir, branch } = worktree;
  await stopLeftCalls(root);
  if (!existsSync(commonDir)) return { kind: 'refused', refusal: lostRefusal(worktree) };
  if (existsSync(root) && existsSync(join(worktree.gitDir, 'statedsl-index'))) {
    removeLocks(worktree);
    await tidyWorktree(worktree);
    mkdirSync(worktree.cwd, { recursive: true });
    return { kind: 'open', worktree, made: false };
  }
  // The folder was removed, but the work is on the branch.
  const tip = await git(
    { cwd: commonDir, gitDir: commonDir },
    ['rev-parse', '--verify', '-q', `refs/heads/${branch}`],
    {
      ok: [0, 1],
    },
  );
  if (tip.exit !== 0) return { kind: 'refused', refusal: lostRefusal(worktree) };
  const prefix = prefixOf(worktree);
  const { base, tree } = record;
  const fresh = await createCheckout({ store, name, commonDir, prefix, base, tree });
  await moveBranch(fresh, wordOf(tip), 'made again');
  await fillWorktree(fresh, wordOf(tip));
  return { kind: 'open', worktree: fresh, made: false };
}

function lostRefusal({ root, branch }: Pick<Worktree, 'root' | 'branch'>): WorktreeRefusal {
  const message = `the worktree \`${root}\` of this run and its branch \`${branch}\` are gone`;
  return { kind: 'lost', message, help: 'start the run again, or use `--worktree=off`' };
}
