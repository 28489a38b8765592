/**
 * Goes on with a run that stopped: after a crash, an interruption, a suspension or a failure. Its record is read, what
 * its processes left running is stopped, and the run is executed from where it is. Nothing that has an outcome on
 * record is done again.
 *
 * 1. Whatever can be refused is refused before anything is written.
 * 2. `run_resumed` is the first new event; what the dead process had made and not written follows it.
 */

import type { Granted, RunResumed, Spent } from '../../../interpreter/events/event.js';
import { storedLimits } from '../../../interpreter/events/stored-limits.js';
import { addSpent } from '../../../interpreter/record/replay.js';
import type { EffectRequest } from '../../../interpreter/request.js';
import { failsAgain, goOn, grant, type Run, settle, skipNumbers } from '../../../interpreter/run.js';
import { beginRollback } from '../../../interpreter/undo/rollback.js';
import { byteCount } from '../../../machine/byte-count.js';
import type { Json } from '../../../machine/expression.js';
import type { LimitScope, Limits, Machine } from '../../../machine/machine.js';
import { removeUnfinished, stopLeftovers } from '../../process/leftovers.js';
import { createRedactor, type Redactor } from '../../redact.js';
import { checkpoints, noStates } from '../../store/checkpoint.js';
import { type Delivery, openInbox } from '../../store/inbox.js';
import { openFileJournal } from '../../store/journal.js';
import { digestOf } from '../../store/machine-digest.js';
import { recordedInputs } from '../../store/recorded-inputs.js';
import { lockRun, ownerText, type RunLock } from '../../store/run-lock.js';
import { RunRefused } from '../../store/run-refused.js';
import { openRunFolder } from '../../store/store.js';
import { findRunId, openStoredRun, type StoredRun, storedMachine } from '../../store/stored-run.js';
import { requireOwnStore } from '../../store/whose-store.js';
import { conduct } from '../conduct.js';
import { defaultLimit } from '../growth.js';
import { tell } from '../receive.js';
import type { RunReport } from '../report.js';
import { defined, type RunOptions, secretsOf } from '../run-options.js';
import { directoryIn, knownWorktree } from '../run-place.js';
import { discardedMembers } from './discarded-ranges.js';
import { type FirstFailure, findResumePoint, type KnownEffect, type ResumePoint } from './find-resume-point.js';
import { keepMachine, movedRun } from './move-run.js';
import { type Recovered, recoverRun } from './recover.js';
import { refuseAfterRollback, refuseRollback, refuseUndone } from './refuse-undone.js';
import type { UsedUp } from './search-record.js';
import { isUntold, tellEnd } from './untold-end.js';

/** What to do with a command or agent call that may have run and must not run twice (`once`). */
export type InDoubt = 'retry' | 'skip' | 'fail';

/** The options of `run` that still make sense, and what only a run that goes on has. */
export interface ResumeOptions
  extends Omit<RunOptions, 'journal' | 'start' | 'autoEvents' | 'jobs' | 'effectTimeoutMs' | 'sources' | 'settings'> {
  /** Folder of the store; default `.statedsl`. */
  readonly dir?: string;
  /** Inputs that are secret: they are not on disk, so they have to be given again. */
  readonly inputs?: Readonly<Record<string, Json>>;
  /** Default `fail`: such a call fails with `in_doubt`, which the program can handle. */
  readonly inDoubt?: InDoubt;
  /** Goes on in an edited program. */
  readonly machine?: Machine;
  /** Where that program is, for messages. */
  readonly file?: string;
  /**
   * The run goes back to before a failure that was handled by effects. True does that; a function is asked. Without
   * either it is refused.
   */
  readonly again?: boolean | ((back: GoingBack) => boolean | Promise<boolean>);
  /** Takes back what the run did, which is over. */
  readonly rollback?: true;
  /** Told to the run before it goes on. */
  readonly deliveries?: readonly Delivery[];
}

/** What a run is to do once more, and what was done because that had failed. */
export interface GoingBack extends Pick<ResumePoint, 'again' | 'stays' | 'failure'> {
  readonly runId: string;
}

/**
 * Goes on with a run. `runId` is an id or the beginning of one. Rejects with a `RunRefused` when that is not possible:
 * there is no such run, another process has it, it is over, or something that it needs is missing.
 */
