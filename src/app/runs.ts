/**
 * Every operation on runs as one interface. A folder of runs implements it (`folder/`); its users (the command line,
 * a service, a program that embeds statedsl) cannot see where the runs are. Values are the objects that `--json` prints.
 */
import type { Through } from '../interpreter/events/event.js';
import type { UndoFacts } from '../interpreter/events/facts.js';
import type { Difference } from '../interpreter/record/replay.js';
import type { Json } from '../machine/expression.js';
import type { Machine } from '../machine/machine.js';
import type { InspectedRun } from '../runtime/inspect-run.js';
import type { ListedRun } from '../runtime/list-runs.js';
import type { RunReport } from '../runtime/run/run-report.js';
import type { RunWhereabouts } from '../runtime/run/run-whereabouts.js';
import type { JournalRecord } from '../runtime/store/journal-line.js';
import type { ScheduleOutcome } from '../runtime/store/kept-schedules.js';
import type { RunStatus } from '../runtime/store/stored-run.js';
import type { VerifiedRecord } from '../runtime/verify-record.js';
import type { RunChanges } from '../runtime/worktree/apply/preview.js';
import type { Report } from '../views/report/report.js';
import type { Detail } from '../views/report/report-detail.js';
import type {
  CompareOptions,
  FollowOptions,
  ReplayFrom,
  ReplayRunOptions,
  ResumeRunOptions,
  Startable,
  StartOptions,
} from './execution-options.js';
import type { AuditEntry } from './folder/audit-run.js';
import type { Done, Refusal, Refused, Result } from './result.js';

/** Which runs `list` lists. All conditions must hold. */
export interface RunFilter {
  /** Only runs with one of these states of execution. */
  readonly status?: RunStatus | readonly RunStatus[];
  /** Only runs of the machine with this name. */
  readonly machine?: string;
  /** Only runs with this key. */
  readonly key?: string;
  /** Only runs that started at this time or later; ISO 8601. */
  readonly since?: string;
  /** Only runs that started before this time; ISO 8601. */
  readonly until?: string;
  /** Only runs whose id, machine, state, error or inputs contain this text, in upper or lower case. */
  readonly q?: string;
  /** Only runs that cost at least so many US dollars. */
  readonly minCost?: number;
  /** Only runs that took at least so many milliseconds. */
  readonly minTimeMs?: number;
  /** Only runs with this input: its name, or `name=value`, where a text may continue after that. */
  readonly input?: string;
  /** Only runs of the program with this absolute path. */
  readonly program?: string;
  /** Only runs that were started in this folder; its absolute path. */
  readonly begunIn?: string;
  /** At most this many runs; the default is all. */
  readonly limit?: number;
  /** Only runs older than this one: `next` of the page before. */
  readonly after?: string;
}

/** The runs that `list` found, newest first. */
export interface RunList {
  readonly runs: readonly ListedRun[];
  /** For `after`, to get the next page; absent: these were the last ones. */
  readonly next?: string;
}

/** A run that a name means. */
export interface FoundRun {
  readonly run_id: string;
  readonly machine: string;
  /** The path of its program; null: it was not a file. */
  readonly program: string | null;
  /** The engine that executes it; absent: none does. */
  readonly engine?: { readonly on: string; readonly namespace?: string };
}

/** A run, and where it is executed if workers of an engine do that. */
export interface ShownRun extends InspectedRun {
  readonly engine?: RunWhereabouts;
}

/** The result of `inspect`. */
export type Inspected =
  | (Done<ShownRun> & {
      /** The last events up to the one after which the run is shown, with their whole values. */
      readonly recent: readonly JournalRecord[];
    })
  | Refused;

/** An event as its line in the journal has it, and as `--events` prints it. */
export interface RecordedEvent {
  readonly seq: number;
  /** When it was recorded; ISO 8601. */
  readonly ts: string;
  readonly type: string;
  readonly [member: string]: Json;
}

