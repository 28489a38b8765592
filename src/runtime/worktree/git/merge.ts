/**
 * Merges branches. A merge is computed from commits alone and writes nothing before it is certain to succeed, so a
 * conflict leaves everything as it was.
 */
import { fillWorktree, gitTargetOf, moveBranch, tidyWorktree, type Worktree } from '../checkout.js';
import { listFiles } from '../refusal.js';
import { readDifference } from './commit-difference.js';
import { namesIn } from './file-name.js';
import { GitFailure, type GitTarget, git, wordOf } from './git.js';

/** The work of a task: the commits from `base` to `tip` on its own branch. */
export interface TaskBranch {
  readonly task: string;
  readonly base: string;
  readonly tip: string;
}

type Merged =
  | { readonly kind: 'merged'; readonly commit: string }
  | {
      readonly kind: 'conflict';
      /** Sorted, from the root of the repository. */
      readonly files: readonly string[];
      /** The task that could not be merged. */
      readonly task: string;
      /** Tasks merged earlier that changed these files. */
      readonly tasks: readonly string[];
      /** A clause with names in backticks. */
      readonly message: string;
    };

/**
 * Merges tasks, in their order, into the worktree of their run, which is at the commit `onto`. Returns the new commit of
 * the run. A task that is already merged changes nothing. Writes nothing before every merge is certain to succeed.
 */
export async function mergeTasks(
  run: Worktree,
  { onto, tasks }: { readonly onto: string; readonly tasks: readonly TaskBranch[] },
): Promise<Merged> {
  await tidyWorktree(run);
  let at = onto;
  for (const [index, task] of tasks.entries()) {
    const merged = await mergeCommits(gitTargetOf(run), at, task.tip, `merge task ${task.task}`);
    if (merged.kind === 'conflict')
      return {
        ...merged,
        task: task.task,
        ...(await conflictCause(run, task.task, merged.files, tasks.slice(0, index))),
      };
    at = merged.commit;
  }
  await moveBranch(run, at, `merge ${tasks.length === 1 ? '1 task' : `${tasks.length} tasks`}`);
  if (at !== onto) await fillWorktree(run, at);
  return { kind: 'merged', commit: at };
}

async function mergeCommits(
  target: GitTarget,
  ours: string,
  theirs: string,
  label: string,
): Promise<
  { readonly kind: 'merged'; readonly commit: string } | { readonly kind: 'conflict'; readonly files: string[] }
> {
  const common = wordOf(await git(target, ['merge-base', ours, theirs]));
  if (common === theirs) return { kind: 'merged', commit: ours };
  if (common === ours) return { kind: 'merged', commit: theirs };
  const result = await mergeTrees(target, ours, theirs);
  if (result.kind === 'conflict') return result;
  const commit = ['commit-tree', result.tree, '-p', ours, '-p', theirs, '-m', label];
  return { kind: 'merged', commit: wordOf(await git(target, commit)) };
}

/** The tree that results from merging two commits, or the files that conflict. Writes only objects. */
export async function mergeTrees(
  target: GitTarget,
  ours: string,
  theirs: string,
): Promise<{ readonly kind: 'tree'; readonly tree: string } | { readonly kind: 'conflict'; readonly files: string[] }> {
  const form = ['--write-tree', '-z', '--name-only', '--no-messages'];
  const done = await git(target, ['merge-tree', ...form, ours, theirs], { ok: [0, 1] });
  const [tree = '', ...files] = namesIn(done.stdout);
  if (done.exit === 0) return { kind: 'tree', tree };
  if (!/^[0-9a-f]{40,64}$/.test(tree)) throw new GitFailure(`\`git merge-tree\` failed: ${done.stderr.trim()}`, '');
  return { kind: 'conflict', files: [...new Set(files)].sort() };
}

/** The tasks whose changes conflict in these files. */
async function conflictCause(
  run: Worktree,
  task: string,
  files: readonly string[],
  earlier: readonly TaskBranch[],
): Promise<{ readonly tasks: string[]; readonly message: string }> {
  const tasks: string[] = [];
  for (const one of earlier) {
    const { files: changed } = await readDifference(run, one.base, one.tip);
    if (changed.some((file) => files.includes(file))) tasks.push(one.task);
  }
  const others = tasks.length === 0 ? 'the run' : `${tasks.length === 1 ? 'task' : 'tasks'} ${listFiles(tasks)}`;
  const message = `the changes of task \`${task}\` and ${others} conflict in ${listFiles(files)}`;
  return { tasks, message };
}
