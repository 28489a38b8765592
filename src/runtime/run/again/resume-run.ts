/**
 * Resumes a run that stopped: after a crash, an interruption, a suspension or a failure. Nothing with an outcome on record
 * is repeated, except a failure. There are three phases:
 *
 * 1. Recover: reads the record and rebuilds the run from it.
 * 2. Decide: where the run is resumed, and with what. All refusals happen here, before anything is written.
 * 3. Drive: stops what dead processes left running, then executes the run. `run_resumed` is the first new event, followed
 *    by what the dead process had computed but not written.
 */
import type { RunEvent } from '../../../interpreter/events/event.js';
import { statusAfter } from '../../../interpreter/events/status-after.js';
import type { Replay } from '../../../interpreter/record/replay.js';
import type { Run } from '../../../interpreter/run.js';
import type { Json } from '../../../machine/expression.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { removeUnfinished, stopLeftovers } from '../../process/leftovers.js';
import type { Redactor } from '../../redact.js';
import { checkpoints } from '../../store/checkpoint.js';
import { type Delivery, deliver, openInbox, unreadDeliveries } from '../../store/inbox.js';
import { openFileJournal } from '../../store/journal.js';
import { lastEvents } from '../../store/journal-lines.js';
import { DEFAULT_STORE, withLockedRun } from '../../store/open-own-run.js';
import { labelsOf } from '../../store/run-header.js';
import type { RunLock } from '../../store/run-lock.js';
import { stateFile } from '../../store/state-file.js';
import { openRunFolder, type RunFolder } from '../../store/store.js';
import { readIndex, type StoredRun } from '../../store/stored-run.js';
import type { WorktreeFacts } from '../../worktree/worktree-facts.js';
import { addressTo, applyDelivery, checkSendable } from '../apply-delivery.js';
import { closeRun, driveRun } from '../drive-run.js';
import { type RunReport, reportOf } from '../run-report.js';
import { directoryIn, knownWorktree } from '../working-directory.js';
import { keepMachine, prepareRecovery } from './prepare-recovery.js';
import { type Recovered, recoverRun } from './recover.js';
import { refuseDifference } from './refuse-resume.js';
import type { ResumeOptions } from './resume-options.js';
import { asksNothing, decideResume, type RecordedRun, type ResumeDecision, refuseEnded } from './resume-options.js';

/**
 * Resumes a run. `runId` is an id or the beginning of one. Rejects with a `RunRefused` if the run does not exist, another
 * process holds it, it has ended, or something that it needs is missing.
 */
export async function resume(runId: string, options: ResumeOptions = {}): Promise<RunReport> {
  const directory = options.dir ?? DEFAULT_STORE;
  const { deliveries = [] } = options;
  if (deliveries.length > 0) checkSendable(deliveries);
  return withLockedRun(runId, directory, async (stored, lock) => {
    const held = { stored, lock, directory };
    const recorded = recoverRecorded(stored, options);
    const { run } = recorded.recovered.replay;
    const isUnreported = isEndUnreported(run, stored, directory);
    if ((isUnreported || run.result?.status === 'returned') && asksNothing(options))
      return reportRecordedEnd(held, recorded, isUnreported, options);
    const unread = unreadDeliveries(stored.path, recorded.recovered.inbox);
    const isLater =
      deliveries.length > 0 &&
      run.result === null &&
      (unread.length > 0 || mustFollow(recoverRecorded(stored, options).recovered.replay, deliveries));
    const later = isLater ? addressTo(run, deliveries, unread) : [];
    const decision = await decideResume(stored, recorded, isLater ? { ...options, deliveries: [] } : options);
    return driveResumed(held, recorded, { ...decision, later }, options);
  });
}

/**
 * Records deliveries for a run that no process executes, all of them or none, and executes nothing. Rejects like
 * `resume`.
 */
