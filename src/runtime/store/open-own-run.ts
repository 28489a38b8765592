/** Opens a run in a store that this user owns, by its id or the beginning of its id, and locks it for changes. */
import { type LockOwner, lockRun, ownerText, type RunLock } from './run-lock.js';
import { RunRefused } from './store-error.js';
import { requireOwnStore } from './store-ownership.js';
import { findRunId, openStoredRun, type StoredRun } from './stored-run.js';

/** The default folder of the store. */
export const DEFAULT_STORE = '.statedsl';

/** Rejects with a `RunRefused` if the run does not exist or another user may have made the store. */
export async function openOwnRun(name: string, directory: string): Promise<StoredRun> {
  const id = findRunId(directory, name);
  await requireOwnStore(directory, id);
  return openStoredRun(directory, id);
}

/**
 * Holds the lock of the run during `action`. Rejects as `openOwnRun` does, and if another process executes the run or an
 * engine has it. `abandoned`: the lock of a process that does not execute it any more; `help`: what to do about an owner.
 */
export async function withLockedRun<T>(
  name: string,
  directory: string,
  action: (stored: StoredRun, lock: RunLock) => Promise<T>,
  { abandoned = null, help = helpOn }: { abandoned?: string | null; help?: (owner: LockOwner) => string } = {},
): Promise<T> {
  const stored = await openOwnRun(name, directory);
  const { run_id, settings } = stored.about;
  if (typeof settings.engine === 'string')
    throw new RunRefused(
      'wrong-use',
      `run \`${run_id}\` is on the engine at \`${settings.engine}\``,
      `its workers continue it; execute it again here from a point: \`statedsl replay ${run_id} --from POINT\``,
    );
  const attempt = lockRun(stored.path, abandoned);
  if (!('lock' in attempt)) {
    const message = `run \`${stored.about.run_id}\` is in use by ${ownerText(attempt.owner)}`;
    throw new RunRefused('held', message, help(attempt.owner));
  }
  try {
    return await action(stored, attempt.lock);
  } finally {
    attempt.lock.release();
  }
}

const helpOn = ({ isHere }: LockOwner): string =>
  isHere
    ? 'wait until it ends, or end it with `statedsl cancel`'
    : 'wait until it ends; if that process died, the run can be resumed after 15 s';