/** Takes the place of events that cannot be read, because the journal is damaged there. */
export interface DamagedEvents {
  /** The number of the first of them; or of the event before, if no event is missing or the journal ends here. */
  readonly seq: number;
  readonly type: 'journal_damaged';
  /** Where the damage begins in the journal, in bytes. */
  readonly byte: number;
  readonly message: string;
}

/** A recorded event as text: for a reader that passes it on. */
export interface EventLine {
  readonly seq: number;
  /** One line of JSON, without a line end: a `RecordedEvent` or `DamagedEvents`. */
  readonly text: string;
  /** Present: it is `DamagedEvents`. */
  readonly isDamage?: true;
}

/**
 * Why a stream of events or output ended. `caught-up`: everything on record was passed on, and no more was wanted. `over`:
 * the run or the effect has ended. `removed`: the run was removed. `aborted`: the reader aborted it. `failed`: the disk
 * cannot be read.
 */
export interface StreamEnd {
  readonly reason: 'caught-up' | 'over' | 'removed' | 'aborted' | 'failed';
  /** For `failed`. */
  readonly message?: string;
}

/**
 * How long a stream follows a run: `forever` until it is aborted or the run is removed, across suspensions and resumes;
 * `until-final` also until the run has returned or was cancelled, after which no resume continues it; `until-over` also until
 * the run has returned or failed and no process executes it; `no` only what is on record now.
 */
export type Follow = 'forever' | 'until-final' | 'until-over' | 'no';

/** The events of a run. It can be iterated once: event by event, or with `lines` in larger pieces. */
export interface EventStream extends AsyncIterable<RecordedEvent | DamagedEvents> {
  /** The same events as text, as many at once as there are, at most about 1 MiB. */
  lines(): AsyncIterable<readonly EventLine[]>;
  /** The same events as NDJSON, with as little work as possible: for programs that pass all of them on. */
  ndjson(): AsyncIterable<Uint8Array>;
  /** Null until it has ended. */
  readonly end: StreamEnd | null;
}

