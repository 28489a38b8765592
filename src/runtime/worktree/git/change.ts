/**
 * What differs between two commits of a worktree, as a person reads it and as names of files. One call of git gives
 * both: the names first, so that a diff of any size can be cut off behind them.
 */
import type { Buffer } from 'node:buffer';
import { gitTargetOf, type Worktree } from '../checkout.js';
import { nameOf, unquote } from './file-name.js';
import { GitFailure, git } from './git.js';

export interface Change {
  /** Unified diff with renames; of binary files it says that they differ. Empty when nothing does. */
  readonly diff: string;
  /** Sorted, from the root of the repository; also files that were deleted, and both names of a renamed one. */
  readonly files: readonly string[];
  /** The diff was longer than what is kept of it; `files` are all there. */
  readonly truncated: boolean;
}

/** As much as a value may hold. */
const DIFF_BYTES = 16 * 1024 * 1024;

/** Large files are told apart from text files, because nobody reads their lines. */
const CONFIG = ['core.bigFileThreshold=16m'];
const FORM = ['--raw', '-p', '-M', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty', '--no-color'];

/** The change from one commit to another. Rejects with a `GitFailure`. */
export async function change(worktree: Worktree, from: string, to: string): Promise<Change> {
  if (from === to) return { diff: '', files: [], truncated: false };
  return readChange(worktree, ['diff-tree', '-r', ...FORM, from, to]);
}

/** The change from a commit to what our index holds. Rejects with a `GitFailure`. */
export async function stagedChange(worktree: Worktree, from: string): Promise<Change> {
  return readChange(worktree, ['diff-index', '--cached', ...FORM, from]);
}

async function readChange(worktree: Worktree, words: readonly string[]): Promise<Change> {
  const { stdout, truncated } = await git(gitTargetOf(worktree), words, { config: CONFIG, maxBytes: DIFF_BYTES });
  const names = new Set<string>();
  let at = 0;
  while (stdout[at] === 0x3a) {
    const end = stdout.indexOf(0x0a, at);
    if (end < 0) throw new GitFailure(`more than ${names.size} files changed, which is too many to list`, '');
    for (const name of namesOf(stdout.subarray(at, end))) names.add(name);
    at = end + 1;
  }
  // An empty line parts the names from the diff.
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