export async function resume(runId: string, options: ResumeOptions = {}): Promise<RunReport> {
  return locked(runId, options, async (stored, lock, directory) => {
    const known = recoveredRun(stored, options);
    const { run: recordedRun } = known.recovered.replay;
    const untold = isUntold(recordedRun, stored, directory);
    if ((untold || recordedRun.result?.status === 'returned') && asksNothing(options)) {
      options.onStart?.({ runId: stored.about.run_id, folder: stored.path });
      const folder = untold ? openRunFolder(directory, stored.about.run_id, lock) : null;
      return tellEnd(stored, known, { folder, directory, onEnd: options.onEnd });
    }
    const taken = takeUp(stored, known, options, (options.deliveries ?? []).length > 0);
    const { recovered, redactor, inputs } = taken;
    await agreed(stored, taken.point, options);
    const { run, resumed } = changed(stored, taken, options);
    const rest = recovered.replay.rest();
    const doubtful = recovered.replay.inDoubt();
    if (run === recovered.replay.run) recovered.replay.release();
    if (options.rollback) beginRollback(run, options.person ?? 'user');
    tell(run, options.deliveries ?? []);
    await stopLeftovers(stored, new Set([...doubtful.map(({ effect }) => effect), ...recovered.stopped]));
    removeUnfinished(stored);
    for (const request of doubtful)
      if (!taken.failed.has(request.effect)) decide(run, request, options.inDoubt ?? 'fail');
    const { about, path } = stored;
    const again = doubtful.filter(({ effect }) => run.pending.has(effect));
    const worktrees = await knownWorktree(about.options, { dir: directory, runId: about.run_id, again });
    const cwd = directoryIn(worktrees, about.cwd, options.cwd);
    const folder = openRunFolder(directory, about.run_id, lock);
    const open = openFileJournal(folder, taken.end);
    options.onStart?.({ runId: about.run_id, folder: path, again });
    folder.appendIndex(entryOf(stored, run));
    const { end } = taken;
    // Another machine numbers its states in another way.
    const states = run === recovered.replay.run ? taken.states : noStates;
    return conduct(
      {
        runId: about.run_id,
        run,
        startedAt: about.started_at,
        open,
        redactor,
        checkpoints: checkpoints(path, digestOf(run.linked.machine), redactor, { ...end, ...states }),
        inbox: openInbox(path, taken.inbox),
        begin: { seq: end.seq, events: [resumed, ...rest], activeMs: taken.activeMs },
        cwd,
        worktrees,
      },
      { ...options, inputs },
    );
  });
}

/** Records what a run is told, all of it or nothing, and executes nothing. Rejects like `resume`. */
export async function recordDelivery(
  runId: string,
  told: Delivery | readonly Delivery[],
  options: Pick<ResumeOptions, 'dir' | 'inputs' | 'env' | 'secrets'> = {},
): Promise<void> {
  return locked(runId, options, async (stored, lock, directory) => {
    const { recovered, redactor, end } = takeUp(stored, recoveredRun(stored, options), {}, true);
    const rest = recovered.replay.rest();
    const { run } = recovered.replay;
    tell(run, Array.isArray(told) ? told : [told as Delivery]);
    const events = [...rest, ...run.takeEvents()].map((event) => redactor?.event(event) ?? event);
    const open = openFileJournal(openRunFolder(directory, stored.about.run_id, lock), end);
    const recorded = events.map((event) => open.folder?.large.event(event) ?? event);
    open.append(recorded, end.seq + 1, new Date().toISOString());
    await open.sync();
    await open.close();
  });
}

/** Finds the run, takes its lock, and gives it back when that fails. */
export async function locked<T>(
  name: string,
  { dir = '.statedsl' }: { readonly dir?: string },
  action: (stored: StoredRun, lock: RunLock, directory: string) => Promise<T>,
): Promise<T> {
  const id = findRunId(dir, name);
  await requireOwnStore(dir, id);
  const stored = openStoredRun(dir, id);
  const attempt = lockRun(stored.path);
  if (!('lock' in attempt)) {
    const message = `run \`${stored.about.run_id}\` is being executed by ${ownerText(attempt.owner)}`;
    const help = attempt.owner.isHere
      ? 'wait until it ends, or end it with `statedsl cancel`'
      : 'wait until it ends; one that died there is known to be dead 15 s later';
    throw new RunRefused('held', message, help);
  }
  try {
    return await action(stored, attempt.lock, dir);
  } finally {
    attempt.lock.release();
  }
}

interface TakenUp extends Pick<Recovered, 'end' | 'activeMs' | 'inbox' | 'states'> {
  readonly recovered: Recovered;
  readonly redactor: Redactor | null;
  readonly inputs: Readonly<Record<string, Json>>;
  /** Where it failed; null: it had not ended. */
  readonly point: ResumePoint | null;
  readonly spent: Spent | null;
  /** Effects whose failures are on record, and that are done again: nothing about them is in doubt. */
  readonly failed: ReadonlySet<string>;
}

/** A run that goes on only because it was killed, and not because something is to be different. */
function asksNothing({ deliveries = [], machine, limits = {}, rollback }: ResumeOptions): boolean {
  return (
    rollback === undefined &&
    deliveries.length === 0 &&
    machine === undefined &&
    Object.keys(defined(limits)).length === 0
  );
}

