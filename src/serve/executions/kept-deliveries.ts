/**
 * What is being delivered to runs, as files: from before an answer is recorded until the run that got it continues for sure.
 * A service that dies between the two leaves the file, and the next one continues the run.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endsRun, followsDelivery } from '../../interpreter/events/status-after.js';
import { mayHaveDeliveries } from '../../runtime/store/inbox.js';
import { lastEvents } from '../../runtime/store/journal-lines.js';
import { entryAt, isOwnFolder, readOwn, writeOwn } from '../../runtime/store/own-file.js';
import { storeError } from '../../runtime/store/store-error.js';
import { serviceFolder, type WaitingExecution } from './waiting-list.js';

/** How a run continues after something was delivered to it. */
export type Continuation = Pick<WaitingExecution, 'run_id' | 'machine' | 'limits' | 'by'>;

/** A file that says so. */
export interface KeptDelivery {
  readonly continuation: Continuation;
  /** The run continues, or nothing was delivered to it. */
  forget(): void;
}

/** Enough of a journal for its last event: larger values are not in it. */
const END_BYTES = 1024 * 1024;

const NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[0-9a-f-]{36}\.json(\.new)?$/;

const folderOf = (directory: string): string => join(serviceFolder(directory), 'deliveries');

/** On disk when it returns. Throws a `StoreError`. */
export function keepDelivery(directory: string, continuation: Continuation): KeptDelivery {
  const path = join(folderOf(directory), `${continuation.run_id}.${randomUUID()}.json`);
  try {
    mkdirSync(folderOf(directory), { recursive: true, mode: 0o700 });
    writeOwn(`${path}.new`, JSON.stringify(continuation), 'w', true);
    renameSync(`${path}.new`, path);
  } catch (cause) {
    throw storeError('write', path, cause);
  }
  return keptAt(path, continuation);
}

/**
 * Those that an earlier service has left and that were delivered. It removes those that were not; other files, and files
 * that cannot be read, are left alone.
 */
export function readDeliveries(directory: string): KeptDelivery[] {
  const found: KeptDelivery[] = [];
  for (const name of namesIn(folderOf(directory))) {
    const [, runId, incomplete] = NAME.exec(name) ?? [];
    if (runId === undefined) continue;
    const path = join(folderOf(directory), name);
    const continuation = continuationAt(path, runId);
    const isDelivered = incomplete === undefined && isToContinue(directory, runId);
    if (!isDelivered) remove(path);
    else if (continuation !== null) found.push(keptAt(path, continuation));
  }
  return found;
}

const keptAt = (path: string, continuation: Continuation): KeptDelivery => ({
  continuation,
  forget: () => remove(path),
});

/** What cannot be removed is looked at again by the next service. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A folder of this name, or the disk refuses it.
  }
}

function namesIn(folder: string): string[] {
  try {
    // A link would lead to files that are not the service's.
    return isOwnFolder(folder) ? readdirSync(folder) : [];
  } catch {
    return [];
  }
}

/** Null: it is not from this version. */
function continuationAt(path: string, runId: string): Continuation | null {
  try {
    const { machine, limits, by } = JSON.parse(readOwn(path).toString('utf8')) as Partial<Continuation>;
    if (machine === undefined || limits === undefined || typeof by !== 'string') return null;
    return { run_id: runId, machine, limits, by };
  } catch {
    return null;
  }
}

/** Whether something was delivered that no process has taken: it is the last event of the run, or in its inbox. */
export function isToContinue(directory: string, runId: string): boolean {
  const folder = join(directory, 'runs', runId);
  // The run may have been removed meanwhile.
  if (entryAt(join(folder, 'run.json')) === null) return false;
  const last = lastEvents(join(folder, 'journal.ndjson'), END_BYTES).find((event) => !followsDelivery(event));
  if (last !== undefined && endsRun(last)) return false;
  return last?.type === 'answered' || last?.type === 'signal_received' || mayHaveDeliveries(folder);
}
