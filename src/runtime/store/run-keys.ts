/**
 * Keys of runs: of the runs of a store with the same key, one is executed at a time. A folder for each key names the run that
 * has it. A key is not given back: a run that wants it looks whether its holder still holds it, so no crash keeps it forever.
 */
import { createHash } from 'node:crypto';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { followsDelivery, isDelivery, statusAfter } from '../../interpreter/events/status-after.js';
import { lastEvents } from './journal-lines.js';
import { entryAt, isOwnFolder, makeFolder, readOwn, writeOwn } from './own-file.js';
import type { RunKey } from './run-header.js';
import { lockHolder, lockRun, type RunLock } from './run-lock.js';
import { errorCode, RunRefused, StoreError, storeError } from './store-error.js';
import { makeStore } from './store-ownership.js';
import { isRunId } from './stored-run.js';

/** The run that has a key. `running`: a process has it; the others wait for somebody, or for something. */
export interface KeyHolder {
  readonly run_id: string;
  readonly status: 'running' | 'suspended' | 'interrupted' | 'killed';
}

/** A key that a run has got. */
export interface ClaimedKey {
  /** Until then nobody looks whether the run holds the key: when it is executed, or is not going to be. */
  release(): void;
  /** The run that had it died, and may have left processes behind. */
  readonly died: string | null;
}

/** How many characters a key has at most. */
const LONGEST = 200;

/** Throws a `RunRefused` for a text that cannot be a key: keys are shown in lists. */
export function checkKey(key: string): void {
  const why =
    key.trim() === ''
      ? 'is empty'
      : /\p{Cc}/u.test(key)
        ? 'contains a line end or another control character'
        : [...key].length > LONGEST
          ? `has more than ${LONGEST} characters`
          : null;
  if (why !== null)
    throw new RunRefused('wrong-use', `the key of the run ${why}`, 'use a short text, such as `deploy prod`');
}

/** Why what was said about a busy key is refused: nobody would see that it has no effect. */
export function withoutKey(): RunRefused {
  return new RunRefused(
    'wrong-use',
    'this run has no key, so no other run can be in its way',
    'give the run a key, or declare `KEY: …` in the program',
  );
}

/** The key, or the run that has it. Throws a `StoreError`. `runId`: the run that wants it; it is executed, or is about to be. */
export async function claimKey(
  directory: string,
  { name, while: period }: RunKey,
  runId: string,
): Promise<ClaimedKey | { readonly holder: KeyHolder }> {
  const folder = folderOf(directory, name);
  try {
    makeStore(directory);
    makeFolder(folder, 0o700);
  } catch (cause) {
    if (cause instanceof RunRefused) throw cause;
    throw storeError('create', folder, cause);
  }
  const lock = await lockFolder(folder);
  try {
    const last = readHolder(folder);
    const status = last === null || last.run_id === runId ? 'free' : statusOf(directory, last);
    if (last !== null && status !== 'free' && status !== 'died') {
      lock.release();
      return { holder: { run_id: last.run_id, status } };
    }
    const text = JSON.stringify({ run_id: runId, key: name, ...(period === undefined ? {} : { while: period }) });
    const path = join(folder, HOLDER);
    try {
      writeOwn(path, `${text}\n`, 'w', true);
    } catch (cause) {
      throw storeError('write', path, cause);
    }
    return { release: () => lock.release(), died: status === 'died' ? (last?.run_id ?? null) : null };
  } catch (cause) {
    lock.release();
    throw cause;
  }
}

/** The run that has a key; null: it is free. `runId`: a run that may have it itself. */
export function keyHolder(directory: string, key: string, runId: string | null = null): KeyHolder | null {
  const last = readHolder(folderOf(directory, key));
  if (last === null || last.run_id === runId) return null;
  const status = statusOf(directory, last);
  return status === 'free' || status === 'died' ? null : { run_id: last.run_id, status };
}

