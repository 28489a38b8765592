/**
 * Removes old runs from a store. Runs that could be resumed stay unless they are asked for, and runs that a process
 * executes always stay. A run is locked before it is removed, and removed in one step, so that no process finds half of it.
 */
import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, lstatSync, readdirSync, readSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isOver } from '../../interpreter/events/status-after.js';
import { type ListedRun, listRuns } from '../list-runs.js';
import { entryAt, isOwnFolder, openOwn, writeOwn } from './own-file.js';
import { lockRun } from './run-lock.js';
import { replaceFile } from './store.js';
import { errorCode, RunRefused, storeError } from './store-error.js';
import { hasBegun, isRunId, type RunStatus, readIndex, runIds } from './stored-run.js';

interface RemovalOptions {
  /** Only these are removed or kept; absent: all. */
  readonly runs?: readonly string[] | undefined;
  /** This many of the newest runs stay, whatever their status. */
  readonly keepLast: number;
  /** Also remove runs that are suspended, interrupted or killed and could be resumed, and those of `unapplied`. */
  readonly all: boolean;
  /** Runs whose work exists nowhere else. */
  readonly unapplied?: ReadonlySet<string>;
  /** Only report what would be removed. */
  readonly dryRun: boolean;
}

export interface Removal {
  readonly removed: readonly (Pick<ListedRun, 'run_id' | 'machine' | 'status'> & { readonly bytes: number })[];
  /** Older runs that stay because they have not ended, or are not only their own. */
  readonly kept: readonly (Pick<ListedRun, 'run_id' | 'machine' | 'status'> & {
    readonly unapplied?: true;
    /** A file of it that is a symbolic link, so it may belong to another run. */
    readonly link?: string;
  })[];
  /** Folders that were left when an earlier process died while it removed runs. */
  readonly leftovers: readonly string[];
  /** How many bytes the removed runs took. */
  readonly bytes: number;
}

/** Folders of this name are runs that are being removed. One stays only if its process died. */
const LEAVING = '.removed-';

/** A caller in JavaScript who leaves the number out, or counts from the end, must not lose all runs. */
export function requireCountOfKept(keepLast: number): void {
  if (Number.isSafeInteger(keepLast) && keepLast >= 0) return;
  throw new RunRefused('wrong-use', '`keepLast` must be a whole number of at least 0', 'say how many runs stay');
}

/** Throws a `StoreError` if a run cannot be removed; the runs before it are removed by then. */
export function removeOldRuns(directory: string, { runs, keepLast, all, unapplied, dryRun }: RemovalOptions): Removal {
  requireCountOfKept(keepLast);
  const removed: Removal['removed'][number][] = [];
  const kept: Removal['kept'][number][] = [];
  const isUnapplied = (runId: string): boolean => !all && unapplied?.has(runId) === true;
  const leftovers = leftoversIn(directory);
  if (!dryRun) for (const leftover of leftovers) remove(leftover);
  try {
    for (const { run_id, machine, status } of listRuns(directory).slice(keepLast)) {
      if (runs?.includes(run_id) === false) continue;
      const known = { run_id, machine, status };
      const link = linkIn(join(directory, 'runs', run_id));
      if (link !== null) kept.push({ ...known, link });
      if (link !== null || !isRun(directory, run_id)) continue;
      if (!isRemovable(status, all) && !neverBegan(directory, run_id, status)) kept.push(known);
      else if (isUnapplied(run_id)) kept.push({ ...known, unapplied: true });
      else {
        const bytes = bytesOf(join(directory, 'runs', run_id));
        if (dryRun || removeRun(directory, run_id)) removed.push({ ...known, bytes });
        else kept.push({ ...known, status: 'running' });
      }
    }
  } finally {
    if (removed.length > 0 && !dryRun) shortenIndex(directory);
  }
  return { removed, kept, leftovers, bytes: removed.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function isRemovable(status: RunStatus, all: boolean): boolean {
  return isOver({ status }) || (all && status !== 'running');
}

/** What a process left that died before its run began. A run may just be starting in a younger folder. */
function neverBegan(directory: string, runId: string, status: RunStatus): boolean {
  if (status !== 'killed' || hasBegun(directory, runId)) return false;
  return Date.now() - Number.parseInt(runId.replaceAll('-', '').slice(0, 12), 16) > MOVING_IN_MS;
}

const MOVING_IN_MS = 60_000;

/** False if a process holds the run. */
function removeRun(directory: string, runId: string): boolean {
  const path = join(directory, 'runs', runId);
  const attempt = lockRun(path);
  // The lock is not released: it disappears with its folder.
  if (!('lock' in attempt)) return false;
  const leaving = join(directory, 'runs', `${LEAVING}${runId}`);
  try {
    renameSync(path, leaving);
  } catch (cause) {
    throw storeError('remove', path, cause);
  }
  remove(leaving);
  return true;
}

function leftoversIn(directory: string): string[] {
  const runs = join(directory, 'runs');
  if (!isOwnFolder(runs)) return [];
  const names = readdirSync(runs).filter((name) => name.startsWith(LEAVING) && isRunId(name.slice(LEAVING.length)));
  return names.map((name) => join(runs, name)).filter(isOwnFolder);
}

function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (cause) {
    throw storeError('remove', path, cause);
  }
}

/** The files that a process may have written that died early. */
const BEGINNING = /^(artifacts|source|machine\.json|journal\.ndjson|run\.json(\.new)?|\.?lock\..*)$/;

/** The file of a run that is a symbolic link; null: none. */
function linkIn(path: string): string | null {
  return ['run.json', 'journal.ndjson'].find((name) => entryAt(join(path, name))?.isSymbolicLink()) ?? null;
}

/** Whether a folder is a run, as its name suggests. In a folder that a user chose as store, it may be something else. */
function isRun(directory: string, runId: string): boolean {
  const path = join(directory, 'runs', runId);
  if (entryAt(join(path, 'run.json'))?.isFile() && entryAt(join(path, 'journal.ndjson'))?.isFile()) return true;
  return readdirSync(path).every((name) => BEGINNING.test(name));
}

/** How many bytes removing a folder frees. Files that a copy of the run has too (hard links) do not count. */
function bytesOf(path: string): number {
  let bytes = 0;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) bytes += bytesOf(inner);
    else {
      const { size, nlink } = lstatSync(inner);
      if (nlink === 1) bytes += size;
    }
  }
  return bytes;
}

/** Writes one line for each existing run. Carries over what other processes append to the old file meanwhile. */
function shortenIndex(directory: string): void {
  const path = join(directory, 'runs', 'index.ndjson');
  let fd: number;
  try {
    fd = openOwn(path, 'r');
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return;
    throw storeError('read', path, cause);
  }
  try {
    const { size } = fstatSync(fd);
    const there = new Set(runIds(directory));
    const entries = [...readIndex(directory).values()].filter(({ run_id }) => there.has(run_id));
    replaceFile(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    const late = Buffer.alloc(fstatSync(fd).size - size);
    if (late.length > 0) writeOwn(path, late.subarray(0, readSync(fd, late, 0, late.length, size)), 'a');
  } finally {
    closeSync(fd);
  }
}
