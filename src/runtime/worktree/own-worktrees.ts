/**
 * Which entries of `worktrees/` are worktrees of runs. The folder may hold anything, a checkout that a person made or a
 * link that came with a repository, so an entry counts only by its name and by what our own record of it says, or by the
 * repository whose worktree it is.
 */
import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { entryAt, isOwnFolder, readOwn } from '../store/own-file.js';
import { errorCode, storeError } from '../store/store-error.js';
import { branchOf, readRecord, worktreesFolder } from './checkout.js';

/** An id of a run, and behind it the name of a task. */
const NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(--[A-Za-z0-9_-]+)?$/;

export interface OwnWorktree {
  readonly name: string;
  readonly runId: string;
  readonly root: string;
  readonly branch: string;
  /** The repository it belongs to; null where nothing says so: then there is only a record that was begun. */
  readonly commonDir: string | null;
}

/** All worktrees of runs, also those made by half; those of tasks come before that of their run. Throws a `StoreError`. */
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

/** The worktree of a name, or null where what is there was not made for a run. */
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
  // Making one begins with a folder and ends with a record that is renamed: neither holds any work.
  const draft = entryAt(`${root}.json.new`)?.isFile() === true;
  return (there === null && draft) || (there !== null && isEmpty(root)) ? { ...known, commonDir: null } : null;
}

/** The repository that a folder without a record is a worktree of: both have to say so. */
export function linkedRepository(root: string): string | null {
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
