/**
 * Notices without a service: the process of a run sends what it can when the run has ended, and leaves the rest on disk for the
 * next one, for a service, or for `statedsl notify --flush`. One process at a time sends the notices of a store.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { clockMs } from '../clock.js';
import type { Configuration } from '../configuration/load-configuration.js';
import { type LockOwner, lockRun, ownerText, type RunLock } from '../store/run-lock.js';
import { RunRefused, StoreError, storeError } from '../store/store-error.js';
import { KeptNotices, targetList } from './notices.js';
import { Notifier, noticeSender, positionNow } from './notifier.js';

/** Where notices and the position in the index are, as for a service. */
const folderOf = (directory: string): string => join(directory, 'service');

const LOOK_MS = 50;

/** Who has the lock sends notices: a service as long as it runs. Waits so long for it. Throws a `StoreError`. */
export async function lockNotices(directory: string, mostMs: number): Promise<RunLock | LockOwner> {
  const folder = join(folderOf(directory), 'notices');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw storeError('use the directory', folder, cause);
  }
  for (let waited = 0; ; waited += LOOK_MS) {
    const attempt = lockRun(folder);
    if ('lock' in attempt) return attempt.lock;
    if (waited >= mostMs) return attempt.owner;
    await pause(LOOK_MS);
  }
}

/** Before a run ends for the first time in a store: what ends from now on is reported. */
export function expectNotices(directory: string, { notify }: Configuration): void {
  if (targetList(notify).length === 0) return;
  try {
    const kept = new KeptNotices(folderOf(directory));
    if (kept.position === null) kept.keepPosition(positionNow(directory));
  } catch (cause) {
    // A full disk; the run says it, too.
    if (!(cause instanceof StoreError)) throw cause;
  }
}

export interface SentNotices {
  /** How many are left on disk. */
  readonly left: number;
  /** Why some are left, and what was given up. */
  readonly problems: readonly string[];
}

/** Says what was not sent at the end of a run; null: all was. */
export function unsentWords({ left, problems: [first, ...others] }: SentNotices): string | null {
  if (left === 0 && first === undefined) return null;
  const why = first ?? `${left === 1 ? 'a notice was' : `${left} notices were`} not received yet`;
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  const kept = left === 0 ? '' : '; `statedsl notify --flush` sends what is left';
  return `${why}${more}${kept}`;
}

interface SendingOptions {
  readonly configuration: Configuration;
  /** The folder of commands, if the configuration has none. */
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Sending ends after so many milliseconds, whatever the receivers do. */
  readonly mostMs: number;
  /** Tries also what has to wait for its next try. */
  readonly isAll?: boolean;
}

/**
 * Sends what is due. Another process that sends notices is left alone, because a service finds this end, too; with `isAll` it is
 * the reason of a `RunRefused`. Throws a `StoreError`.
 */
export async function sendNotices(directory: string, options: SendingOptions): Promise<SentNotices> {
  const { configuration, folder, environment, mostMs, isAll = false } = options;
  const targets = targetList(configuration.notify);
  if (targets.length === 0) return { left: 0, problems: [] };
  const end = clockMs() + mostMs;
  const lock = await lockNotices(directory, mostMs);
  if (!('release' in lock)) {
    if (!isAll) return { left: 0, problems: [] };
    const message = `${ownerText(lock)} sends the notices of this store`;
    throw new RunRefused('held', message, 'a service sends them as long as it runs; otherwise try again in a moment');
  }
  const problems: string[] = [];
  try {
    const send = noticeSender(configuration.folder ?? folder, environment === undefined ? {} : { environment });
    const notifier = new Notifier({
      directory,
      folder: folderOf(directory),
      targets,
      keepsOthers: true,
      isAll,
      warn: (message) => problems.push(message),
      async send(target, notice, signal) {
        const problem = await send(target, notice, signal);
        if (problem !== null && !signal.aborted) problems.push(`notice ${notice.id} was not received: ${problem}`);
        return problem;
      },
    });
    await notifier.untilTried(Math.max(0, end - clockMs()));
    const left = notifier.waiting;
    await notifier.stop();
    return { left, problems };
  } finally {
    lock.release();
  }
}
