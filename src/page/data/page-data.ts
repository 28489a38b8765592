/**
 * Where the page gets its runs from: the service over HTTP, or the file that the page itself is. Values are the objects that
 * the service sends and `--json` prints.
 */
import type { ReadonlySignal } from '@preact/signals';
import type { ProgramList } from '../../app/programs.js';
import type { RunDay } from '../../app/run-filter.js';
import type {
  DamagedEvents,
  Inspected,
  RemovedRuns,
  RunFiles,
  RunFilter,
  RunList,
  RunProgram,
  ScheduleList,
  StreamEnd,
} from '../../app/runs.js';
import type { RunEvent, Waiting } from '../../interpreter/events/event.js';
import type { Json } from '../../machine/expression.js';
import type { RunBounds } from '../../machine/machine.js';

type ListedFacts = RunList['runs'][number];
type InspectedFacts = Extract<Inspected, { readonly ok: true }>['value'];

/** An event as its line in the journal has it. */
export type RecordedRunEvent = RunEvent & { readonly seq: number; readonly ts: string };

/** A line of the record: an event, or the place where events cannot be read. */
export type RecordLine = RecordedRunEvent | DamagedEvents;

/** The status of a run. `queued`: the service executes it as soon as other runs have ended. */
export type ShownStatus = InspectedFacts['status'] | 'queued';

/** A run of the list. */
export type RunRow = Omit<ListedFacts, 'status'> & { readonly status: ShownStatus };

/** A page of the list. */
export interface RunPage extends Omit<RunList, 'runs'> {
  readonly runs: readonly RunRow[];
}

/** A run that waits for a person, and what it asks. */
export type WaitingRun = RunRow & { readonly waiting: readonly Waiting[] };

export interface WaitingPage {
  readonly runs: readonly WaitingRun[];
  /** False: the service has not looked at all suspended runs yet. */
  readonly complete: boolean;
}

/** Which runs are listed. */
export interface RunQuery extends Pick<RunFilter, 'machine' | 'since' | 'until' | 'q' | 'input'> {
  /** One status, or several with commas between. */
  readonly status?: string;
  /** US dollars. */
  readonly min_cost?: number;
  /** Seconds. */
  readonly min_time?: number;
  /** `next` of the page before. */
  readonly cursor?: string;
  readonly limit?: number;
}

/** A run as it is, or as it was after an event. */
export type PageRun = Omit<InspectedFacts, 'status'> & { readonly status: ShownStatus };

/** Receives the record of a run. */
export interface RecordReader {
  /** Lines are taken when it has resolved. Absent: at once. */
  readonly ready?: Promise<unknown>;
  /** Reads a line that comes as text, at least as far as this reader needs it. Absent: all of it. */
  read?(text: string): RecordLine;
  /** The next lines, in order. `texts`: as they were read, if they were read as text. */
  take(lines: readonly RecordLine[], texts?: readonly string[]): void;
  /** Everything on record was passed on; what comes later happens now. Called again after an interruption. */
  caughtUp(): void;
  /** There will be no more lines. `removed`: the run was removed. */
  end(end: StreamEnd | DataError): void;
}

/** What is read of the output of an effect. */
export interface OutputQuery {
  readonly stream: 'stdout' | 'stderr';
  readonly raw?: boolean;
  /** The first byte, and the byte after the last one; null: to its end, also while it is printed. */
  readonly from: number;
  readonly to: number | null;
  readonly signal: AbortSignal;
}

