/** Opens a run of this user's own store: found by its id or the beginning of one, and locked where it is to be changed. */
import { lockRun, ownerText, type RunLock } from './run-lock.js';
import { RunRefused } from './run-refused.js';
import { requireOwnStore } from './store-ownership.js';
import { findRunId, openStoredRun, type StoredRun } from './stored-run.js';

/** The folder of the store where nobody names another. */
export const DEFAULT_STORE = '.statedsl';

/** Rejects with a `RunRefused` when there is no such run, or when another user may have made the store. */
export async function openOwnRun(name: string, directory: string): Promise<StoredRun> {
  const id = findRunId(directory, name);
  await requireOwnStore(directory, id);
  return openStoredRun(directory, id);
}

/** Holds the run while `action` works on it. Rejects like `openOwnRun`, and when another process executes the run. */
export async function withLockedRun<T>(
  name: string,
  directory: string,
  action: (stored: StoredRun, lock: RunLock) => Promise<T>,
): Promise<T> {
  const stored = await openOwnRun(name, directory);
  const attempt = lockRun(stored.path);
  if (!('lock' in attempt)) {
    const message = `run \`${stored.about.run_id}\` is in use by ${ownerText(attempt.owner)}`;
    const help = attempt.owner.isHere
      ? 'wait until it ends, or end it with `statedsl cancel`'
      : 'wait until it ends; if that process died, the run can be resumed after 15 s';
    throw new RunRefused('held', message, help);
  }
  try {
    return await action(stored, attempt.lock);
  } finally {
    attempt.lock.release();
  }
}
