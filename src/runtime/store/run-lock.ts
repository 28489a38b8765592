/**
 * One process holds a run at a time. A file names the owner by its pid and start time, so that a pid which was reused
 * does not look like the owner. Each takeover creates a file with the next number, which only one process can do. Files
 * are never replaced, so two processes that find the same dead owner cannot both win.
 *
 * An owner in another container or on another machine cannot be looked up: it counts as alive as long as it touches its file.
 */
import {
  closeSync,
  existsSync,
  linkSync,
  readdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { isHere, isProcess, type ProcessOrigin, processStat, thisOrigin } from '../process/process-group.js';
import { entryAt, openOwn, readOwn, writeOwn } from './own-file.js';
import { errorCode, storeError } from './store-error.js';

export interface RunLock {
  /** Whether this process still holds the run. */
  holds(): boolean;
  /** Releases the run. */
  release(): void;
}

export interface LockOwner extends ProcessOrigin {
  readonly pid: number;
  /** When the process started, in clock ticks since the machine started; null if the system does not report it. */
  readonly startedAt: number | null;
  /** Whether the pid belongs to this host and pid namespace. */
  readonly isHere: boolean;
}

type LockAttempt = { readonly lock: RunLock } | { readonly owner: LockOwner };

const LOOK_MS = 1000;
const BEAT_MS = 2000;
/** An owner without a heartbeat for this long is dead, or notices later that it lost the run. Milliseconds. */
const OLD_MS = 15_000;
const PREFIX = 'lock.';
/** Other files with the same beginning do not belong to the lock and must not set its number. */
const NAME = /^lock\.([1-9]\d{0,14})$/;
const released = '{"released":true}\n';

/**
 * Takes the run in `folder`, or returns its owner. The owner with the lock `abandoned` counts as gone, although its process
 * lives. Throws a `StoreError` if the folder cannot be written.
 */
export function lockRun(folder: string, abandoned: string | null = null): LockAttempt {
  for (;;) {
    const newest = newestLock(folder);
    if (newest !== null) {
      const path = join(folder, newest.name);
      const owner = readOwner(path);
      const isGone = newest.name === abandoned;
      if (owner !== null && !isGone && isAlive(owner, path, () => folderTime(folder))) return { owner };
    }
    const name = `${PREFIX}${(newest?.number ?? 0) + 1}`;
    if (!claim(folder, name)) continue;
    // A slow process may create a number whose file was already removed after a takeover: the highest number counts.
    if (newestLock(folder)?.name !== name) {
      unlinkSync(join(folder, name));
      continue;
    }
    if (newest !== null) tidy(folder, newest.number);
    return { lock: holdLock(join(folder, name)) };
  }
}

/** The process that holds a run, with the name of its lock, or null. `dead`: its last owner died. */
export function lockHolder(folder: string): {
  readonly owner: LockOwner | null;
  readonly dead: boolean;
  readonly lock?: string;
} {
  const newest = newestLock(folder);
  const owner = newest === null ? null : readOwner(join(folder, newest.name));
  if (newest === null || owner === null) return { owner: null, dead: false };
  const isOwned = isAlive(owner, join(folder, newest.name), Date.now);
  return isOwned ? { owner, dead: false, lock: newest.name } : { owner: null, dead: true };
}

/** When the owner last touched its lock, and whether it has been silent since for too long; null if the lock is gone. */
export function lastBeat(folder: string, lock: string): { readonly at: number; readonly isSilent: boolean } | null {
  const at = entryAt(join(folder, lock))?.mtimeMs;
  return at === undefined ? null : { at, isSilent: Date.now() - at >= OLD_MS };
}

/** The owner of a run, in words. */
export function ownerText({ pid, host, isHere }: LockOwner): string {
  return isHere ? `process ${pid}` : `process ${pid} of another container or machine (\`${host}\`)`;
}

function holdLock(path: string): RunLock {
  const stopBeating = beat(path);
  let free = false;
  let looked = Date.now();
  return {
    holds() {
      // No process takes over a run whose owner was silent for so short a time. A clock that was set back says nothing; a
      // monotonic one would stand still while the machine sleeps, and another machine may take over then.
      if (Math.abs(Date.now() - looked) < LOOK_MS) return true;
      // A takeover removes the older files.
      if (!existsSync(path)) return false;
      looked = Date.now();
      return true;
    },
    release() {
      if (free) return;
      free = true;
      stopBeating();
      // The folder may have been removed while the run ended, or the run taken over.
      if (entryAt(path) === null) return;
      try {
        // Only the owner writes this file, and the lock counts as free anyway once the owner is gone.
        writeOwn(path, released);
      } catch {
        // Another process is removing it.
      }
    },
  };
}

/** Creates the file with its content in one step; false if it exists. */
function claim(folder: string, name: string): boolean {
  const path = join(folder, name);
  const draft = draftName(folder, name);
  try {
    writeFileSync(draft, `${JSON.stringify(thisProcess())}\n`, { mode: 0o600, flag: 'wx' });
    try {
      linkSync(draft, path);
    } finally {
      unlinkSync(draft);
    }
    return true;
  } catch (cause) {
    if (errorCode(cause) === 'EEXIST') return false;
    throw storeError('lock the run with', path, cause);
  }
}

function draftName(folder: string, name: string): string {
  return join(folder, `.${name}.${process.pid}.${process.hrtime.bigint()}`);
}

/** The time of the file system that holds the store: the clocks of machines that share a store may differ. */
function folderTime(folder: string): number {
  const draft = draftName(folder, 'lock.time');
  try {
    writeFileSync(draft, '', { mode: 0o600, flag: 'wx' });
    return statSync(draft).mtimeMs;
  } catch (cause) {
    throw storeError('lock the run in', folder, cause);
  } finally {
    rmSync(draft, { force: true });
  }
}

function newestLock(folder: string): { readonly name: string; readonly number: number } | null {
  let number = 0;
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (cause) {
    throw storeError('read', folder, cause);
  }
  for (const name of names) {
    const found = Number(NAME.exec(name)?.[1] ?? 0);
    if (found > number) number = found;
  }
  return number === 0 ? null : { name: `${PREFIX}${number}`, number };
}

function tidy(folder: string, until: number): void {
  for (let number = until; number > 0; number--) {
    try {
      unlinkSync(join(folder, `${PREFIX}${number}`));
    } catch {
      // An earlier owner has removed the older ones.
      return;
    }
  }
}

/** Null if the file says that the run is free, does not exist, or does not name a process. */
function readOwner(path: string): LockOwner | null {
  try {
    const owner = JSON.parse(readOwn(path).toString('utf8')) as Partial<Record<keyof LockOwner, unknown>>;
    const { pid, startedAt } = owner;
    // In a container the runner may be the first process of all.
    if (!Number.isSafeInteger(pid) || (pid as number) < 1) return null;
    const origin = { host: textOf(owner.host), boot: textOf(owner.boot), pidNamespace: textOf(owner.pidNamespace) };
    return {
      pid: pid as number,
      startedAt: Number.isSafeInteger(startedAt) ? (startedAt as number) : null,
      ...origin,
      isHere: isHere(origin),
    };
  } catch {
    return null;
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** This process, so that others can see whether it still runs. */
export function thisProcess(): Omit<LockOwner, 'isHere'> {
  return { pid: process.pid, startedAt: processStat(process.pid)?.startedAt ?? null, ...thisOrigin() };
}

/** `now`: the time of the clock that sets the file's time. */
function isAlive(owner: LockOwner, path: string, now: () => number): boolean {
  if (!owner.isHere) {
    const touched = entryAt(path)?.mtimeMs;
    return touched !== undefined && now() - touched < OLD_MS;
  }
  return isRunning(owner);
}

/** Whether a process of this machine still runs. */
export function isRunning(owner: Pick<LockOwner, 'pid' | 'startedAt' | 'boot'>): boolean {
  if (owner.boot !== null && owner.boot !== thisOrigin().boot) return false;
  if (!isProcess(owner.pid)) return false;
  const stat = processStat(owner.pid);
  if (stat === null || owner.startedAt === null) return true;
  return stat.startedAt === owner.startedAt && stat.state !== 'Z' && stat.state !== 'X';
}

/**
 * The files of the runs that this process holds. Processes in other containers and on other machines cannot look up this
 * process, so they watch a file. One timer serves all, because an embedding process may hold thousands.
 */
const beating = new Set<string>();
let timer: ReturnType<typeof setInterval> | null = null;

/** Touches a file at intervals. Returns the function that stops it. */
export function beat(path: string): () => void {
  beating.add(path);
  if (timer === null) {
    timer = setInterval(() => beating.forEach(touch), BEAT_MS);
    timer.unref();
  }
  return () => {
    beating.delete(path);
    if (beating.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

/** Writes instead of setting the time: so the file system's own clock is used, which the other processes compare with. */
function touch(path: string): void {
  try {
    const fd = openOwn(path, 'r+');
    try {
      // The file begins with a brace, so writing a brace there changes nothing but the time.
      writeSync(fd, '{', 0);
    } finally {
      closeSync(fd);
    }
  } catch {
    // The run was removed or taken over. Its next record notices that.
  }
}