/** What a person can do about a run that has a key, as a clause; null: it is executed, and has to end. */
export function aboutHolder({ run_id, status }: KeyHolder): string | null {
  if (status === 'running') return null;
  const end = `end it: \`statedsl cancel ${run_id}\``;
  if (status === 'suspended') return `it is suspended; answer what it asks, or ${end}`;
  const how = status === 'killed' ? 'its process died' : 'it was interrupted';
  return `${how}; continue it: \`statedsl resume ${run_id}\`, or ${end}`;
}

const HOLDER = 'holder.json';
const LOOK_MS = 20;
/** Enough of a journal for its last events. */
const END_BYTES = 64 * 1024;

const folderOf = (directory: string, key: string): string =>
  join(directory, 'keys', createHash('sha256').update(key).digest('hex').slice(0, 32));

/** Who has the lock keeps it only until it has looked, or until its run is executed. */
async function lockFolder(folder: string): Promise<RunLock> {
  for (;;) {
    try {
      const attempt = lockRun(folder);
      if ('lock' in attempt) return attempt.lock;
      await pause(LOOK_MS);
    } catch (cause) {
      // `gc` has just removed the folder of a key that was free.
      if (!(cause instanceof StoreError) || errorCode(cause.cause) !== 'ENOENT') throw cause;
      makeFolder(folder, 0o700);
    }
  }
}

/** Removes the folders of keys that no run holds. Throws a `StoreError`. */
export function forgetFreeKeys(directory: string): void {
  const keys = join(directory, 'keys');
  if (!isOwnFolder(keys)) return;
  for (const name of readdirSync(keys)) {
    const folder = join(keys, name);
    const isGone = LEAVING.test(name);
    if (!isGone && !(KEY_FOLDER.test(name) && isOwnFolder(folder))) continue;
    try {
      if (isGone) rmSync(folder, { recursive: true, force: true });
      else removeIfFree(directory, folder, join(keys, `.removed-${name}`));
    } catch (cause) {
      throw storeError('remove', folder, cause);
    }
  }
}

const KEY_FOLDER = /^[0-9a-f]{32}$/;
const LEAVING = /^\.removed-[0-9a-f]{32}$/;

/** Who wants a key or is about to begin with it has its lock, which disappears with the folder. */
function removeIfFree(directory: string, folder: string, leaving: string): void {
  const attempt = lockRun(folder);
  if (!('lock' in attempt)) return;
  const last = readHolder(folder);
  if (last !== null && statusOf(directory, last) !== 'free') return attempt.lock.release();
  renameSync(folder, leaving);
  attempt.lock.release();
  rmSync(leaving, { recursive: true, force: true });
}

interface LastHolder {
  readonly run_id: string;
  readonly while?: 'running';
}

function readHolder(folder: string): LastHolder | null {
  try {
    const last = JSON.parse(readOwn(join(folder, HOLDER)).toString('utf8')) as LastHolder;
    return isRunId(last.run_id) ? last : null;
  } catch {
    // Nobody has had it, or a crash tore the file: then that run never began.
    return null;
  }
}

/** `free`: the run does not hold the key any more. `died`: neither, and its process ended without a word. */
function statusOf(directory: string, { run_id, while: period }: LastHolder): KeyHolder['status'] | 'free' | 'died' {
  const path = join(directory, 'runs', run_id);
  if (entryAt(join(path, 'run.json')) === null) return 'free';
  if (lockHolder(path).owner !== null) return 'running';
  const events = lastEvents(join(path, 'journal.ndjson'), END_BYTES);
  const last = events.find((event) => !isDelivery(event) && !followsDelivery(event));
  const end = statusAfter(last);
  if (end === 'returned' || end === 'failed' || end === 'skipped') return 'free';
  const status = end ?? 'killed';
  if (period !== 'running') return status;
  return status === 'killed' ? 'died' : 'free';
}
