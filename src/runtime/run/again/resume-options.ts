/**
 * With what a run is resumed, and the second phase of resuming: whether and where. It works in memory only and neither
 * writes, stops nor starts anything, so a refusal leaves the run as it is on disk.
 */
import type { RunEvent, RunResumed, SpentAmount } from '../../../interpreter/events/event.js';
import { storedLimits } from '../../../interpreter/events/stored-limits.js';
import type { RepeatedInstruction } from '../../../interpreter/record/kept-effects.js';
import type { EffectRequest } from '../../../interpreter/request.js';
import { grant, type Run, reopen, settle, skipNumbers } from '../../../interpreter/run.js';
import { locationOf } from '../../../interpreter/run-state/thread.js';
import type { Undone } from '../../../interpreter/run-state/undo-register.js';
import { beginRollback } from '../../../interpreter/undo/rollback.js';
import type { Json } from '../../../machine/expression.js';
import type { Limits, Machine } from '../../../machine/machine.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { discardedMembers } from '../../record/counted-events.js';
import { digestOf } from '../../store/image.js';
import type { Delivery } from '../../store/inbox.js';
import { RunRefused } from '../../store/store-error.js';
import type { StoredRun } from '../../store/stored-run.js';
import { applyDeliveries } from '../apply-delivery.js';
import { doubtfulOutcome, type InDoubt } from '../in-doubt.js';
import { definedLimits, type RunOptions } from '../run-options.js';
import { findResumePoint, type ResumePoint } from './find-resume-point.js';
import type { RecoveryContext } from './prepare-recovery.js';
import { migrateToEdited } from './prepare-recovery.js';
import { type Recovered, recoverRun } from './recover.js';
import {
  type GoingBack,
  refuseDifference,
  refuseHopeless,
  refuseUnlessAgreed,
  refuseUnlessInserted,
  refuseUnlessRepeated,
  refuseUsedUp,
} from './refuse-resume.js';

/** A run as its record leaves it, with what was needed to read the record. */
export interface RecordedRun extends RecoveryContext {
  readonly recovered: Recovered;
}

export interface ResumeDecision {
  /** The run, ready to be driven. */
  readonly run: Run;
  /** The first new events: `run_resumed`, and what the dead process had computed and not written. */
  readonly events: readonly RunEvent[];
  /** The edited program in which the run continues; null: its own. */
  readonly edited: Machine | null;
  /** Requests on record without an outcome that are performed again. */
  readonly again: readonly EffectRequest[];
  /** Effects whose processes may still run. */
  readonly leftovers: ReadonlySet<string>;
}

/** Rejects with a `RunRefused` or a `StoreError`. */
export async function decideResume(
  stored: StoredRun,
  recorded: RecordedRun,
  options: ResumeOptions,
): Promise<ResumeDecision> {
  const { deliveries = [], person = 'user', inDoubt = 'fail' } = options;
  const start = chooseStart(stored, recorded, options, deliveries.length > 0);
  const { replay, stopped } = start.recovered;
  await refuseUnlessAgreed(stored, start.point, options.again);
  const { run, resumed, edited, repeated } = await agreedChanges(stored, { ...recorded, ...start }, options);
  await refuseUnlessRepeated(stored, repeated, options.again);
  const rest = replay.rest();
  const doubtful = replay.inDoubt();
  // The outcome of a failed effect is known, so repeating it raises no doubt.
  const failed = new Set(start.point?.doneAgain);
  if (edited === null) replay.release(failed);
  if (options.rollback) beginRollback(run, person);
  applyDeliveries(run, deliveries);
  for (const request of doubtful) {
    const outcome = failed.has(request.effect) ? null : doubtfulOutcome(request, inDoubt);
    if (outcome !== null) settle(run, request.effect, outcome);
  }
  return {
    run,
    events: [resumed, ...rest],
    edited,
    again: doubtful.filter(({ effect }) => run.pending.has(effect)),
    leftovers: new Set([...doubtful.map(({ effect }) => effect), ...stopped]),
  };
}

/** The point at which a run is resumed. */
interface ResumeStart {
  readonly recovered: Recovered;
  /** Where it failed; null: it had not ended. */
  readonly point: ResumePoint | null;
  /** What the discarded outcomes had cost; null: nothing. */
  readonly spent: SpentAmount | null;
}