/** A part of an output, and how long the whole is; null while it is printed. */
export interface OutputPart {
  readonly bytes: number | null;
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** Facts about the service. */
export interface About {
  readonly version: string;
  /** The folder of the runs, or the name of the file. */
  readonly where: string;
}

/** `lost`: the service does not answer, and is asked again by itself. `signed-out`: it answers, but not to this page. */
export type Connection = 'connected' | 'lost' | 'signed-out';

/** Changes of runs. Each resolves when the service has accepted it, and rejects with a `DataError`. */
export interface RunActions {
  /** `reason`: empty if the person gave none. */
  answer(run: string, answers: Readonly<Record<string, Json>>, reason: string): Promise<void>;
  signal(run: string, name: string, payload: Json): Promise<void>;
  cancel(run: string): Promise<void>;
  resume(run: string, limits: Readonly<Record<string, number>>): Promise<void>;
  /** The id of the new run. */
  replay(run: string, from: number): Promise<string>;
  apply(run: string): Promise<{ readonly into?: string; readonly files?: readonly string[] }>;
  start(run: NewRun): Promise<{ readonly run_id: string }>;
  /** `all`: also runs that could be resumed, and those with changes that were not applied. */
  remove(runs: readonly string[], how: { readonly all: boolean; readonly dryRun: boolean }): Promise<RemovedRuns>;
}

/** A run that is meant to start. */
export interface NewRun {
  readonly program: string;
  readonly name: string;
  /** The JSON texts of inputs, by name: so numbers stay as they were written. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, number>>;
  /** It starts although its bound exceeds what the configuration allows without a confirmation. */
  readonly isConfirmed: boolean;
}

/** What a check of a program says; `bound`: null if it calls no agents, and absent if it has errors. */
export interface CheckedRun {
  readonly valid: boolean;
  readonly diagnostics: readonly { readonly message: string; readonly severity: string }[];
  readonly bound?: RunBounds | null;
}

/** The data of the page. Operations reject with a `DataError`. */
export interface PageData {
  /** A file shows only the runs in it, and keeps its address after `#`. */
  readonly kind: 'service' | 'file';
  readonly connection: ReadonlySignal<Connection>;
  /** Null until it is known. */
  readonly about: ReadonlySignal<About | null>;
  list(query: RunQuery, signal?: AbortSignal): Promise<RunPage>;
  /** Runs by day and program; null: there is only one run. */
  readonly schedules: ((signal?: AbortSignal) => Promise<ScheduleList>) | null;
  readonly days: ((query: RunQuery, signal?: AbortSignal) => Promise<readonly RunDay[]>) | null;
  /** Runs that wait for a person, newest first; null: nothing can be answered here. */
  readonly waiting: ((limit: number, signal?: AbortSignal) => Promise<WaitingPage>) | null;
  inspect(run: string, at: number | null, signal?: AbortSignal): Promise<PageRun>;
  /** Reads the record of a run after an event, and follows it; the result stops that. */
  follow(run: string, after: number, reader: RecordReader): () => void;
  /** At most so many lines of the record after an event. */
  linesAfter(run: string, after: number, count: number, signal?: AbortSignal): Promise<readonly RecordLine[]>;
  /** `digest`: an edited program in which the run was resumed; null: its first program. */
  program(run: string, digest: string | null, signal?: AbortSignal): Promise<RunProgram>;
  output(run: string, effect: string, query: OutputQuery): Promise<OutputPart>;
  /** A large value or output as text. */
  artifact(run: string, hash: string, signal?: AbortSignal): Promise<string>;
  /** What a run changed in files; null: it is not known here. */
  readonly files: ((run: string, signal?: AbortSignal) => Promise<RunFiles>) | null;
  /** Programs that can be started, and a check of a run of one; null: none can be. */
  readonly programs: {
    list(signal?: AbortSignal): Promise<ProgramList>;
    check(run: Pick<NewRun, 'program' | 'inputs' | 'limits'>, signal?: AbortSignal): Promise<CheckedRun>;
  } | null;
  /** Null: nothing can be changed here. */
  readonly actions: ReadonlySignal<RunActions | null>;
}

/** Why the data could not be given. */
export class DataError extends Error {
  readonly code: string;
  readonly help: string | null;

  constructor(code: string, message: string, help: string | null = null) {
    super(message);
    this.name = 'DataError';
    this.code = code;
    this.help = help;
  }
}

export function toDataError(cause: unknown): DataError {
  return cause instanceof DataError ? cause : new DataError('unknown', String(cause));
}
