/**
 * The difference between two commits of a worktree, as a diff for people and as names of files. One call of git gives both.
 * The names come first, so that a diff of any size can be cut off after them.
 */
import type { Buffer } from 'node:buffer';
import { gitTargetOf, type Worktree } from '../checkout.js';
import { nameOf, unquote } from './file-name.js';
import { GitFailure, git } from './git.js';

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
export async function readDifference(worktree: Worktree, from: string, to: string): Promise<CommitDifference> {
  if (from === to) return { diff: '', files: [], truncated: false };
  return callGit(worktree, ['diff-tree', '-r', ...FORM, from, to]);
}

/** The change from a commit to the content of the private index. Rejects with a `GitFailure`. */
export async function readStagedDifference(worktree: Worktree, from: string): Promise<CommitDifference> {
  return callGit(worktree, ['diff-index', '--cached', ...FORM, from]);
}

async function callGit(worktree: Worktree, words: readonly string[]): Promise<CommitDifference> {
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
