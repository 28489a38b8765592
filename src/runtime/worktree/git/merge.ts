/**
 * Merges branches. A merge is computed from commits alone and writes nothing before it is certain to succeed, so a
 * conflict leaves everything as it was.
 */
import type { Buffer } from 'node:buffer';
import { fillWorktree, gitTargetOf, moveBranch, tidyWorktree, type Worktree } from '../checkout.js';
import { listFiles } from '../refusal.js';
import { nameOf, namesIn, unquote } from './file-name.js';
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
    const { files: changed } = await change(run, one.base, one.tip);
    if (changed.some((file) => files.includes(file))) tasks.push(one.task);
  }
  const others = tasks.length === 0 ? 'the run' : `${tasks.length === 1 ? 'task' : 'tasks'} ${listFiles(tasks)}`;
  const message = `the changes of task \`${task}\` and ${others} conflict in ${listFiles(files)}`;
  return { tasks, message };
}

/**
 * The difference between two commits of a worktree, as a diff for people and as names of files. One call of git gives
 * both. The names come first, so that a diff of any size can be cut off after them.
 */
export interface CommitDifference {
  /** Unified diff with renames. For binary files it says only that they differ. Empty if nothing differs. */
  readonly diff: string;
  /** Paths from the root of the repository, sorted. Includes deleted files, and both names of a renamed file. */
  readonly files: readonly string[];
  /** The diff was longer than what is kept of it. `files` is complete. */
  readonly truncated: boolean;
}

/** The largest size of a value, in bytes. */
const DIFF_BYTES = 16 * 1024 * 1024;

/** Larger files count as binary, because their lines are not shown. Bytes. */
const CONFIG = ['core.bigFileThreshold=16m'];
const FORM = ['--raw', '-p', '-M', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty', '--no-color'];

/** The change from one commit to another. Rejects with a `GitFailure`. */
export async function change(worktree: Worktree, from: string, to: string): Promise<CommitDifference> {
  if (from === to) return { diff: '', files: [], truncated: false };
  return readChange(worktree, ['diff-tree', '-r', ...FORM, from, to]);
}

/** The change from a commit to the content of the private index. Rejects with a `GitFailure`. */
export async function stagedChange(worktree: Worktree, from: string): Promise<CommitDifference> {
  return readChange(worktree, ['diff-index', '--cached', ...FORM, from]);
}

async function readChange(worktree: Worktree, words: readonly string[]): Promise<CommitDifference> {
  const { stdout, truncated } = await git(gitTargetOf(worktree), words, { config: CONFIG, maxBytes: DIFF_BYTES });
  const names = new Set<string>();
  let at = 0;
  while (stdout[at] === 0x3a) {
    const end = stdout.indexOf(0x0a, at);
    if (end < 0) throw new GitFailure(`more than ${names.size} files changed, which is too many to list`, '');
    for (const name of namesOf(stdout.subarray(at, end))) names.add(name);
    at = end + 1;
  }
  // An empty line separates the names from the diff.
  const diff = stdout.subarray(Math.min(at + 1, stdout.length), truncated ? stdout.lastIndexOf(0x0a) + 1 : undefined);
  return { diff: diff.toString('utf8'), files: [...names].sort(), truncated: truncated };
}

/** The names in a line such as `:100644 100644 1a2b3c 4d5e6f R90<tab>old<tab>new`. */
function namesOf(line: Buffer): string[] {
  const names: string[] = [];
  for (let from = line.indexOf(9) + 1; from > 0; ) {
    const end = line.indexOf(9, from);
    names.push(nameOf(unquote(line.subarray(from, end < 0 ? undefined : end))));
    from = end + 1;
  }
  return names;
}
