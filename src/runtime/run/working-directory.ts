/**
 * The working directory of a run: the directory in which it was started, or its own worktree. Git is loaded only for runs
 * with a worktree. A worktree is made before the folder of the run, and is found by the run's id.
 */
import { relative, resolve } from 'node:path';
import type { EffectRequest } from '../../interpreter/request.js';
import type { FixedOptions } from '../store/run-header.js';
import { errorCode, RunRefused, reasonOf, StoreError } from '../store/store-error.js';
import { makeStore } from '../store/store-ownership.js';
import type { Worktree } from '../worktree/checkout.js';
import type { Repository } from '../worktree/git/repository.js';
import type { RunWorktrees } from '../worktree/run-worktrees.js';
import type { Commits } from './worktree-record.js';

/** Why a worktree cannot be made. */
interface WorkingDirectoryRefused {
  readonly reason: string;
}

/** Makes the worktree of a new run. `asked` may be its repository, if the caller has already examined it. */
export async function newWorktree(
  asked: true | Repository,
  { cwd, dir, runId }: { readonly cwd: string; readonly dir: string | undefined; readonly runId: string },
): Promise<RunWorktrees | WorkingDirectoryRefused> {
  if (dir === undefined) return { reason: 'a run with a worktree must be stored: pass the option `dir`' };
  const [{ openWorktree }, { runWorktrees }, { GitFailure }] = await Promise.all([
    import('../worktree/worktree.js'),
    import('../worktree/run-worktrees.js'),
    import('../worktree/git/git.js'),
  ]);
  try {
    makeStore(dir);
    const known = asked === true ? {} : { repository: asked };
    const opened = await openWorktree({ cwd, store: dir, runId, ...known });
    if (opened.kind === 'refused') return { reason: `${opened.refusal.message}; ${opened.refusal.help}` };
    return runWorktrees(opened.worktree, { store: dir, runId, fresh: opened.made });
  } catch (cause) {
    if (cause instanceof GitFailure || cause instanceof StoreError || cause instanceof RunRefused)
      return { reason: cause.message };
    if (errorCode(cause) === '') throw cause;
    return { reason: `cannot create the worktree: ${reasonOf(cause)}` };
  }
}

/**
 * The worktree of a run that is resumed. Restores the files that repeated calls of agents have changed. Null if the run
 * has none. Rejects with a `RunRefused` if it was removed.
 */
export async function knownWorktree(
  worktree: FixedOptions['worktree'],
  { dir, runId, again }: { readonly dir: string; readonly runId: string; readonly again: readonly EffectRequest[] },
): Promise<RunWorktrees | null> {
  if (worktree === undefined) return null;
  const [{ reopenWorktree, reopenTasks }, { runWorktrees }, { restoreCall }] = await Promise.all([
    import('../worktree/worktree.js'),
    import('../worktree/run-worktrees.js'),
    import('../worktree/restore-call.js'),
  ]);
  return withGit(async () => {
    const opened = await reopenWorktree(dir, runId);
    if (opened.kind === 'refused') throw new RunRefused('unusable', opened.refusal.message, opened.refusal.help);
    const tasks = await reopenTasks(dir, runId);
    const worktrees = runWorktrees(opened.worktree, { store: dir, runId, fresh: false, tasks });
    const { cwd } = worktrees.main;
    const calls = again.filter((request) => request.kind === 'agent');
    for (const folder of new Set(calls.map(({ directory = cwd }) => directory)))
      await restoreCall(
        worktrees.at(folder),
        calls.filter(({ directory = cwd }) => directory === folder),
      );
    return worktrees;
  });
}

/**
 * The working directory of a run that is resumed. `before` is where it was started, `given` where it should continue; in a
 * worktree it is the corresponding folder. Throws a `RunRefused`.
 */
export function directoryIn(worktrees: RunWorktrees | null, before: string, given: string | undefined): string {
  const wanted = given === undefined ? before : resolve(given);
  if (worktrees === null) return wanted;
  const { root, cwd } = worktrees.main;
  const corresponding = resolve(cwd, relative(before, wanted));
  for (const folder of [wanted, corresponding]) if (folder === root || folder.startsWith(`${root}/`)) return folder;
  throw new RunRefused(
    'wrong-use',
    `the worktree \`${root}\` of the run has no directory for \`${wanted}\``,
    'leave out `--cwd`',
  );
}

/** The commit of each worktree of another run, at the point from which a new run continues. */
export interface WorktreeCommits {
  readonly base: string;
  readonly commits: Readonly<Commits>;
}

/** The worktrees of a new run, at the commits of those of another run. Rejects with a `RunRefused`. */
export async function copiedWorktree(
  { base, commits }: WorktreeCommits,
  { cwd, dir, runId }: { readonly cwd: string; readonly dir: string; readonly runId: string },
): Promise<RunWorktrees> {
  const [{ openWorktree, forkWorktree }, { runWorktrees }] = await Promise.all([
    import('../worktree/worktree.js'),
    import('../worktree/run-worktrees.js'),
  ]);
  return withGit(async () => {
    const opened = await openWorktree({ cwd, store: dir, runId, at: commits.get(null) ?? base });
    if (opened.kind === 'refused') throw new RunRefused('unusable', opened.refusal.message, opened.refusal.help);
    const tasks: Worktree[] = [];
    for (const [task, commit] of commits) {
      if (task === null) continue;
      const forked = await forkWorktree(opened.worktree, { store: dir, runId, task, base: commit });
      if (forked.kind === 'refused') throw new RunRefused('unusable', forked.refusal.message, forked.refusal.help);
      tasks.push(forked.worktree);
    }
    return runWorktrees(opened.worktree, { store: dir, runId, fresh: true, tasks });
  });
}

async function withGit<T>(action: () => Promise<T>): Promise<T> {
  const { GitFailure } = await import('../worktree/git/git.js');
  try {
    return await action();
  } catch (cause) {
    if (cause instanceof GitFailure) throw new RunRefused('unusable', cause.message);
    if (cause instanceof RunRefused || errorCode(cause) === '') throw cause;
    throw new RunRefused('unusable', `cannot use the worktree: ${reasonOf(cause)}`);
  }
}
