/**
 * Runs a test again with faults, one at a time: its run is cut after an event and continues from its record, an effect fails,
 * or something ends in another order. Whatever the fault, a run must end or wait, must not repeat what is on record, and must
 * keep what the test always expects. A crash alone must change nothing.
 */
import type { RunEvent } from '../../../interpreter/events/event.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { RunReport } from '../../../runtime/run/run-report.js';
import { run } from '../../../runtime/run/start-run.js';
import { executeTest, logTail } from '../run-test.js';
import type { ExecutedTest, FaultDrive, Suite, TestOptions } from '../suite.js';
import type { TestRow } from '../test-rows.js';
import type { TestFailure } from '../test-world.js';
import { type PointDrive, PointDrives } from './point-drive.js';
import { FAULT_KINDS, type FaultKind, type FaultPoint, pointsOf } from './points.js';
import { endsOnRecord, isProcess, ReferenceRecorder, type ReferenceRun } from './reference-run.js';

/** What became of a run with a fault. */
export interface FaultOutcome {
  readonly point: FaultPoint;
  /** How it ended, in a few words. */
  readonly end: string;
  /** Whether the end and the events of the author are as without the fault. */
  readonly isSame: boolean;
  /** Why it ended in another way, as a clause, if that is known. */
  readonly reason?: string;
  /** What the test always expects and is not so. */
  readonly failures: readonly TestFailure[];
  /** What only a defect of statedsl explains. */
  readonly defect?: string;
  readonly log: readonly string[];
}

export interface FaultResult {
  readonly file: string;
  readonly name: string;
  readonly line: number;
  readonly outcomes: readonly FaultOutcome[];
  /** How many points there are of each kind, of which a long run is tried at some. */
  readonly possible: Readonly<Record<FaultKind, number>>;
  /** Instructions that ran twice and have no `once`, each with its line. */
  readonly repeated: readonly { readonly text: string; readonly line: number }[];
}

export interface FaultChoice {
  readonly kinds: ReadonlySet<FaultKind>;
  /** The name of one point; null: all points of these kinds. */
  readonly only: string | null;
  /** How many events are executed with faults, about. */
  readonly mostEvents?: number;
  /** A run that was cut is executed to its end, even if it does the same again. */
  readonly toTheEnd?: boolean;
}

/** Null: the test does not pass without a fault. */
export async function runFaults(
  suite: Suite,
  row: TestRow,
  options: TestOptions,
  { kinds, only, mostEvents = MOST_EVENTS, toTheEnd = false }: FaultChoice,
): Promise<Omit<FaultResult, 'file' | 'name' | 'line'> | null> {
  const recorder = new ReferenceRecorder();
  // A mock of the file may be there for what happens only with a fault.
  const quiet = { snapshot: () => null, noteEvents: () => undefined };
  const executed = await executeTest(suite, row, { ...options, ...quiet, fault: referenceDrive(recorder) });
  if (executed.failures.length > 0 || executed.report === null) return null;
  const { events, times, performed } = recorder;
  const ends = endsOnRecord(events, performed);
  const reference: ReferenceRun = { events, times, performed, ends, report: executed.report };
  const hasAlways = row.test.lines.some((line) => line.kind === 'expect' && line.isAlways);
  const all = pointsOf(reference, kinds);
  const points = only === null ? some(all, mostEvents, events.length) : all.filter(({ name }) => name === only);
  const outcomes: FaultOutcome[] = [];
  // A person who looks at one point wants to see all of it.
  const isShown = only !== null;
  const drives = new PointDrives(reference, {
    mayStopEarly: !isShown && !toTheEnd,
    needsEvents: hasAlways || suite.properties.length > 0,
  });
  for (const point of points)
    outcomes.push(await runPoint(suite, row, { ...options, ...quiet }, drives.at(point), isShown));
  return { outcomes, possible: countKinds(all), repeated: kinds.has('twice') ? repeatable(points) : [] };
}

/** At most this many events are executed with faults: a run of thousands of polls is tried at some of its points. */
const MOST_EVENTS = 200_000;

/** A run that was cut executes about as many, from its image to where it does the same again. */
const EVENTS_PER_CUT = 40;

