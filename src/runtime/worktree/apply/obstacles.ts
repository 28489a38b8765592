/**
 * Files of the user that writing a merge into their checkout would destroy, and how to tell them from files that an
 * earlier try has written.
 */
import type { Buffer } from 'node:buffer';
import { dirname, join } from 'node:path';
import { namesIn } from '../git/file-name.js';
import { type GitPlace, git } from '../git/git.js';
import { bytesOf, statOf } from '../git/on-disk.js';

export interface ChangedFile {
  /** A letter of git: A for added, D for deleted, M for modified, T for another type. */
  readonly status: string;
  readonly name: string;
}

/** What differs between two commits or trees. */
export async function changedFiles(place: GitPlace, from: string, to: string): Promise<ChangedFile[]> {
  const done = await git(place, ['diff-tree', '-r', '-z', '--no-renames', '--name-status', from, to]);
  const words = namesIn(done.stdout);
  return words.flatMap((name, index) => (index % 2 === 0 ? [] : [{ status: words[index - 1] as string, name }]));
}

/**
 * Files in the way of new ones. The checkout has no uncommitted changes, so they are untracked or ignored, and git itself
 * overwrites ignored files without a word.
 */
export function inTheWay(root: string, changed: readonly ChangedFile[]): string[] {
  const gone = new Set(changed.filter(({ status }) => status === 'D').map(({ name }) => name));
  const found = new Set<string>();
  for (const { status, name } of changed) {
    if (status !== 'A') continue;
    for (let path = name; path !== '.'; path = dirname(path)) {
      const stat = statOf(join(root, path));
      if (stat === null || gone.has(path)) continue;
      const clear = stat.isDirectory() && (path !== name || [...gone].some((one) => one.startsWith(`${name}/`)));
      if (!clear) found.add(path);
      break;
    }
  }
  return [...found].sort();
}

/** Those of some files that an application cut short cannot have left as they are. */
export async function notWritten(
  place: GitPlace,
  commit: string,
  names: readonly string[],
  changed: readonly ChangedFile[],
): Promise<string[]> {
  const statuses = new Map(changed.map(({ name, status }) => [name, status]));
  const foreign: string[] = [];
  for (const name of names) {
    const status = statuses.get(name);
    const found = bytesOf(join(place.cwd, name));
    // Git removes a file before it writes the new one, and may have been stopped while it wrote.
    const left = found === null || (status !== 'D' && (await isBeginning(place, commit, name, found)));
    if (status === undefined || !left) foreign.push(name);
  }
  return foreign;
}

async function isBeginning(place: GitPlace, commit: string, name: string, found: Buffer): Promise<boolean> {
  const { stdout } = await git(place, ['cat-file', '--filters', `${commit}:${name}`]);
  return stdout.subarray(0, found.length).equals(found);
}