/** At the end of the record, or before the failure. `isOpen`: the run must not have ended. Throws a `RunRefused`. */
function chooseStart(
  stored: StoredRun,
  { recovered, redactor, inputs }: RecordedRun,
  options: Pick<ResumeOptions, 'limits' | 'machine' | 'rollback'>,
  isOpen: boolean,
): ResumeStart {
  const { run } = recovered.replay;
  const { run_id } = stored.about;
  if (options.rollback) refuseRollback(run_id, run);
  if (run.undo.endedAs !== null && editedMachine(run, options.machine) !== null)
    throw new RunRefused(
      'wrong-use',
      `run \`${run_id}\` is being undone, as its own program says`,
      `finish that first: \`statedsl resume ${run_id}\``,
    );
  if (run.result === null || options.rollback) return { recovered, point: null, spent: null };
  refuseEnded(run_id, run, isOpen);
  refuseAfterRollback(run_id, run);
  const point = findResumePoint(stored, run.linked.machine);
  const { discarded, usedUp, hopeless } = point;
  const before = refuseDifference(recoverRun(stored, { inputs, redactor, discarded }));
  refuseUndone(run_id, before.replay.run, run);
  if (usedUp !== null) refuseUsedUp(usedUp, run.limits, options.limits ?? {});
  if (hopeless !== null) refuseHopeless(stored, point, { run: before.replay.run, machine: options.machine });
  return { recovered: before, point, spent: spentSince(before.replay.run, run) };
}

/** Throws a `RunRefused` if the run has ended for good, or has ended and the caller needs an open run. */
export function refuseEnded(runId: string, { result }: Run, isOpen: boolean): void {
  if (result === null) return;
  if (result.status === 'returned') throw new RunRefused('over', `run \`${runId}\` has already returned`);
  if (result.status === 'skipped')
    throw new RunRefused(
      'over',
      `run \`${runId}\` was skipped, because another run had its key`,
      'run the program again',
    );
  if (result.error?.kind === 'cancelled') throw new RunRefused('over', `run \`${runId}\` was cancelled`);
  if (isOpen)
    throw new RunRefused(
      'over',
      `run \`${runId}\` has failed`,
      'resume it before the point of failure: `statedsl resume`',
    );
}

/** What the outcomes cost that no longer count. Null: nothing. */
function spentSince({ usage: before }: Run, { usage: after }: Run): SpentAmount | null {
  const cost = after.knownCost - before.knownCost;
  const of = (count: keyof SpentAmount['tokens']) => after.tokens[count] - before.tokens[count];
  const tokens = { in: of('in'), out: of('out'), cache_read: of('cache_read'), cache_write: of('cache_write') };
  return cost === 0 && tokens.in + tokens.out + tokens.cache_read + tokens.cache_write === 0 ? null : { cost, tokens };
}

/** What the edited program has above what is open is executed first, if the user agrees that what is open begins anew. */
async function agreedChanges(
  stored: StoredRun,
  start: ResumeStart & RecoveryContext,
  options: ResumeOptions,
): Promise<Changes> {
  const changes = applyChanges(stored, start, options, false);
  if (changes.leftOut.length === 0) return changes;
  const others = applyChanges(stored, start, options, true);
  const anew = [...changes.run.pending.values()].filter(({ effect }) => !others.run.pending.has(effect));
  const lines = new Set(anew.map(({ thread }) => locationOf(thread).line));
  // What takes over an outcome is come to again, and does not run again.
  const done = new Set(
    (others.resumed.kept ?? []).flatMap(({ at }) => at.map(({ state, pc }) => lineIn(others.edited, state, pc))),
  );
  const first = changes.leftOut.filter(({ state, line }) => !done.has(`${state} ${line}`));
  if (anew.length > 0 || others.leftOut.length > 0)
    await refuseUnlessInserted(
      stored,
      { first, leftOut: others.leftOut, repeated: others.repeated, anew: [...lines] },
      options.again,
    );
  return others;
}

function lineIn(machine: Machine | null, state: string, pc: number): string {
  const code = machine?.states.find(({ name }) => name === state)?.code;
  return `${state} ${code?.[pc]?.origin.line}`;
}

interface Changes {
  readonly run: Run;
  readonly resumed: RunResumed;
  readonly edited: Machine | null;
  readonly repeated: readonly RepeatedInstruction[];
  readonly leftOut: readonly RepeatedInstruction[];
}

