/**
 * Allows one `apply` at a time in a repository, across checkouts, stores and runs. The lock comes with a note of what is
 * about to be written, so that the next `apply` finishes what a killed one began.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeOwn } from '../../store/own-file.js';
import { lockRun, type RunLock } from '../../store/run-lock.js';
import { storeError } from '../../store/store-error.js';

/** An `apply` that is writing: it first moves the branch from `head` to `commit`. */
export interface Intent {
  readonly run: string;
  /** The checkout that it writes to, and the checkout's directory in the repository. */
  readonly root: string;
  readonly gitDir: string;
  readonly head: string;
  readonly commit: string;
}

export interface ApplyLock extends Pick<RunLock, 'release'> {
  /** What a killed `apply` left, and when it began, in milliseconds since the epoch. */
  readonly left: { readonly intent: Intent; readonly since: number } | null;
  note(intent: Intent | null): void;
}

const FOLDER = 'statedsl-apply';
const WAIT_MS = 60_000;
const PAUSE_MS = 50;

/** Waits for other calls of `apply`. Returns the process that holds the lock if that takes too long. */
export async function lockRepository(commonDir: string): Promise<ApplyLock | { readonly pid: number }> {
  const folder = join(commonDir, FOLDER);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw storeError('create the directory', folder, cause);
  }
  for (const until = Date.now() + WAIT_MS; ; ) {
    const attempt = lockRun(folder);
    if ('lock' in attempt) return withIntent(folder, attempt.lock);
    if (Date.now() > until) return { pid: attempt.owner.pid };
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function withIntent(folder: string, lock: RunLock): ApplyLock {
  const path = join(folder, 'intent.json');
  return {
    release: () => lock.release(),
    left: readIntent(path),
    note(intent) {
      try {
        if (intent === null) return rmSync(path, { force: true });
        writeOwn(`${path}.new`, `${JSON.stringify(intent)}\n`, 'w', true);
        renameSync(`${path}.new`, path);
      } catch (cause) {
        throw storeError('write', path, cause);
      }
    },
  };
}

function readIntent(path: string): ApplyLock['left'] {
  try {
    return { intent: JSON.parse(readFileSync(path, 'utf8')) as Intent, since: statSync(path).mtimeMs };
  } catch {
    return null;
  }
}