type Known = Pick<TakenUp, 'recovered' | 'redactor' | 'inputs'>;

/** The run as its record leaves it. */
function recoveredRun(stored: StoredRun, options: Pick<ResumeOptions, 'inputs' | 'env' | 'secrets'>): Known {
  const first = storedMachine(stored, stored.about.digest);
  const inputs = recordedInputs(stored, first, options.inputs ?? {});
  const redactor = createRedactor(secretsOf(first, { ...options, inputs }));
  return { recovered: understood(recoverRun(stored, { inputs, redactor, discarded: null })), redactor, inputs };
}

/** The run where it goes on: at the end of its record, or before it failed. `open`: it must not have ended. */
function takeUp(
  stored: StoredRun,
  { recovered, redactor, inputs }: Known,
  options: Pick<ResumeOptions, 'limits' | 'machine' | 'rollback'>,
  open: boolean,
): TakenUp {
  const { end, activeMs, inbox, states } = recovered;
  const { run } = recovered.replay;
  const known = { end, activeMs, inbox, redactor, inputs };
  if (options.rollback) refuseRollback(stored.about.run_id, run);
  if (run.result === null || options.rollback)
    return { ...known, recovered, states, point: null, spent: null, failed: new Set() };
  const { run_id } = stored.about;
  if (run.result.status === 'returned') throw new RunRefused('over', `run \`${run_id}\` has already returned`);
  if (run.result.error?.kind === 'cancelled') throw new RunRefused('over', `run \`${run_id}\` was cancelled`);
  if (open)
    throw new RunRefused('over', `run \`${run_id}\` has failed`, '`statedsl resume` goes on before the failure');
  refuseAfterRollback(run_id, run);
  const point = findResumePoint(stored, run.linked.machine, run.blamed);
  const { discarded: cut, usedUp } = point;
  const before = understood(recoverRun(stored, { inputs, redactor, discarded: cut }));
  refuseUndone(run_id, before.replay.run, run);
  if (usedUp !== null) refuseUsedUp(usedUp, run.limits, options.limits ?? {});
  if (point.hopeless !== null) refuseHopeless(stored, point, { run: before.replay.run, machine: options.machine });
  return {
    ...known,
    recovered: before,
    states: before.states,
    point,
    spent: spentSince(before.replay.run, run),
    failed: new Set(point.doneAgain),
  };
}

/** Goes back before what a handler did only if somebody wants that. Throws a `RunRefused`. */
async function agreed({ about }: StoredRun, point: ResumePoint | null, { again }: ResumeOptions): Promise<void> {
  if (point === null || point.stays.length === 0) return;
  const { stays, failure } = point;
  const back = { runId: about.run_id, again: point.again, stays, failure };
  if (typeof again === 'function' ? await again(back) : again === true) return;
  throw new RunRefused(
    'wrong-use',
    `the failure was handled: ${listed(stays)} ${stays.length === 1 ? 'was done and stays' : 'were done and stay'} done, and ${goal(back)}`,
    `if that is what you want: \`statedsl resume ${about.run_id} --again\``,
  );
}

function goal({ again, failure }: GoingBack): string {
  if (again.length > 0) return `${listed(again)} would be done again`;
  return failure === null ? 'the run would go back before it' : `the run would go back to line ${failure.line}`;
}

function listed(effects: readonly KnownEffect[]): string {
  const shown = effects.slice(0, 5).map(({ text, line }) => `\`${oneLine(text)}\` (line ${line})`);
  return effects.length > 5 ? `${shown.join(', ')} and ${effects.length - 5} more` : shown.join(', ');
}

function oneLine(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}

/** A failure that no effect had is the same each time: it is no use to resume, unless something else is different now. */
function refuseHopeless(
  { about }: StoredRun,
  { hopeless, failure, discarded: cut }: ResumePoint,
  { run, machine }: { readonly run: Run; readonly machine: Machine | undefined },
): void {
  const edited = machine !== undefined && digestOf(machine) !== digestOf(run.linked.machine);
  if (hopeless === 'unless-edited' && (edited || !failsAgain(run, cut.held ?? []))) return;
  const { error, line, state } = failure as FirstFailure;
  const file = about.program === null || about.program === '<stdin>' ? 'FILE' : about.program;
  const help =
    hopeless === 'always'
      ? `correct it and begin again from a state: \`statedsl replay ${about.run_id} --from ${state} --from-file ${file}\``
      : `correct the program, then: \`statedsl resume ${about.run_id} --from-file ${file}\``;
  throw new RunRefused('wrong-use', `the run would fail again in line ${line}: ${error}`, help);
}

