/**
 * Ends a run for good, even if another process executes it. That process is asked to end the run, and stopped if it does
 * not. What its commands left running is stopped in any case.
 */
import type { RunEvent } from '../../interpreter/events/event.js';
import type { UndoFacts } from '../../interpreter/events/facts.js';
import { cancelRun } from '../../interpreter/run.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { clockMs } from '../clock.js';
import { stopLeftovers } from '../process/leftovers.js';
import { hasOpen, isProcessNumber, processStat } from '../process/process-group.js';
import { RunModel } from '../record/run-model.js';
import { deliver, openInbox } from '../store/inbox.js';
import { openFileJournal } from '../store/journal.js';
import { withLockedRun } from '../store/open-own-run.js';
import { type JournalEnd, readJournal } from '../store/read-journal.js';
import type { RecordSigner } from '../store/record-heads.js';
import { labelsOf } from '../store/run-header.js';
import { type LockOwner, lastBeat, lockHolder, type RunLock } from '../store/run-lock.js';
import { openRunFolder } from '../store/store.js';
import { RunRefused } from '../store/store-error.js';
import { requireOwnStore } from '../store/store-ownership.js';
import { openStoredRun, type StoredRun } from '../store/stored-run.js';
import { recoveryContextOf } from './again/prepare-recovery.js';
import { recoverRun } from './again/recover.js';
import { noteUntaken } from './apply-delivery.js';

/** How long a process may take to end a run, in milliseconds: its commands get two seconds to clean up. */
const PATIENCE_MS = 8000;
const LOOK_MS = 50;
/** How long a lock is watched at least, because the clock of its file system may be another one: two beats and more. */
const WATCH_MS = 5000;

/** The UNDOs that a rollback of the run would still perform. Rejects with a `RunRefused` if the run has ended. */
export async function cancelStored(
  directory: string,
  runId: string,
  by: string,
  signer: RecordSigner | null = null,
): Promise<readonly UndoFacts[]> {
  await requireOwnStore(directory, runId);
  const stored = openStoredRun(directory, runId);
  for (let at = lockHolder(stored.path); ; ) {
    const { owner, lock } = at;
    let abandoned: string | null = null;
    if (owner !== null && lock !== undefined) {
      deliver(stored.path, { kind: 'cancel', by }, null);
      if (!(await letsGo(stored, owner, lock)) && (await isSilent(stored, lock))) abandoned = lock;
    }
    // The process that executed the run may have ended it as asked, or in another way at the same moment.
    if (owner !== null && extentOf(stored).over === 'cancelled') break;
    try {
      const record = (run: StoredRun, held: RunLock) => recordEnd(run, held, { directory, by, signer });
      await withLockedRun(runId, directory, record, { abandoned, help });
      break;
    } catch (cause) {
      // A run that was suspended may be executed again by now, and that process has not been asked.
      at = lockHolder(stored.path);
      if (!isHeld(cause) || (at.owner !== null && at.lock === lock)) throw cause;
    }
  }
  await stopLeftovers(stored, null);
  return readModel(stored).model.registered;
}

const isHeld = (cause: unknown): boolean => cause instanceof RunRefused && cause.kind === 'held';

/** Whether the owner has released the run, by itself or because it was stopped. */
async function letsGo(stored: StoredRun, owner: LockOwner, lock: string): Promise<boolean> {
  // There is no use in waiting for a process that got the number of the owner, or has forgotten the run.
  if (!executes(owner, stored) && lastBeat(stored.path, lock)?.isSilent === true) return false;
  if (await ends(stored.path, owner)) return true;
  if (!executes(owner, stored)) return false;
  process.kill(owner.pid, 'SIGKILL');
  return ends(stored.path, owner);
}

/**
 * Whether the owner of a lock does not touch it any more. Then its process does something else, or hangs; one that continues
 * after all notices before its next record that it has lost the run.
 */
