/**
 * Shows a run at its end or after any earlier event. Its state is rebuilt from the record, as for resuming. The whole record
 * is read, so that damage anywhere in it is reported and nothing is guessed.
 */
import { ActiveTime } from '../interpreter/events/active-time.js';
import type { Run } from '../interpreter/run.js';
import type { Json } from '../machine/expression.js';
import type { Redactor } from './redact.js';
import { asRecorded, type RecordedState } from './run/again/as-recorded.js';
import { recoveryContextOf } from './run/again/prepare-recovery.js';
import { recoverRun } from './run/again/recover.js';
import { type RecordedStep, RecordedSteps } from './run/recorded-steps.js';
import { type RunReport, reportOf } from './run/report.js';
import { statusAfter } from './status-after.js';
import type { JournalRecord } from './store/journal-line.js';
import { readJournal } from './store/read-journal.js';
import { RunRefused } from './store/run-refused.js';
import { type FlatRun, flatState } from './store/state-file.js';
import { openStoredRun, type RunStatus, readIndex, runStatus } from './store/stored-run.js';
import { worktreeFacts } from './worktree/worktree-facts.js';

/** A run as `statedsl show --json` prints it: its report, its values, and the event after which it is shown. */
export interface InspectedRun extends Omit<RunReport, 'status' | 'steps'> {
  /** Steps in the order in which they started; absent: there are none. */
  readonly steps?: readonly RecordedStep[];
  /** `running` also if the event is not the last one and the run continued. */
  readonly status: RunStatus;
  /** The number of the event after which the run is shown. */
  readonly seq: number;
  /** The time of this event, ISO 8601. */
  readonly at: string;
  readonly last_seq: number;
  /** ISO 8601. */
  readonly started_at: string;
  readonly inputs: Readonly<Record<string, Json>>;
  /** Entry values and locals of the state. */
  readonly bound: Readonly<Record<string, Json>>;
  /** The content of `state.json` at that time. */
  readonly values: Readonly<Record<string, Json>>;
}

interface Inspection {
  readonly run: InspectedRun;
  /** The last events up to the one after which the run is shown. */
  readonly recent: readonly JournalRecord[];
}

const RECENT = 10;

/** `at`: the event after which the run is shown; null means the last one. Throws a `RunRefused` or a `StoreError`. */
export function inspectRun(directory: string, runId: string, at: number | null): Inspection {
  const stored = openStoredRun(directory, runId);
  const { last, recent, activeMs, steps } = readTo(stored.journal, at);
  const shown = recent[recent.length - 1];
  if (shown === undefined) throw new RunRefused('unusable', `the run \`${runId}\` has no events`);
  if (at !== null && at > last)
    throw new RunRefused('wrong-use', `the run has no event ${at}`, `its last event is number ${last}`);
  const { started_at } = stored.about;
  const { inputs, redactor } = recoveryContextOf(stored, {});
  const discarded = shown.seq === last ? null : { from: shown.seq + 1, without: [] };
  const { replay, difference } = recoverRun(stored, { inputs, redactor, discarded });
  // Recovering raises limits, so that the run continues after a limit on record.
  if (difference !== null && difference.recorded.type !== 'budget_exceeded')
    throw new RunRefused(
      'unusable',
      `the state of the run cannot be rebuilt: event ${difference.seq} does not follow from the events before it`,
      'the run may depend on a secret, which is not stored; use `statedsl report`, which reads only the events',
    );
  const { run } = replay;
  const ahead = difference === null || difference.made === null ? [] : [difference.made];
  const recorded = asRecorded(run, [...ahead, ...replay.rest()], { journal: stored.journal, seq: shown.seq });
  const worktree = stored.about.options.worktree === undefined ? null : worktreeFacts(directory, runId);
  const ended = statusAfter(shown.event);
  const status = ended ?? (shown.seq === last ? currentStatus(directory, runId) : 'running');
  const { steps: _, ...report } = reportOf(
    run,
    { kind: 'ended' },
    { runId, durationMs: Math.round(activeMs), redactor, worktree },
  );
  const facts = { status, seq: shown.seq, at: shown.time, last_seq: last, started_at };
  const {
    values,
    data: __,
    keys: ___,
    undo: ____,
    ...known
  } = redactState({ inputs: run.inputs, keys: run.steps.keys, undo: run.undo.entries, ...recorded }, redactor);
  const stood = steps.list(run.steps.records);
  const about = stood.length === 0 ? {} : { steps: stood };
  return { run: { ...report, ...about, ...facts, ...withoutStates(run, known), values }, recent };
}

/** A workflow file has steps and no current state. */
function withoutStates<T extends Pick<RecordedState, 'state' | 'states' | 'states_total'>>(
  { linked }: Run,
  known: T,
): T {
  return linked.machine.workflow === undefined ? known : { ...known, state: null, states: [], states_total: 0 };
}

/** Names stay as they are, even one that equals a secret. */
function redactState<T extends RecordedState & Pick<FlatRun, 'inputs' | 'keys' | 'undo'>>(
  state: T,
  redactor: Redactor | null,
): T & Pick<InspectedRun, 'values'> {
  const flat = Object.entries(flatState(state, redactor)).sort(([a], [b]) => (a < b ? -1 : 1));
  const values = Object.fromEntries(flat);
  if (redactor === null) return { ...state, values };
  const clean = <V>(value: V): V => redactor.value(value as Json) as V;
  const all = (named: Readonly<Record<string, Json>>): Record<string, Json> =>
    Object.fromEntries(Object.entries(named).map(([name, value]) => [name, clean(value)]));
  const { inputs, tracked, bound, returned, error, waiting } = state;
  const texts = { returned: clean(returned), error: clean(error), waiting: clean(waiting) };
  return { ...state, ...texts, inputs: all(inputs), tracked: all(tracked), bound: all(bound), values };
}

interface RecordTail {
  /** The number of the last event on record. */
  readonly last: number;
  readonly recent: readonly JournalRecord[];
  readonly activeMs: number;
  readonly steps: RecordedSteps;
}

function readTo(journal: string, at: number | null): RecordTail {
  const time = new ActiveTime();
  const recent: JournalRecord[] = [];
  const steps = new RecordedSteps();
  const end = readJournal(journal, (record) => {
    if (at !== null && record.seq > at) return true;
    time.take(Date.parse(record.time), record.event);
    steps.take(record);
    recent.push(record);
    if (recent.length > RECENT) recent.shift();
    return true;
  });
  return { last: end.seq, recent, activeMs: time.ms, steps };
}

function currentStatus(directory: string, runId: string): RunStatus {
  return runStatus(directory, runId, readIndex(directory).get(runId));
}
