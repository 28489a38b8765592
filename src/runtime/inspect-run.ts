/**
 * Shows a run at its end or after any earlier event. Its state is rebuilt from the record, as for resuming. All of the
 * record up to that event is checked, so that damage is reported and nothing is guessed; only the events since the last
 * checkpoint before it are executed again.
 */
import type { Buffer } from 'node:buffer';
import { closeSync } from 'node:fs';
import { dirname } from 'node:path';
import { ActiveTime, statusAfter } from '../interpreter/events/status-after.js';
import type { Run } from '../interpreter/run.js';
import type { Printed } from '../interpreter/values/json.js';
import type { Json } from '../machine/expression.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { areAllAfter, knownRanges } from './record/counted-events.js';
import { type RecordedStep, StepStories } from './record/step-stories.js';
import { RecordScan } from './record-scan.js';
import { type Redactor, redactError, redactNamed, redactWritten } from './redact.js';
import { asRecorded, type RecordedState } from './run/again/as-recorded.js';
import { recoveryContextOf } from './run/again/prepare-recovery.js';
import { recoverRun } from './run/again/recover.js';
import { type RunReport, reportOf } from './run/run-report.js';
import { artifactsFolder } from './store/artifacts.js';
import { type Checkpoint, earlierCheckpoints, readCheckpoint } from './store/checkpoint.js';
import { positionAfter } from './store/find-event.js';
import { type JournalRecord, readJournalLine } from './store/journal-line.js';
import { JournalLines } from './store/journal-lines.js';
import { decodeEvent, REFERS } from './store/large-values.js';
import { openToRead } from './store/own-file.js';
import { type JournalPosition, journalStart, readJournal, readUntil } from './store/read-journal.js';
import { lockHolder } from './store/run-lock.js';
import { type FlatRun, flatState } from './store/state-file.js';
import { JournalDamage, RunRefused } from './store/store-error.js';
import {
  aboutToBegin,
  openStoredRun,
  type RunStatus,
  readIndex,
  runStatus,
  type StoredRun,
} from './store/stored-run.js';
import { keptFacts, worktreeFacts } from './worktree/worktree-facts.js';

/** A run as `statedsl show --json` prints it: its report, its values, and the event after which it is shown. */
export interface InspectedRun extends Omit<RunReport, 'status' | 'steps'> {
  /** What a person calls it: its name, the title of its program or its inputs, or else its program. */
  readonly title: string;
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
  /** The JSON text of values with a number that was written differently, such as `1.10`, by name. */
  readonly printed_inputs?: Printed;
  readonly printed_bound?: Printed;
  readonly printed_values?: Printed;
}

interface Inspection {
  readonly run: InspectedRun;
  /** The last events up to the one after which the run is shown. */
  readonly recent: readonly JournalRecord[];
}

const RECENT = 10;
/** So many events are executed again sooner than a folder of checkpoints is read. */
const FEW = 500;

/** What a caller that inspects many runs already knows. */
export interface Known {
  readonly stored: StoredRun;
  /** The record, as far as it is on disk now. */
  readonly scanned: RecordScan;
  /** The variables whose secret values are replaced. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The status of a run of which the record has no end. */
  readonly statusNow: () => RunStatus;
}

/**
 * `at`: the event after which the run is shown; null means the last one. Damage after that event is not refused. Throws a
 * `RunRefused` or a `StoreError`.
 */
