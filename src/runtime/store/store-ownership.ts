/**
 * Who made a store. Its files decide which commands run, which processes are stopped and which folders are removed, so
 * statedsl acts only on a store that this user made: not on another user's, and not on one that came with a cloned
 * repository. Reading a record requires less; see `refuseLinks`.
 */
import { chmodSync, existsSync, readFileSync, realpathSync, type Stats, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { entryAt, makeFolder } from './own-file.js';
import { errorCode, RunRefused } from './store-error.js';
import { refuseLinks, SERVICE_PARTS, SHARED_PARTS } from './stored-run.js';

/** Only the owner may read a store: inputs and outputs of runs are private. */
const PRIVATE = 0o700;

/** Makes the folder of a store if it does not exist, and makes git ignore it. Throws the system's error or a `RunRefused`. */
export function makeStore(directory: string): void {
  const there = entryAt(directory);
  const isOurs = there === null || basename(directory) === '.statedsl';
  if (there === null) makeFolder(directory, PRIVATE);
  else refuseLinks(directory);
  if (!isOurs) return;
  // What runs record is for their user alone. A folder that the user chose keeps its mode.
  if (there?.isDirectory() && (there.mode & 0o077) !== 0 && isOwn(there)) chmodSync(directory, PRIVATE);
  const ignore = join(directory, '.gitignore');
  if (existsSync(ignore)) return;
  try {
    writeFileSync(ignore, '*\n', { flag: 'wx' });
  } catch (cause) {
    if (errorCode(cause) !== 'EEXIST') throw cause;
  }
}

/**
 * Refuses a store that this user did not make, before acting on it: files of another user, files that git tracks, and
 * links that lead elsewhere. `runId`: the run in question. Rejects with a `RunRefused`.
 */
export async function requireOwnStore(directory: string, runId: string | null = null): Promise<void> {
  refuseLinks(directory);
  for (const part of [...PARTS, ...(runId === null ? [] : [join('runs', runId)])]) {
    const path = join(directory, part);
    const stats = entryAt(path);
    if (stats === null || isOwn(stats)) continue;
    const help = `run statedsl as the user with id ${stats.uid}, or choose another store with \`--dir\``;
    throw new RunRefused('foreign', `the store \`${directory}\` is not used: another user owns \`${path}\``, help);
  }
  if (entryAt(directory) === null) return;
  const store = resolve(directory);
  const asked = known.get(store) ?? trackedFile(store);
  known.set(store, asked);
  const tracked = await asked;
  if (tracked === null) return;
  known.delete(store);
  throw new RunRefused('foreign', `the store \`${directory}\` is not used: ${tracked}`, HELP);
}

/** The store itself, and what decides about its runs. */
const PARTS = ['', 'runs', 'worktrees', 'runs/index.ndjson', 'service', ...SERVICE_PARTS, ...SHARED_PARTS];

/**
 * Whether `requireOwnStore` must decide about a store before a run begins in it. Starts no process, because a new run reads
 * no other: git needs asking only if the list of files that it tracks mentions runs, what they share, or what the service keeps.
 */
export function mayBeForeign(directory: string): boolean {
  const parts = ['runs', 'service', ...SHARED_PARTS];
  if (parts.every((part) => entryAt(join(directory, part)) === null)) return false;
  for (const part of PARTS) {
    const stats = entryAt(join(directory, part));
    if (stats !== null && !isOwn(stats)) return true;
  }
  const checkout = checkoutOf(directory);
  return checkout !== null && tracksRuns(join(checkout, '.git'));
}

/** Ids of runs begin with 0. In some formats of git's list, a path is cut at a part that the path before it has, too. */
const TRACKED = ['runs/0', ...SERVICE_PARTS, 'memo/', 'trials/0', 'budget/', 'schedules/'];

function tracksRuns(git: string): boolean {
  try {
    const folder = entryAt(git)?.isFile()
      ? readFileSync(git, 'utf8')
          .replace(/^gitdir:\s*/, '')
          .trim()
      : git;
    const index = readFileSync(resolve(dirname(git), folder, 'index'));
    return TRACKED.some((path) => index.includes(path));
  } catch (cause) {
    return errorCode(cause) !== 'ENOENT';
  }
}

const HELP =
  'choose another store with `--dir`, or, if the runs are yours, take them out of git with `git rm -r --cached`';

/** Answers of git by store: a process checks its store several times, and asks git once. */
const known = new Map<string, Promise<string | null>>();

function isOwn({ uid }: Stats): boolean {
  return process.geteuid === undefined || uid === process.geteuid();
}

/** Trusts the folder of any owner, because git only lists files. Ignores repositories without a checkout, which hold no store. */
const SETTINGS = ['safe.directory=*', 'safe.bareRepository=explicit'];

/** Why a store belongs to a repository, as a clause; null if git does not track it or is not installed. */
async function trackedFile(store: string): Promise<string | null> {
  const name = basename(store);
  const isLink = entryAt(store)?.isSymbolicLink() === true;
  const link = isLink ? await trackedFiles(dirname(store), [`:(literal)${name}`]) : [];
  if (typeof link === 'string') return link;
  const inside =
    link.length > 0
      ? []
      : await trackedFiles(store, ['runs', 'worktrees', 'index.ndjson', ...SERVICE_PARTS, ...SHARED_PARTS]);
  if (typeof inside === 'string') return inside;
  const tracked = link.length > 0 ? name : inside[0] === undefined ? undefined : join(name, inside[0]);
  return tracked === undefined ? null : `git tracks \`${tracked}\`, so it came with the repository`;
}

/** The checkout that a folder is in: it or a parent that has a repository, or a file that names one. Null: none. */
function checkoutOf(folder: string): string | null {
  let at: string;
  try {
    at = realpathSync.native(folder);
  } catch {
    return null;
  }
  for (; !existsSync(join(at, '.git')); at = dirname(at)) if (dirname(at) === at) return null;
  return at;
}

/** The first files that git tracks, relative to the folder, or why git cannot list them. */
async function trackedFiles(folder: string, paths: readonly string[]): Promise<string[] | string> {
  // Most stores are in no repository, and starting git costs more than looking for one.
  if (checkoutOf(folder) === null) return [];
  const { GitFailure, git } = await import('../worktree/git/git.js');
  try {
    const args = ['ls-files', '-z', '--', ...paths];
    const { exit, stdout, stderr } = await git({ cwd: folder }, args, {
      ok: [0, 128],
      maxBytes: 65_536,
      config: SETTINGS,
    });
    if (exit === 0) return stdout.toString('utf8').split('\0').filter(Boolean);
    return stderr.includes('not a git repository') ? [] : `git cannot tell whether it tracks it: ${stderr.trim()}`;
  } catch (cause) {
    if (!(cause instanceof GitFailure)) throw cause;
    return cause.said === 'ENOENT' ? [] : `git cannot tell whether it tracks it: ${cause.message}`;
  }
}