export async function recordDelivery(
  runId: string,
  delivered: Delivery | readonly Delivery[],
  options: Pick<ResumeOptions, 'dir' | 'inputs' | 'env' | 'secrets' | 'signer'> = {},
): Promise<void> {
  const directory = options.dir ?? DEFAULT_STORE;
  const deliveries: readonly Delivery[] = Array.isArray(delivered) ? delivered : [delivered as Delivery];
  checkSendable(deliveries);
  return withLockedRun(runId, directory, async (stored, lock) => {
    const { recovered, redactor } = recoverRecorded(stored, options);
    const { replay, end, inbox } = recovered;
    const { run } = replay;
    refuseEnded(stored.about.run_id, run, true);
    const rest = replay.rest();
    const unread = unreadDeliveries(stored.path, inbox);
    const addressed = addressTo(run, deliveries, unread);
    const isLater = unread.length > 0 || mustFollow(replay, addressed);
    // What is on record already ends the run before it would take anything else.
    refuseEnded(stored.about.run_id, run, true);
    const made = isLater ? null : deliveredEvents(run, addressed);
    if (made === null || rest.some(isRequest)) {
      deliver(stored.path, addressed, redactor);
      return;
    }
    const open = openFileJournal(openRunFolder(directory, stored.about.run_id, lock), end, options.signer);
    // A refused answer or a note about its key changes nothing, so that the run is in the same condition as before.
    const isRefused = addressed.every(({ kind }) => kind === 'refused' || kind === 'key');
    const last = isRefused ? lastEvents(stored.journal, END_BYTES)[0] : undefined;
    const again = last !== undefined && statusAfter(last) !== null ? [last] : [];
    const events = cleanEvents([...rest, ...made, ...again], redactor);
    const written = events.map((event) => open.folder?.large.event(event) ?? event);
    open.append(written, end.seq + 1, new Date().toISOString());
    await open.sync();
    await open.close();
  });
}

/**
 * Whether deliveries cannot be recorded now: in a record, all that follows from one thing is before the next one, and what
 * follows may be a command, which only an execution of the run may request. Then the run takes them, one by one, when it is
 * executed and waits, after those in its inbox. The run is advanced.
 */
function mustFollow(replay: Replay, deliveries: readonly Delivery[]): boolean {
  replay.rest();
  return (
    replay.advanceToWait() ||
    (deliveries.length > 1 && deliveries.some(({ kind }) => kind === 'signal' || kind === 'cancel'))
  );
}

/**
 * What deliveries add to the record. An effect on record as requested counts as possibly executed, so requests, such as those
 * of the calls of a plan behind an approval, are left to the process that executes them, as after a crash. Null: another
 * delivery follows one that makes requests, or the run ends, which is reported by the process that executes it. The run must
 * not be used afterwards.
 */
function deliveredEvents(run: Run, deliveries: readonly Delivery[]): readonly RunEvent[] | null {
  const all: RunEvent[] = [];
  for (const [at, one] of deliveries.entries()) {
    applyDelivery(run, one);
    const made = run.takeEvents();
    const requested = made.findIndex(isRequest);
    if (run.result !== null || (requested >= 0 && at < deliveries.length - 1)) return null;
    all.push(...(requested === -1 ? made : made.slice(0, requested)));
  }
  return all;
}

const isRequest = ({ type }: RunEvent): boolean => type === 'effect_requested';

function cleanEvents(events: readonly RunEvent[], redactor: Redactor | null): readonly RunEvent[] {
  return redactor === null ? events : events.map((event) => redactor.event(event));
}

/** Enough of a journal for its last event. */
const END_BYTES = 1024 * 1024;

/** A run whose lock this process holds. */
interface HeldRun {
  readonly stored: StoredRun;
  readonly lock: RunLock;
  readonly directory: string;
}

/** The first phase: rebuilds the run from its record. */
export function recoverRecorded(
  stored: StoredRun,
  options: Pick<ResumeOptions, 'inputs' | 'env' | 'secrets'>,
): RecordedRun {
  const context = prepareRecovery(stored, options);
  const { inputs, redactor } = context;
  return { ...context, recovered: refuseDifference(recoverRun(stored, { inputs, redactor, discarded: null })) };
}

/** Reports the end of a run that has ended, perhaps for the first time, if nothing else is requested. */
function reportRecordedEnd(
  { stored, lock, directory }: HeldRun,
  recorded: RecordedRun,
  isUnreported: boolean,
  { onStart, onEnd, signer }: ResumeOptions,
): Promise<RunReport> {
  const { run_id } = stored.about;
  onStart?.({ runId: run_id, folder: stored.path });
  const folder = isUnreported ? openRunFolder(directory, run_id, lock) : null;
  return reportEnd(stored, recorded, { folder, directory, onEnd, signer });
}

