/**
 * Which entries of `worktrees/` are worktrees of runs. The folder may hold anything, such as a checkout of the user or a
 * link that came with a repository. So an entry counts only by its name together with its record, or together with the
 * repository that lists it as a worktree.
 */
import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { entryAt, isOwnFolder, readOwn } from '../store/own-file.js';
import { errorCode, storeError } from '../store/store-error.js';
import { branchOf, readRecord, worktreesFolder } from './checkout.js';

/** The id of a run, optionally followed by the name of a task. */
const NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(--[A-Za-z0-9_-]+)?$/;

export interface OwnWorktree {
  readonly name: string;
  readonly runId: string;
  readonly root: string;
  readonly branch: string;
  /** The repository to which it belongs; null if nothing names it: then only its record was begun. */
  readonly commonDir: string | null;
}

/** All worktrees of runs, including incomplete ones. Those of tasks come before that of their run. Throws a `StoreError`. */
export function ownWorktrees(store: string): OwnWorktree[] {
  const folder = worktreesFolder(store);
  if (!isOwnFolder(folder)) return [];
  let files: string[];
  try {
    files = readdirSync(folder);
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return [];
    throw storeError('read', folder, cause);
  }
  const names = new Set(files.map((file) => file.replace(/\.json(\.new)?$/, '')));
  return [...names]
    .sort((a, b) => b.length - a.length)
    .map((name) => ownWorktree(store, name))
    .filter((one) => one !== null);
}

/** The worktree of a name; null if what is there was not made for a run. */
export function ownWorktree(store: string, name: string): OwnWorktree | null {
  const runId = NAME.exec(name)?.[1];
  const root = join(worktreesFolder(store), name);
  const there = entryAt(root);
  if (runId === undefined || (there !== null && !there.isDirectory())) return null;
  const record = entryAt(`${root}.json`)?.isFile() === true ? readRecord(store, name) : null;
  const branch = branchOf(name);
  const known = { name, runId, root, branch };
  if (record?.branch === branch && basename(record.root) === name) return { ...known, commonDir: record.commonDir };
  const commonDir = linkedRepository(root);
  if (commonDir !== null) return { ...known, commonDir };
  // Making a worktree begins with a folder and ends with renaming a record: until then there is no work in it.
  const draft = entryAt(`${root}.json.new`)?.isFile() === true;
  return (there === null && draft) || (there !== null && isEmpty(root)) ? { ...known, commonDir: null } : null;
}

/** The repository of a worktree without a record: the folder and the repository must name each other. */
function linkedRepository(root: string): string | null {
  try {
    const gitDir = resolve(root, pointer(join(root, '.git')).replace(/^gitdir: /, ''));
    if (!isOwnFolder(gitDir) || pointer(join(gitDir, 'gitdir')) !== join(root, '.git')) return null;
    return basename(dirname(gitDir)) === 'worktrees' ? dirname(dirname(gitDir)) : null;
  } catch {
    return null;
  }
}

function pointer(path: string): string {
  return readOwn(path).toString('utf8').replace(/\n$/, '');
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return false;
  }
}
