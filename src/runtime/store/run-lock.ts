/**
 * One process holds a run at a time. Who holds it is a file with the owner's pid and start time, so that a pid that
 * was given to another process does not look like the owner. Each takeover is a file with the next number, which only
 * one process can create; files are never replaced, so two processes that find the same dead owner cannot both win.
 */
import { linkSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processStat } from '../process/process-group.js';
import { readOwn, writeOwn } from './own-file.js';
import { errorCode, storeError } from './store-error.js';

export interface RunLock {
  /** The run is free again. */
  release(): void;
}

export interface LockOwner {
  readonly pid: number;
  /** Clock ticks since the machine started; null where the system does not tell. */
  readonly startedAt: number | null;
  /** One start of the machine. */
  readonly boot: string | null;
}

export type LockAttempt = { readonly lock: RunLock } | { readonly owner: LockOwner };

const PREFIX = 'lock.';
/** Anything else of that beginning is not ours, and must not be counted on from. */
const NAME = /^lock\.([1-9]\d{0,14})$/;
const released = '{"released":true}\n';

/** Takes the run in `folder`, or tells who has it. Throws a `StoreError` when the folder cannot be written. */
export function lockRun(folder: string): LockAttempt {
  for (;;) {
    const newest = newestLock(folder);
    if (newest !== null) {
      const owner = readOwner(join(folder, newest.name));
      if (owner !== null && isAlive(owner)) return { owner };
    }
    const name = `${PREFIX}${(newest?.number ?? 0) + 1}`;
    if (!claim(folder, name)) continue;
    // Somebody slower than a whole takeover may create a number that was tidied away: the highest counts.
    if (newestLock(folder)?.name !== name) {
      unlinkSync(join(folder, name));
      continue;
    }
    if (newest !== null) tidy(folder, newest.number);
    return { lock: held(join(folder, name)) };
  }
}

/** The process that holds a run now, or null. `dead`: one held it and died. */
export function lockHolder(folder: string): { readonly owner: LockOwner | null; readonly dead: boolean } {
  const newest = newestLock(folder);
  if (newest === null) return { owner: null, dead: false };
  const owner = readOwner(join(folder, newest.name));
  if (owner === null) return { owner: null, dead: false };
  return isAlive(owner) ? { owner, dead: false } : { owner: null, dead: true };
}

function held(path: string): RunLock {
  let free = false;
  return {
    release() {
      if (free) return;
      free = true;
      try {
        // Nobody else writes this file, and nobody takes it for held once the owner is gone anyway.
        writeOwn(path, released);
      } catch {
        // The folder may have been removed while the run ended.
      }
    },
  };
}

/** Creates the file with all it holds in one step, or gives false when it is there. */
function claim(folder: string, name: string): boolean {
  const path = join(folder, name);
  const draft = join(folder, `.${name}.${process.pid}.${process.hrtime.bigint()}`);
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
      // Older ones were tidied away by an earlier owner.
      return;
    }
  }
}

/** Null when the file says that the run is free, or is gone. */
function readOwner(path: string): LockOwner | null {
  try {
    const owner = JSON.parse(readOwn(path).toString('utf8')) as Partial<LockOwner>;
    return typeof owner.pid === 'number' ? (owner as LockOwner) : null;
  } catch {
    return null;
  }
}

function thisProcess(): LockOwner {
  return { pid: process.pid, startedAt: processStat(process.pid)?.startedAt ?? null, boot: bootId() };
}

function isAlive(owner: LockOwner): boolean {
  if (owner.boot !== null && owner.boot !== bootId()) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (cause) {
    // EPERM: it lives, and belongs to somebody else.
    if (errorCode(cause) !== 'EPERM') return false;
  }
  const stat = processStat(owner.pid);
  if (stat === null || owner.startedAt === null) return true;
  return stat.startedAt === owner.startedAt && stat.state !== 'Z' && stat.state !== 'X';
}

let boot: string | null | undefined;

function bootId(): string | null {
  if (boot === undefined) {
    try {
      boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    } catch {
      boot = null;
    }
  }
  return boot;
}