/** What `output` reads of an effect. */
export interface OutputOptions {
  /** Default `stdout`. */
  readonly stream?: 'stdout' | 'stderr';
  /** Of an agent: everything that its program printed instead of only its answer, once it has ended. */
  readonly raw?: boolean;
  /** The first byte that is wanted; default 0. */
  readonly from?: number;
  /** Whether to wait for what it prints later; default true. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** What a command or an agent printed, with secrets replaced, in pieces. It can be iterated once. */
export interface OutputStream extends AsyncIterable<Uint8Array> {
  /** Whether the effect had ended when the stream was opened, so that its output is complete. */
  readonly complete: boolean;
  /** How many bytes were printed when the stream was opened. */
  readonly bytes: number;
  /** Null until it has ended. */
  readonly end: StreamEnd | null;
}

/** What `outputs` reads of a run. */
export interface PrintedOptions {
  /**
   * Only what belongs to this: a state, a step by its path or the end of it, a line of the program, or an effect. `state:`,
   * `step:`, `line:` and `effect:` before it say which of them.
   */
  readonly select?: string;
  /** Default `stdout`. */
  readonly stream?: 'stdout' | 'stderr';
  /** Of an agent: everything that its program printed instead of only its answer. */
  readonly raw?: boolean;
  /** Whether to wait for what ends later, as long as a process executes the run; default false. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** What a command or an agent of a run printed, after it ended. */
export interface PrintedOutput {
  /** Its name in the journal. */
  readonly effect: string;
  readonly state: string;
  readonly line: number;
  /** The path of the step that it belongs to; null: to none. */
  readonly step: string | null;
  /** The instruction. */
  readonly text: string;
  /** With secrets replaced, in pieces. Throws a `StoreError` if its file is gone. */
  bytes(): Iterable<Uint8Array>;
}

/** The outputs of a run in the order in which they ended. It can be iterated once. */
export interface PrintedStream extends AsyncIterable<PrintedOutput> {
  /** Why it ended early, or why it had nothing to give: nothing of the selected name ran. Null until it has ended. */
  readonly refusal: Refusal | null;
}

/** A run that a process has begun to execute: what `--detach --json` prints. */
export interface StartedRun {
  readonly run_id: string;
  readonly machine: string;
  readonly status: 'running';
}

/** The program of a run, as it was stored when the run started. */
export interface RunProgram {
  readonly run_id: string;
  /** The path of its file; null: it was no file. */
  readonly program: string | null;
  readonly machine: Machine;
  /** The texts that it was compiled from: the program, and what it imports. */
  readonly sources: readonly { readonly name: string; readonly text: string }[];
  /** The folders in which its commands work and in which its program is, as far as they are known. */
  readonly folders: readonly string[];
}

/** An execution of a run. */
export interface Execution {
  readonly started: StartedRun;
  /**
   * The report of the run when it ends, is suspended or is interrupted: what `run --json` prints. Rejects with an
   * `OperationRefused` if the run is executed elsewhere and can be followed no longer.
   */
  readonly report: Promise<RunReport>;
}

/** Who asks for a change of a run. */
export interface ByPerson {
  /** A name for the record; default `user`. */
  readonly by?: string;
}

/** How answers and signals are delivered. */
export interface DeliverOptions extends ByPerson {
  /** The door through which an answer comes; default `library`. `approvers` of the configuration guards `http`, `page`, `mcp` and `form`. */
  readonly through?: Through;
  /** Why the person answers so, for the record. */
  readonly reason?: string;
  /** Secret inputs of the run, so that they are replaced in the record. */
  readonly inputs?: Readonly<Record<string, Json>>;
}

/** What became of answers and signals. */
export interface Delivered {
  readonly run_id: string;
  /** `withText`: the run has them, and `resume` continues it. `passed-on`: the process that executes the run gets them. */
  readonly delivery: 'recorded' | 'passed-on';
}

/** What `cancel --json` prints. */
export interface CancelledRun {
  readonly run_id: string;
  readonly status: 'failed';
  readonly error: { readonly kind: 'cancelled' };
  /** What a rollback would perform; absent: nothing. */
  readonly undo?: readonly UndoFacts[];
}

/** What `replay --json` prints about a run that is compared with its program. */
export interface Drift {
  readonly run_id: string;
  readonly status: 'same' | 'different';
  /** How many events are equal. */
  readonly events: number;
  readonly difference: Difference | null;
}

/** Which runs `report` is about. */
export interface ReportScope {
  /** One run, by its id or the beginning of it; null: the latest. */
  readonly run?: string | null;
  /** The newest so many runs. */
  readonly last?: number;
}

/** How `apply` merges. */
export interface ApplyOptions {
  /** The checkout; default the folder of the project. */
  readonly cwd?: string;
  /** Who asks for it, for the message of the commit; by default it does not say that. */
  readonly by?: string;
}

/** What `apply --json` prints about changes that are in the checkout now, or were there already. */
export type AppliedRun = {
  readonly run_id: string;
  readonly commit: string;
  /** Worktrees whose files could not be removed. The next `apply` of the run, or `gc`, tries it again. */
  readonly left?: readonly { readonly directory: string; readonly why: string }[];
} & (
  | { readonly status: 'applied'; readonly into: string; readonly files: readonly string[] }
  | { readonly status: 'contained' }
);

/** What a run changed in files. */
export interface RunFiles extends RunChanges {
  readonly run_id: string;
  readonly branch: string;
}

/** Which runs `remove` removes. */
export interface RemoveOptions {
  /** Only runs with these ids; absent: all. */
  readonly runs?: readonly string[];
  /** So many of the newest runs stay. */
  readonly keepLast: number;
  /** Also runs that could be resumed, and those with changes that were not applied. */
  readonly all?: boolean;
  /** On an engine: copies each run into the folder before it is removed there. */
  readonly archive?: boolean;
  /** Only says what would be removed. */
  readonly dryRun?: boolean;
}

/** What `gc --json` prints. */
export interface RemovedRuns {
  readonly removed: readonly (RemovedRun & { readonly bytes: number })[];
  /** Older runs that stay. `problem`: why one could not be copied or removed. */
  readonly kept: readonly (RemovedRun & {
    readonly unapplied?: true;
    readonly link?: string;
    readonly problem?: string;
  })[];
  /** Folders that were left by a process that died while it removed runs. */
  readonly leftovers: readonly string[];
  readonly bytes: number;
  /** `branch` is null where no repository names the worktree: then no branch is removed. */
  readonly worktrees: readonly { readonly directory: string; readonly branch: string | null }[];
  /** Worktrees whose files could not be removed. The next removal tries it again. */
  readonly left?: readonly { readonly directory: string; readonly why: string }[];
  /** How many outcomes left the memo, because their runs are gone; absent: none. */
  readonly memo?: number;
  /** How many trials left the store, because their runs are gone; absent: none. */
  readonly trials?: number;
  readonly dry_run: boolean;
}

/** A run in the list of `remove`. */
export type RemovedRun = Pick<ListedRun, 'run_id' | 'machine' | 'status'>;

/** A schedule of the configuration, and what became of its last time. */
export interface ListedSchedule {
  readonly name: string;
  readonly program: string;
  readonly cron: string;
  readonly zone: string;
  /** The next times; ISO 8601. The jitter is not in them. */
  readonly next: readonly string[];
  /** Null: no time has come yet. `status`: of the run. */
  readonly last: (ScheduleOutcome & { readonly status?: RunStatus }) | null;
}

/** What the service starts at certain times. */
export interface ScheduleList {
  readonly schedules: readonly ListedSchedule[];
  /** Whether a service executes the runs of the folder: without one, nothing starts. */
  readonly active: boolean;
}

/** An account of agents that has reached a limit. */
export interface ReachedAccountLimit {
  readonly account: string;
  readonly cause: 'usage' | 'overload';
  readonly message: string;
  /** ISO 8601. */
  readonly since: string;
  readonly until: string;
  /** `waits`: no call begins before `until`; `probe`: one goes first; `ramp`: `calls` may be under way. */
  readonly state: 'waits' | 'probe' | 'ramp';
  readonly calls: number;
}

/** What keeps calls of agents from beginning. */
export interface LimitList {
  readonly limits: readonly ReachedAccountLimit[];
  /** What programs have spent on the last day on which they called agents, and trials since they began. US dollars. */
  readonly budgets: readonly {
    readonly program: string;
    readonly day: string;
    readonly spent: number;
    readonly reserved: number;
    /** Present: so many calls have not told their cost. */
    readonly cost_unknown?: number;
  }[];
  /** Files that are ignored, and why. */
  readonly problems: readonly string[];
}

/**
 * All operations on runs. `run` is the id of a run or the beginning of it; where it may be null, that is the latest run.
 * Each operation resolves with a value or with a refusal, and rejects only with what functions of the caller throw.
 */
export interface Runs {
  /** Starts a run; resolves when it has begun. */
  start(program: Startable, options?: StartOptions): Promise<Result<Execution>>;
  /** The schedules of the configuration, which the service starts. */
  schedules(): Promise<Result<ScheduleList>>;
  /** The limits of accounts, which all runs of this user share, and what was spent of budgets. */
  limits(): Promise<Result<LimitList>>;
  /** Lets the calls of an account begin again: its name, the beginning of it, or `all`. Returns the accounts. */
  clearLimits(account: string): Promise<Result<readonly string[]>>;
  /** The run that a name means, without reading its record. */
  find(run: string | null): Promise<Result<FoundRun>>;
  /** The runs, newest first. */
  list(filter?: RunFilter): Promise<Result<RunList>>;
  /** The run as it is, or as it was after the event with the number `at`. */
  inspect(run: string | null, at?: number | null): Promise<Inspected>;
  /** The events after the number `after`: what is on record, then what comes. Default: all, and until aborted. */
  events(run: string | null, after?: number, signal?: AbortSignal, follow?: Follow): Promise<Result<EventStream>>;
  /**
   * Shows a run that something else executes as if it was executed here: its events, its questions, and its report, for which
   * the run is read as soon as it is asked for. That is the report of a run that has ended, was left by what executed it, or
   * waits on an engine for a person or a signal; `interrupted` if `signal` ended the following.
   */
  follow(run: string | null, options?: FollowOptions): Promise<Result<Execution>>;
  /** What a command or an agent prints: what is there, then what comes until it ends. `effect`: its name in the journal. */
  output(run: string | null, effect: string, options?: OutputOptions): Promise<Result<OutputStream>>;
  /** What all its commands and agents printed, or some of them, each after it ended. */
  outputs(run: string | null, options?: PrintedOptions): Promise<Result<PrintedStream>>;
  /** The content of an artifact: a large value or output, named by its SHA-256 in the events of the run. */
  artifact(run: string | null, hash: string, options?: Pick<OutputOptions, 'from'>): Promise<Result<OutputStream>>;
  /** Answers questions of a run, all of them or none, and executes nothing. An answer that comes second is a `conflict`. */
  answer(run: string, answers: Readonly<Record<string, Json>>, options?: DeliverOptions): Promise<Result<Delivered>>;
  /** Sends a signal to a run, and executes nothing. */
  signal(run: string, name: string, payload?: Json, options?: DeliverOptions): Promise<Result<Delivered>>;
  /** Ends a run for good, also one that another process executes. */
  cancel(run: string, options?: ByPerson): Promise<Result<CancelledRun>>;
  /** Resumes a run; resolves when it executes. A run that has returned is only reported again. */
  resume(run: string, options?: ResumeRunOptions): Promise<Result<Execution>>;
  /** Executes a new run from a point of an old one; resolves when it executes. */
  replay(run: string, from: ReplayFrom, options?: ReplayRunOptions): Promise<Result<Execution>>;
  /** Compares a run with its program, or with another one; executes nothing. */
  compare(run: string, options?: CompareOptions): Promise<Result<Drift>>;
  /**
   * The program of the run: its texts and its machine, with secrets replaced. `digest`: an edited program in which the run was
   * resumed, as `run_resumed` names it; its texts are not stored.
   */
  program(run: string | null, digest?: string): Promise<Result<RunProgram>>;
  /** Proves that the record of the run is as it was written, or says what is not. `key`: with which it must be signed. */
  verify(run: string | null, key?: string): Promise<Result<VerifiedRecord>>;
  /** Who did what in the run, when and why: one object for each, and one about the chain of the record at the end. */
  audit(run: string | null, key?: string): Promise<Result<readonly AuditEntry[]>>;
  /** How much time and money runs took, and where. */
  report(scope?: ReportScope): Promise<Result<Report>>;
  /** Every attempt of one step, state or tool of these runs. */
  detail(name: string, scope?: ReportScope): Promise<Result<Detail>>;
  /** Merges the changes in the worktree of a run into a checkout; null: the latest run that returned. */
  apply(run: string | null, options?: ApplyOptions): Promise<Result<AppliedRun>>;
  /** What the run changed in files, and what `apply` would do now; null: the latest run. Nothing is changed. */
  files(run: string | null, options?: Pick<ApplyOptions, 'cwd'>): Promise<Result<RunFiles>>;
  /** Removes old runs. */
  remove(options: RemoveOptions): Promise<Result<RemovedRuns>>;
}