export function inspectRun(directory: string, runId: string, at: number | null, known?: Known): Inspection {
  const { stored, scanned, env, statusNow } = known ?? knownOf(directory, runId);
  const { journal } = stored;
  const { last, damaged } = scanned;
  if (damaged !== null && (at === null || at >= damaged.seq)) refuseDamage(journal, damaged);
  if (last === 0 && lockHolder(stored.path).owner !== null) throw aboutToBegin(runId);
  // It may have recorded something that was lost.
  if (last === 0) readJournal(journal, () => true);
  if (last === 0)
    throw new RunRefused(
      'unusable',
      `the process of run \`${runId}\` ended before the run recorded anything`,
      `continue it: \`statedsl resume ${runId}\``,
    );
  if (at !== null && at > last)
    throw new RunRefused('wrong-use', `the run has no event ${at}`, `its last event is number ${last}`);
  const checkpoint = checkpointBefore(stored.path, scanned, at ?? last);
  const recent = recentEvents(journal, at ?? last, checkpoint);
  const shown = recent[recent.length - 1];
  if (shown === undefined) throw new RunRefused('wrong-use', `the run has no event ${at}`, 'the first one is number 1');
  const { started_at, machine, options: fixed } = stored.about;
  const title = fixed.title ?? machine;
  const { inputs, redactor } = recoveryContextOf(stored, { env });
  const discarded = shown.seq === last ? null : { from: shown.seq + 1, without: [] };
  const start = discarded === null || checkpoint === null ? {} : { checkpoint };
  const options = { inputs, redactor, discarded, resumes: scanned.events, ...start };
  const { replay, difference, base } = recoverRun(stored, options);
  // Recovering raises limits, so that the run continues after a limit on record.
  if (difference !== null && difference.recorded.type !== 'budget_exceeded')
    throw new RunRefused(
      'unusable',
      `the state of the run cannot be rebuilt: event ${difference.seq} does not follow from the events before it`,
      'the run may depend on a secret, which is not stored; use `statedsl report`, which reads only the events',
    );
  const { run } = replay;
  const ahead = difference === null || difference.made === null ? [] : [difference.made];
  const recorded = asRecorded(run, [...ahead, ...replay.rest()], { journal, base, seq: shown.seq });
  const hasWorktree = stored.about.options.worktree !== undefined;
  const worktree = hasWorktree ? (worktreeFacts(directory, runId) ?? keptFacts(stored.path)) : null;
  const ended = statusAfter(shown.event);
  const status = ended ?? (shown.seq === last ? statusNow() : 'running');
  const { steps: _, ...report } = reportOf(
    run,
    { kind: 'ended' },
    {
      runId,
      durationMs: Math.round(activeUntil(journal, scanned, shown.seq)),
      redactor,
      worktree,
      key: stored.about.key?.name,
    },
  );
  const facts = { title, status, seq: shown.seq, at: shown.time, last_seq: last, started_at };
  const {
    values,
    data: __,
    keys: ___,
    undo: ____,
    ...shownState
  } = redactState(
    {
      inputs: run.inputs,
      printed_inputs: run.printedInputs,
      keys: run.steps.keys,
      undo: run.undo.entries,
      ...recorded,
    },
    redactor,
  );
  const stood = stepsUntil(scanned, shown.seq).list(run.steps.records);
  const about = stood.length === 0 ? {} : { steps: stood };
  return { run: { ...report, ...about, ...facts, ...withoutStates(run, shownState), values }, recent };
}

/** A workflow file has steps and no current state. */
function withoutStates<T extends Pick<RecordedState, 'state' | 'states' | 'states_total'>>(
  { linked }: Run,
  known: T,
): T {
  return linked.machine.workflow === undefined ? known : { ...known, state: null, states: [], states_total: 0 };
}

/** Names stay as they are, even one that equals a secret. */
function redactState<
  T extends RecordedState &
    Pick<FlatRun, 'inputs' | 'keys' | 'undo'> & { readonly printed_inputs?: Printed | undefined },
>(state: T, redactor: Redactor | null) {
  const { values, printed: printed_values } = flatState(state, redactor);
  if (redactor === null) return { ...state, ...omitUndefined({ printed_values }), values };
  const { value: clean } = redactor;
  const inputs = redactNamed(state.inputs, state.printed_inputs, clean);
  const tracked = redactNamed(state.tracked, state.printed_tracked, clean);
  const bound = redactNamed(state.bound, state.printed_bound, clean);
  const returned = redactWritten(state.returned, state.printed_returned, clean);
  return {
    ...state,
    ...{ inputs: inputs.values, tracked: tracked.values, bound: bound.values, values, returned: returned.value },
    ...{ printed_inputs: inputs.printed, printed_tracked: tracked.printed, printed_bound: bound.printed },
    ...{ printed_returned: returned.printed, printed_values },
    error: state.error === null ? null : redactError(state.error, clean),
    waiting: clean(state.waiting as unknown as Json) as unknown as typeof state.waiting,
  };
}

