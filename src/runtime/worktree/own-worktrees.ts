/**
 * Which entries of `worktrees/` are worktrees of runs. The folder may hold anything, such as a checkout of the user or a
 * link that came with a repository. So an entry counts only by its name together with its record, or together with the
 * repository that lists it as a worktree.
 */
import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { entryAt, isOwnFolder, readOwn } from '../store/own-file.js';
import { errorCode, storeError } from '../store/store-error.js';
import { branchOf, pointsBack, readRecord, worktreesFolder } from './checkout.js';

/** The id of a run, optionally followed by the name of a task. */
const NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(--[A-Za-z0-9_-]+)?$/;

export interface OwnWorktree {
  readonly name: string;
  readonly runId: string;
  readonly root: string;
  readonly branch: string;
  /** The repository to which it belongs; null if none says so: then nothing but the folder and its record is removed. */
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
  if (record?.branch === branch && basename(record.root) === name)
    return { ...known, commonDir: pointsBack(root, record) ? record.commonDir : null };
  const commonDir = linkedRepository(root);
  if (commonDir !== null) return { ...known, commonDir };
  // Making a worktree begins with a folder and ends with renaming a record: until then there is no work in it.
  const draft = entryAt(`${root}.json.new`)?.isFile() === true;
  return (there === null && draft) || (there !== null && isEmpty(root)) ? { ...known, commonDir: null } : null;
}

/** The repository of a worktree without a record: the folder and the repository must name each other. */
function linkedRepository(root: string): string | null {
  try {
    const link = readOwn(join(root, '.git')).toString('utf8');
    const gitDir = resolve(root, link.replace(/^gitdir: /, '').replace(/\n$/, ''));
    const commonDir = dirname(dirname(gitDir));
    return pointsBack(root, { gitDir, commonDir }) ? commonDir : null;
  } catch {
    return null;
  }
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return false;
  }
}
