/** Files of the user that writing a merge into their checkout would destroy. */
import { dirname, join } from 'node:path';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { namesIn } from '../git/file-name.js';
import { type GitTarget, git } from '../git/git.js';
import { statOf } from '../git/on-disk.js';
import { type Refused, type Repository, uncommittedFiles } from '../git/repository.js';
import { listFiles, type Refusal } from '../refusal.js';

export interface ChangedFile {
  /** A letter of git: A for added, D for deleted, M for modified, T for another type. */
  readonly status: string;
  readonly name: string;
  /** The new mode and object; zeros if it is deleted. */
  readonly mode: string;
  readonly object: string;
}

/** What differs between two commits or trees. */
export async function changedFiles(target: GitTarget, from: string, to: string): Promise<ChangedFile[]> {
  const done = await git(target, ['diff-tree', '-r', '-z', '--no-renames', '--no-abbrev', '--raw', from, to]);
  const words = namesIn(done.stdout);
  const changed: ChangedFile[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    // Such as `:100644 100644 1a2b… 4d5e… M`.
    const [, mode = '', , object = '', status = ''] = (words[at] as string).split(' ');
    changed.push({ status, name: words[at + 1] as string, mode, object });
  }
  return changed;
}

/** Files that the user changed or that new files would overwrite; null if there are none. */
export async function obstacleTo(
  repository: Repository,
  store: string,
  changed: readonly ChangedFile[],
): Promise<Refused | null> {
  const names = changed.map(({ name }) => name);
  const differing = filesInTheWay(await uncommittedFiles(repository, store, 'tracked'), names);
  if (differing.length > 0) return notCommitted(differing);
  const blocked = inTheWay(repository.root, changed);
  return blocked.length > 0 ? refuseOverwriting(blocked) : null;
}

/** The files that are among `others`, are in folders of these names, or are folders that hold some of them. */
function filesInTheWay(files: readonly string[], others: readonly string[]): string[] {
  const taken = new Set(others);
  const folders = new Set(others.flatMap(foldersAbove));
  return files.filter(
    (name) => taken.has(name) || folders.has(name) || foldersAbove(name).some((one) => taken.has(one)),
  );
}

function foldersAbove(name: string): string[] {
  const folders: string[] = [];
  for (let path = dirname(name); path !== '.'; path = dirname(path)) folders.push(path);
  return folders;
}

/** Untracked and ignored files at the paths of new files: git itself overwrites ignored files silently. */
function inTheWay(root: string, changed: readonly ChangedFile[]): string[] {
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

export function refuse(kind: Refusal['kind'], message: string, help: string, files?: readonly string[]): Refused {
  return { kind: 'refused', refusal: { kind, message, help, ...omitUndefined({ files }) } };
}

function notCommitted(files: readonly string[]): Refused {
  const message = `${listFiles(files)} ${files.length === 1 ? 'is' : 'are'} not committed, and the run changed ${files.length === 1 ? 'it' : 'them'} too`;
  return refuse('uncommitted', message, 'commit or stash them first', files);
}

function refuseOverwriting(files: readonly string[]): Refused {
  const message = `${listFiles(files)} would be overwritten: the run created ${files.length === 1 ? 'it' : 'them'} too`;
  return refuse('in-the-way', message, 'move or remove them first', files);
}