/** The third phase. From here on, files are written and processes are stopped and started. */
async function driveResumed(
  { stored, lock, directory }: HeldRun,
  { recovered, redactor, inputs }: RecordedRun,
  { run, events, edited, again, leftovers, later }: ResumeDecision & { readonly later: readonly Delivery[] },
  options: ResumeOptions,
): Promise<RunReport> {
  const { about, path } = stored;
  if (edited !== null) keepMachine(about, path, edited);
  await stopLeftovers(stored, leftovers);
  removeUnfinished(stored);
  const worktrees = await knownWorktree(about.options.worktree, { dir: directory, runId: about.run_id, again });
  const cwd = directoryIn(worktrees, about.cwd, options.cwd);
  const folder = openRunFolder(directory, about.run_id, lock);
  const { end, inbox, activeMs } = recovered;
  const isKept = keepForLater(path, later, redactor);
  const open = openFileJournal(folder, end, options.signer);
  options.onStart?.({ runId: about.run_id, folder: path, again });
  folder.appendIndex({ ...indexEntry(stored, run, activeMs), ...omitUndefined({ head: open.head ?? undefined }) });
  return driveRun(
    {
      runId: about.run_id,
      run,
      startedAt: about.started_at,
      labels: labelsOf(about),
      open,
      redactor,
      checkpoints: checkpoints(path, redactor, end),
      inbox: openInbox(path, inbox),
      key: about.key?.name,
      begin: { seq: end.seq, events, activeMs, deliveries: isKept ? [] : later },
      cwd,
      worktrees,
    },
    { ...options, inputs },
  );
}

/**
 * Puts what the run takes later into its inbox, so that an interruption or a crash before that does not lose it. False if it
 * contains a secret, which no file may have.
 */
function keepForLater(path: string, later: readonly Delivery[], redactor: Redactor | null): boolean {
  const values = later as unknown as Json;
  if (redactor !== null && JSON.stringify(redactor.value(values)) !== JSON.stringify(values)) return false;
  if (later.length > 0) deliver(path, later, null);
  return true;
}

function indexEntry({ about }: StoredRun, run: Run, activeMs: number) {
  return {
    run_id: about.run_id,
    machine: about.machine,
    status: 'running',
    state: run.currentState,
    started_at: about.started_at,
    ended_at: new Date().toISOString(),
    duration_ms: activeMs,
    cost: run.usage.cost,
    effects: run.usage.effects,
    ...omitUndefined({ key: about.key?.name }),
    ...labelsOf(about),
  };
}

/** The index is written last, so an end that is not in the index was not reported. */
function isEndUnreported(run: Run, { about }: StoredRun, directory: string): boolean {
  if (run.result === null) return false;
  const entry = readIndex(directory).get(about.run_id);
  return entry === undefined || entry.status === 'running';
}

interface EndReport extends Pick<ResumeOptions, 'onEnd' | 'signer'> {
  /** Null: the index has the end too, so the end is only reported again. */
  readonly folder: RunFolder | null;
  readonly directory: string;
}

/** Completes what the dead process began, and releases the run. */
async function reportEnd(
  { about }: StoredRun,
  { recovered, redactor }: { readonly recovered: Recovered; readonly redactor: Redactor | null },
  { folder, directory, onEnd, signer }: EndReport,
): Promise<RunReport> {
  const { run } = recovered.replay;
  const durationMs = Math.round(recovered.activeMs);
  const worktree = about.options.worktree === undefined ? null : await factsFrom(directory, about.run_id);
  const report = reportOf(
    run,
    { kind: 'ended' },
    { runId: about.run_id, durationMs, redactor, worktree, key: about.key?.name },
  );
  await onEnd?.(report);
  // The end was reported before.
  if (folder === null) return report;
  const open = openFileJournal(folder, recovered.end, signer);
  await closeRun(
    { run, open, startedAt: about.started_at, labels: labelsOf(about) },
    report,
    stateFile(folder, redactor),
  );
  return report;
}

async function factsFrom(store: string, runId: string): Promise<WorktreeFacts | null> {
  return (await import('../../worktree/worktree-facts.js')).worktreeFacts(store, runId);
}