/** Of each kind as many points as can be tried, spread over the run. */
function some(points: readonly FaultPoint[], mostEvents: number, length: number): FaultPoint[] {
  return FAULT_KINDS.flatMap((kind) => {
    const own = points.filter((point) => point.kind === kind);
    const executed = kind === 'crash' || kind === 'twice' ? Math.min(length, EVENTS_PER_CUT) : length;
    const most = Math.max(1, Math.floor(mostEvents / executed));
    const every = Math.max(1, own.length / most);
    return own.filter((_, at) => Math.floor(at / every) !== Math.floor((at - 1) / every));
  });
}

function countKinds(points: readonly FaultPoint[]): Record<FaultKind, number> {
  const counts = { crash: 0, fail: 0, late: 0, twice: 0 };
  for (const { kind } of points) counts[kind]++;
  return counts;
}

function referenceDrive(recorder: ReferenceRecorder): FaultDrive {
  return {
    before: { events: [], calls: [], now: null },
    judges: 'all',
    drive: (machine, options, world, time) =>
      run(machine, {
        ...options,
        effects: recorder.wrap(world, time),
        onEvent: (event, position) => {
          recorder.note(event, time);
          options.onEvent?.(event, position);
        },
      }),
  };
}

async function runPoint(
  suite: Suite,
  row: TestRow,
  options: TestOptions,
  drive: PointDrive,
  isShown: boolean,
): Promise<FaultOutcome> {
  const { reference, point } = drive;
  let executed: ExecutedTest;
  try {
    executed = await executeTest(suite, row, { ...options, fault: drive });
  } catch (cause) {
    const defect = cause instanceof Error ? cause.message : String(cause);
    return { point, end: 'it did not end', isSame: false, failures: [], defect, log: [] };
  }
  const { report, problems, failures, isStuck } = executed;
  const isSame = drive.isSame || (report !== null && sameEnd(reference, { report, events: executed.events }));
  const reason = problems[0]?.message ?? drive.reason ?? undefined;
  const stuck = isStuck ? [{ line: 0, message: 'the run hangs: everything that it waits for hangs' }] : [];
  // A missing mock explains nothing: after a crash alone the run asks for what it asked for before.
  const mayDiffer = drive.reason !== null || point.kind === 'fail' || point.kind === 'late';
  const defect = drive.defect ?? (isSame || mayDiffer ? undefined : 'a crash alone must not change how a run ends');
  return {
    point,
    end: problems.length > 0 ? 'an unknown end' : endOf(report, reference.report),
    isSame,
    failures: problems.length > 0 ? [] : [...failures, ...stuck],
    log: isShown ? logTail(executed.events) : [],
    ...omitUndefined({ reason, defect }),
  };
}

function sameEnd(
  reference: Pick<ReferenceRun, 'report' | 'events'>,
  other: { readonly report: RunReport; readonly events: readonly RunEvent[] },
): boolean {
  return endText(reference) === endText(other);
}

/** Everything about a run that a crash must not change: its end, and the events of its author. */
function endText({ report, events }: { readonly report: RunReport; readonly events: readonly RunEvent[] }): string {
  const emitted = events.filter((event) => event.type === 'emitted' && event.by === 'author');
  const { status, returned, error, waiting, tracked } = report;
  return JSON.stringify([status, returned, error, waiting.map(({ name, kind }) => [kind, name]), tracked, emitted]);
}

/** The state in which it ended, if that is another one; else how it ended there. */
function endOf(report: RunReport | null, reference: RunReport): string {
  if (report === null) return 'it did not start';
  const { status, state, error, waiting } = report;
  if (status === 'suspended') return `suspended ${waiting.map(({ name, kind }) => name ?? kind).join(', ')}`;
  if (state !== null && state !== reference.state) return state;
  return error === null || error.kind === status ? status : `${status} ${error.kind}`;
}

/** What ran twice and would do so after a crash at the wrong moment. */
function repeatable(points: readonly FaultPoint[]): { readonly text: string; readonly line: number }[] {
  const found = new Map<string, { readonly text: string; readonly line: number }>();
  for (const { performed } of points) {
    if (performed === null || !isProcess(performed.request) || performed.request.once) continue;
    const { text, line } = performed.request;
    found.set(`${line} ${text}`, { text, line });
  }
  return [...found.values()].sort((one, other) => one.line - other.line);
}