/** Applies to the run what differs from now on. The event records all of it, so that a replay can do the same. */
function applyChanges(
  stored: StoredRun,
  { recovered, point, spent, inputs, redactor }: ResumeStart & RecoveryContext,
  options: ResumeOptions,
  inserted: boolean,
): Changes {
  const { run: recordedRun } = recovered.replay;
  const limits = definedLimits(options.limits ?? {});
  const edited = editedMachine(recordedRun, options.machine);
  const failed = point !== null;
  const { granted = [], begun = null, discarded = null } = point ?? {};
  const moving = { failed, inserted, file: options.file, discarded, inputs, redactor };
  const { run, kept, repeated, leftOut } =
    edited === null
      ? { run: recordedRun, kept: [], repeated: [], leftOut: [] }
      : migrateToEdited(recordedRun, edited, stored, moving);
  const resumed: RunResumed = omitUndefined({
    type: 'run_resumed',
    by: options.person ?? 'user',
    ...(failed ? discardedMembers(point.discarded) : {}),
    begun: begun ?? undefined,
    spent: spent ?? undefined,
    granted: granted.length === 0 ? undefined : granted,
    digest: edited === null ? undefined : digestOf(edited),
    kept: kept.length === 0 ? undefined : kept,
    inserted: inserted ? true : undefined,
    limits: isEmpty(limits) ? undefined : storedLimits(limits),
  });
  if (spent !== null) run.usage.addSpent(spent);
  grant(run, granted);
  if (begun !== null) skipNumbers(run, begun);
  if (failed || resumed.limits !== undefined) reopen(run, limits);
  return { run, resumed, edited, repeated, leftOut };
}

/** The given program, if it differs from that of the run. */
export function editedMachine(run: Run, machine: Machine | undefined): Machine | null {
  return machine !== undefined && digestOf(machine) !== digestOf(run.linked.machine) ? machine : null;
}

/** Whether the run is resumed only because its process died, with nothing changed. */
export function asksNothing({ deliveries = [], machine, limits = {}, rollback }: ResumeOptions): boolean {
  return rollback === undefined && deliveries.length === 0 && machine === undefined && isEmpty(definedLimits(limits));
}

function isEmpty(limits: Limits): boolean {
  return Object.keys(limits).length === 0;
}

/** Refuses to resume a failed run at a point whose effects were undone since. `before` is the run at that point. */
export function refuseUndone(runId: string, before: Run, { undo, states }: Run): void {
  const { undone } = undo;
  if (undone !== null && undone.count > (before.undo.undone?.count ?? 0)) refuse(runId, undone, states);
}

/** A rollback follows the end of a run, so every point of the run is before it. */
export function refuseAfterRollback(runId: string, { undo, states }: Run): void {
  const { lateRollback, undone } = undo;
  if (lateRollback !== null && undone !== null) refuse(runId, undone, states);
}

function refuse(runId: string, undone: Undone, states: readonly string[]): never {
  const { state, transitions } = undone;
  const entry = states.slice(0, transitions + 1).filter((name) => name === state).length;
  const point = entry > 1 ? `${state}#${entry}` : state;
  throw new RunRefused(
    'over',
    `run \`${runId}\` has undone what it did in \`${state}\`, so it cannot be resumed after that`,
    `start a new run from a point before that: \`statedsl replay ${runId} --from ${point}\``,
  );
}

/** Refuses a rollback if there is nothing to undo, or if the run may still need what it did. */
export function refuseRollback(runId: string, { result, undo }: Run): void {
  // An interrupted rollback is finished.
  if (undo.endedAs !== null) return;
  if (result === null)
    throw new RunRefused(
      'wrong-use',
      `run \`${runId}\` is not over and may still need what it did`,
      `resume it with \`statedsl resume ${runId}\`, or end it with \`statedsl cancel ${runId}\``,
    );
  if (result.status === 'returned')
    throw new RunRefused('over', `run \`${runId}\` has returned, and only failed or cancelled runs can be rolled back`);
  if (undo.open.length === 0) throw new RunRefused('over', `run \`${runId}\` has nothing to undo`);
}

/** The options of `run` that still apply, and those that only a resumed run has. */
export interface ResumeOptions
  extends Omit<
    RunOptions,
    'runId' | 'journal' | 'start' | 'autoEvents' | 'jobs' | 'effectTimeoutMs' | 'sources' | 'settings'
  > {
  /** The folder of the store; `.statedsl` by default. */
  readonly dir?: string;
  /** The secret inputs. They are not on disk, so they must be given again. */
  readonly inputs?: Readonly<Record<string, Json>>;
  /** Default `fail`: such a call fails with `in_doubt`, which the program can handle. */
  readonly inDoubt?: InDoubt;
  /** An edited program in which the run continues. */
  readonly machine?: Machine;
  /** The path of this program, for messages. */
  readonly file?: string;
  /**
   * Whether the run may go back before a failure that effects of a handler followed: true, or a function that asks. The run
   * is refused without either.
   */
  readonly again?: boolean | ((back: GoingBack) => boolean | Promise<boolean>);
  /** Rolls back a run that has ended. */
  readonly rollback?: true;
  /** Delivered to the run before it continues. */
  readonly deliveries?: readonly Delivery[];
}