const FLAGS = {
  transitions: '--max-transitions',
  time: '--timeout',
  cost: '--max-cost',
  tokens: '--max-tokens',
  journal: '--max-journal',
  output: '--max-output',
} as const;

/** A run that stopped at a limit goes on only with a higher one: else every resume would go a little further. */
function refuseUsedUp({ scope, limit, used }: UsedUp, had: Limits, given: Limits): void {
  const key = scope === 'time' ? 'timeMs' : scope;
  const raised = given[key];
  const isOwn = (had[key] ?? defaultLimit(scope)) === limit;
  if (isOwn && raised !== undefined && raised >= used && raised > limit) return;
  const amount = limitText(scope, limit);
  if (isOwn)
    throw new RunRefused(
      'wrong-use',
      `the run has used up its limit of ${amount}`,
      `give it more: \`${FLAGS[scope]}\``,
    );
  throw new RunRefused(
    'wrong-use',
    `a workflow that the run calls has used up its own limit of ${amount}`,
    'raise the limit in the file of that workflow, and begin a new run',
  );
}

function limitText(scope: LimitScope, limit: number): string {
  if (scope === 'journal' || scope === 'output') return `${byteCount(limit)} of ${scope}`;
  return scope === 'time' ? `${limit} ms` : scope === 'cost' ? `$${limit}` : `${limit} ${scope}`;
}

function understood(recovered: Recovered): Recovered {
  const { difference } = recovered;
  if (difference === null) return recovered;
  const made = difference.made === null ? 'nothing' : `\`${difference.made.type}\``;
  throw new RunRefused(
    'unusable',
    `the record of the run does not fit its program: event ${difference.seq} is \`${difference.recorded.type}\`, and the program makes ${made}`,
    'a value that the run decided by may have been a secret, which is not kept; `statedsl replay` shows the difference',
  );
}

/** What outcomes cost that do not count any more. Null: nothing. */
function spentSince(before: Run, after: Run): Spent | null {
  const cost = after.knownCost - before.knownCost;
  const of = (count: keyof Spent['tokens']) => after.tokens[count] - before.tokens[count];
  const tokens = { in: of('in'), out: of('out'), cache_read: of('cache_read'), cache_write: of('cache_write') };
  return cost === 0 && tokens.in + tokens.out + tokens.cache_read + tokens.cache_write === 0 ? null : { cost, tokens };
}

/** The run with what changes now: another program, other limits. The event says all of it, so that a replay can do the same. */
function changed(stored: StoredRun, taken: TakenUp, options: ResumeOptions): { run: Run; resumed: RunResumed } {
  const limits = defined(options.limits ?? {});
  const { point, spent } = taken;
  const cut = point?.discarded ?? null;
  const granted: readonly Granted[] = point?.granted ?? [];
  const begun = point?.begun ?? null;
  const digest = options.machine === undefined ? null : digestOf(options.machine);
  const edited =
    digest !== null && digest !== digestOf(taken.recovered.replay.run.linked.machine) ? options.machine : undefined;
  const resumed: RunResumed = {
    type: 'run_resumed',
    by: options.person ?? 'user',
    ...(cut === null ? {} : discardedMembers(cut)),
    ...(begun === null ? {} : { begun }),
    ...(spent === null ? {} : { spent }),
    ...(granted.length === 0 ? {} : { granted }),
    ...(edited === undefined || digest === null ? {} : { digest }),
    ...(Object.keys(limits).length === 0 ? {} : { limits: storedLimits(limits) }),
  };
  const { run: recordedRun } = taken.recovered.replay;
  const run =
    edited === undefined
      ? recordedRun
      : movedRun(recordedRun, edited, { runId: stored.about.run_id, failed: cut !== null, file: options.file });
  if (edited !== undefined) keepMachine(stored.about, stored.path, edited);
  if (spent !== null) addSpent(run, spent);
  grant(run, granted);
  if (begun !== null) skipNumbers(run, begun);
  if (cut !== null || resumed.limits !== undefined) goOn(run, limits);
  return { run, resumed };
}

function decide(run: Run, request: EffectRequest, inDoubt: InDoubt): void {
  if (!('once' in request) || !request.once || inDoubt === 'retry') return;
  if (inDoubt === 'skip') settle(run, request.effect, { kind: 'value', value: null });
  else {
    const message = 'it may have run before the run stopped, and must not run twice; `--in-doubt` decides';
    settle(run, request.effect, { kind: 'failed', error_type: 'in_doubt', message });
  }
}

function entryOf({ about }: StoredRun, run: Run) {
  return {
    run_id: about.run_id,
    machine: about.machine,
    status: 'running',
    state: run.currentState,
    started_at: about.started_at,
    ended_at: new Date().toISOString(),
    duration_ms: 0,
    cost: run.cost,
    effects: run.effects,
  };
}