/** Throws what reading the damaged part says about it. */
function refuseDamage(journal: string, { seq, byte }: { readonly seq: number; readonly byte: number }): never {
  readJournal(journal, () => true);
  throw new JournalDamage(`\`${journal}\` is damaged: event ${seq}, which begins at byte ${byte}`, seq, byte);
}

/** The last checkpoint before the events that are shown, if what was discarded later does not concern it. */
function checkpointBefore(folder: string, { events }: RecordScan, at: number): Checkpoint | null {
  if (at <= FEW) return null;
  const shown = { from: at + 1, without: [] };
  for (const seq of earlierCheckpoints(folder)) {
    const position = { seq, offset: 0 };
    if (seq > at - RECENT || !areAllAfter(knownRanges(events, shown, position), position)) continue;
    const checkpoint = readCheckpoint(folder, seq);
    if (checkpoint !== null) return checkpoint;
  }
  return null;
}

/** The last events until `at`. `from`: an earlier point at which no line continues a value of a line before it. */
function recentEvents(journal: string, at: number, from: Checkpoint | null): JournalRecord[] {
  const lines = linesBetween(journal, Math.max(0, at - RECENT), at);
  if (lines.some((line) => line.includes(CONTINUES))) return eventsBetween(journal, at, from);
  const artifacts = artifactsFolder(dirname(journal));
  return lines.flatMap((line) => {
    const record = readJournalLine(line);
    if (record === null) return [];
    return line.includes(REFERS) ? { ...record, event: decodeEvent(record.event, artifacts) } : record;
  });
}

/** A member of a line whose variable has more than the line says. */
const CONTINUES = '"appended":';

/** The lines of the events after one event until another. */
function linesBetween(journal: string, after: number, until: number): string[] {
  const found: string[] = [];
  const fd = openToRead(journal);
  try {
    const lines = new JournalLines(fd, journal, positionAfter(fd, journal, after));
    const listener = {
      line: (buffer: Buffer, start: number, end: number, { seq }: JournalPosition): void => {
        if (seq <= until) found.push(buffer.toString('utf8', start, end));
      },
      damage: () => undefined,
    };
    while (lines.end.seq < until && lines.read(1, listener));
    return found;
  } finally {
    closeSync(fd);
  }
}

function eventsBetween(journal: string, at: number, from: Checkpoint | null): JournalRecord[] {
  const recent: JournalRecord[] = [];
  const take = (record: JournalRecord): void => {
    recent.push(record);
    if (recent.length > RECENT) recent.shift();
  };
  readUntil(journal, at, take, from ?? journalStart);
  return recent;
}

function stepsUntil({ events }: RecordScan, at: number): StepStories {
  const steps = new StepStories();
  for (const record of events) if (record.seq <= at) steps.take(record);
  return steps;
}

/** Milliseconds in which a process executed the run. */
function activeUntil(journal: string, scan: RecordScan, at: number): number {
  const mark = scan.activeMark(at);
  if (mark.seq === at) return mark.ms;
  const time = new ActiveTime(mark.ms, mark.last);
  for (const line of linesBetween(journal, mark.seq, at)) {
    const record = readJournalLine(line);
    if (record !== null) time.take(Date.parse(record.time), record.event);
  }
  return time.ms;
}

function knownOf(directory: string, runId: string): Known {
  const stored = openStoredRun(directory, runId);
  const scanned = new RecordScan(stored.journal);
  scanned.update();
  const statusNow = (): RunStatus => runStatus(directory, runId, readIndex(directory).get(runId));
  return { stored, scanned, env: process.env, statusNow };
}