async function isSilent({ path }: StoredRun, lock: string): Promise<boolean> {
  const first = lastBeat(path, lock);
  const began = clockMs();
  for (let now = first; now !== null && now.at === first?.at; now = lastBeat(path, lock)) {
    if (now.isSilent && clockMs() - began >= WATCH_MS) return true;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return false;
}

function help({ pid, isHere }: LockOwner): string {
  return isHere
    ? `it was asked to end the run, but continues; end it yourself with \`kill ${pid}\`, and cancel the run again`
    : 'it was asked to end the run and has not answered; end that process there, and cancel the run again after 15 s';
}

function readModel({ journal }: StoredRun): { readonly model: RunModel; readonly end: JournalEnd } {
  const model = new RunModel({ keeps: () => false });
  const end = readJournal(journal, (record) => {
    model.take(record);
    return true;
  });
  return { model, end };
}

/** How far a run has come, according to its record. */
interface Extent {
  readonly end: JournalEnd;
  readonly over: 'returned' | 'failed' | 'skipped' | 'cancelled' | null;
  readonly state: string | null;
  readonly effects: number;
  readonly durationMs: number;
  /** US dollars; null if agents were called and none of them reported its cost. */
  readonly cost: number | null;
}

interface Cancelling {
  readonly directory: string;
  readonly by: string;
  readonly signer: RecordSigner | null;
}

async function recordEnd(stored: StoredRun, lock: RunLock, { directory, by, signer }: Cancelling): Promise<void> {
  const { about } = stored;
  const { end, over, state, effects, durationMs, cost } = extentOf(stored);
  if (over === 'skipped')
    throw new RunRefused('over', `run \`${about.run_id}\` was skipped, because another run had its key`);
  if (over === 'cancelled') throw new RunRefused('over', `run \`${about.run_id}\` was already cancelled`);
  if (over !== null) throw new RunRefused('over', `run \`${about.run_id}\` has already ${over}`);
  const folder = openRunFolder(directory, about.run_id, lock);
  const open = openFileJournal(folder, end, signer);
  const events = endOf(stored, by, state);
  const failure = events.findLast(({ type }) => type === 'run_failed') as Extract<RunEvent, { type: 'run_failed' }>;
  open.append(events, end.seq + 1, new Date().toISOString());
  await open.sync();
  folder.appendIndex({
    run_id: about.run_id,
    machine: about.machine,
    status: 'failed',
    state,
    started_at: about.started_at,
    ended_at: new Date().toISOString(),
    duration_ms: durationMs,
    cost,
    effects,
    ...omitUndefined({ key: about.key?.name }),
    cancelled: true,
    error: failure.error.message,
    ...omitUndefined({ head: open.head ?? undefined }),
    ...labelsOf(about),
  });
  await open.close();
}

function extentOf(stored: StoredRun): Extent {
  const { model, end } = readModel(stored);
  const { isOver, result, visit, effects, cost, copiedMs, time } = model;
  return {
    end,
    over: isOver ? overBy(result) : null,
    state: visit?.state ?? null,
    effects,
    durationMs: copiedMs + time.ms,
    cost,
  };
}

/** How a run is over; without a result, nothing of it was executed. */
function overBy(result: RunModel['result']): Extent['over'] {
  if (result === null) return 'skipped';
  if (result.type === 'run_returned') return 'returned';
  return result.error.kind === 'cancelled' ? 'cancelled' : 'failed';
}

/** The report that the run itself would give; if the run cannot be rebuilt, only that it was cancelled. */
function endOf(stored: StoredRun, by: string, state: string | null): RunEvent[] {
  try {
    const { inputs, redactor } = recoveryContextOf(stored, {});
    const { replay, difference, inbox } = recoverRun(stored, { inputs, redactor, discarded: null });
    if (difference === null) {
      const rest = replay.rest();
      // Who sent it was told that it is on record.
      for (const { delivery, inbox: until } of openInbox(stored.path, inbox).take())
        noteUntaken(replay.run, delivery, { inbox: until });
      cancelRun(replay.run, by);
      return [...rest, ...replay.run.takeEvents()].map((event) => redactor?.event(event) ?? event);
    }
  } catch (cause) {
    if (!(cause instanceof RunRefused)) throw cause;
  }
  const error = {
    kind: 'cancelled',
    message: `${by} cancelled the run`,
    state,
    line: null,
    file: null,
    tool: null,
    exit_code: null,
  };
  return [
    { type: 'run_cancelled', by },
    { type: 'run_failed', error },
  ];
}

async function ends(path: string, { pid, startedAt }: LockOwner): Promise<boolean> {
  for (const end = clockMs() + PATIENCE_MS; clockMs() < end; ) {
    const { owner } = lockHolder(path);
    if (owner === null || owner.pid !== pid || owner.startedAt !== startedAt) return true;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return false;
}

/**
 * Whether a process that a file names is the owner: it was started when the file says, and has the journal of the run
 * open. Another process with this pid must not be stopped.
 */
function executes({ pid, startedAt, isHere }: LockOwner, { journal }: StoredRun): boolean {
  if (!isHere || !isProcessNumber(pid) || pid === process.pid) return false;
  const stat = processStat(pid);
  return stat !== null && stat.startedAt === startedAt && hasOpen(pid, journal);
}
