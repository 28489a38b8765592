/** Runs from JavaScript: starting a machine, and resuming, replaying and checking a run that is on disk. */
import type { RunEvent } from '../interpreter/events/event.js';
import type { Json } from '../machine/expression.js';
import type { Machine as CompiledMachine, Limits } from '../machine/machine.js';
import type { AgentSettings } from '../runtime/agents/resolve.js';
import type { CommandFunction } from '../runtime/command-function.js';
import {
  checkDrift as checkStoredDrift,
  type DriftReport,
  replay as replayStored,
} from '../runtime/run/again/replay-run.js';
import { recordDelivery as recordStored, resume as resumeStored } from '../runtime/run/again/resume.js';
import type { InDoubt, ResumeOptions as StoredResumeOptions } from '../runtime/run/again/resume-options.js';
import type { AskHandler, EventPosition } from '../runtime/run/drive-options.js';
import type { RunReport } from '../runtime/run/report.js';
import { run as runMachine } from '../runtime/run/run.js';
import type { RunOptions as MachineRunOptions, Started } from '../runtime/run/run-options.js';
import type { Delivery } from '../runtime/store/inbox.js';
import type { McpServers } from '../runtime/tools/tool-host.js';
import type { Machine } from './compile.js';
import type { Effects } from './effects.js';
import type { Journal } from './journal.js';

/** What `run`, `resume` and `replay` have in common. */
export interface ExecutionOptions {
  /** Performs requests instead of real processes. */
  readonly effects?: Effects;
  /** JavaScript functions that stand for commands; compile the program with their names. */
  readonly commands?: Readonly<Record<string, CommandFunction>>;
  readonly agents?: Partial<AgentSettings>;
  /** Servers of the Model Context Protocol by name, for tools of plans. */
  readonly mcp?: McpServers;
  /** Folders whose files the program may name besides those of the project it works in, or all files. */
  readonly readable?: 'all' | readonly string[];
  /** Aborting interrupts the run: what runs is stopped, and the run can be resumed. */
  readonly signal?: AbortSignal;
  /** Aborting kills every process at once, without time to clean up. */
  readonly kill?: AbortSignal;
  /** Called for every event once it is durable, secrets replaced. */
  readonly onEvent?: (event: RunEvent, position: EventPosition) => void;
  /** Output of commands while it comes, secrets replaced. */
  readonly onOutput?: (effect: string, bytes: Uint8Array, stream: 'stdout' | 'stderr') => void;
  /** Called once, before the first event. */
  readonly onStart?: (started: Started) => void;
  /** Called with the result, before the store says that the run is over: a process that dies in between reports it again. */
  readonly onEnd?: (report: RunReport) => void | Promise<void>;
  /** Asks a person; without it a question suspends the run. */
  readonly ask?: AskHandler;
  /** Who answers, for the record. */
  readonly person?: string;
  /** The run's directory; default that of the process, or where the run worked before. */
  readonly cwd?: string;
  /** Environment of commands; default that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Win over those of the program. */
  readonly limits?: Limits;
  /**
   * Milliseconds. A wait longer than this suspends the run; null never does. A question that nobody here answers and a
   * signal without a time-out always suspend it. Default: null, but a signal is waited for at most 10 seconds.
   */
  readonly suspendAfterMs?: number | null;
  /** Nothing but the run happens in this process, so that it may stand still while the disk writes. */
  readonly ownProcess?: boolean;
  /** Names of environment variables that hold secrets, besides those whose names say so. */
  readonly secrets?: readonly string[];
}

/** How `run` executes a machine. Everything may be left out but the inputs that the program requires. */
export interface RunOptions extends ExecutionOptions {
  readonly inputs?: Readonly<Record<string, Json>>;
  /** JSON of inputs with numbers that are written in another way than JavaScript prints them: `1.10`. */
  readonly printedInputs?: Readonly<Record<string, string>>;
  /** Folder of the store, usually `.statedsl`: the run is kept there, and can be resumed. */
  readonly dir?: string;
  /** Keeps the events instead of `dir`. Without both, nothing is kept. */
  readonly journal?: Journal;
  /** Members of PARALLEL at once; default the number of CPUs, and 8 where the members are agents. */
  readonly jobs?: number;
  /** Gives the run a git worktree and a branch of its own, in the repository that `cwd` is in; needs `dir`. */
  readonly worktree?: boolean;
  /** Records STATE_ENTRY and PHASE_TRANSITION. */
  readonly autoEvents?: boolean;
  /** Milliseconds that each effect may take which has no limit of its own; default no limit. */
  readonly effectTimeoutMs?: number | null;
  /** The folder of the program's file, for `program_dir()`; default `cwd`. */
  readonly programDir?: string;
  /** The state to begin in, with its entry values; default the first. */
  readonly start?: { readonly state: string; readonly with?: Readonly<Record<string, Json>> };
  /** The texts that the machine was compiled from, to be kept with the run. */
  readonly sources?: readonly { readonly name: string; readonly text: string }[];
  /** Whatever the caller wants to find in `run.json` when the run is resumed. */
  readonly settings?: Readonly<Record<string, Json>>;
}

/** How `resume` executes a run. */
export interface ResumeOptions extends ExecutionOptions {
  /** Folder of the store; default `.statedsl`. */
  readonly dir?: string;
  /** Secret inputs: they are not on disk, so they have to be given again. */
  readonly inputs?: Readonly<Record<string, Json>>;
  /** Default `fail`. */
  readonly inDoubt?: InDoubt;
  /** An edited program in which the run continues. */
  readonly machine?: Machine;
  /** The file of that program, for messages. */
  readonly file?: string;
  /** The run may go back to before a failure that ON ERROR or ERROR has handled. Without it such a run is refused. */
  readonly again?: boolean;
  /** Performs the UNDO commands of a run that failed or was cancelled, newest first, instead of resuming it. */
  readonly rollback?: true;
  /** Delivered to the run before it continues. */
  readonly deliveries?: readonly Delivery[];
}

/** How `replay` executes a new run. */
export interface ReplayOptions extends Omit<ResumeOptions, 'deliveries' | 'inDoubt' | 'again' | 'rollback'> {
  /**
   * The first thing that is executed again: an event by its number, or the `entry`-th time that a state was entered (of a
   * step: its attempt). `failed` executes the failed members of a PARALLEL or FOR EACH again.
   */
  readonly from: number | { readonly state: string; readonly entry: number } | 'failed';
}

/** How `checkDrift` reads a run. */
export interface DriftOptions extends Pick<ResumeOptions, 'dir' | 'inputs' | 'env' | 'secrets'> {
  /** Compares the record with an edited program; lines are then not compared. */
  readonly machine?: Machine;
}

/**
 * Runs a machine. Resolves with a report whatever happens to the program: look at `status`. Rejects only with what
 * `effects`, `onEvent` and the other functions given here throw, or with a `RangeError` for a state to start in that
 * does not exist.
 */
export async function run(machine: Machine, options: RunOptions = {}): Promise<RunReport> {
  return runMachine(machine as CompiledMachine, options as MachineRunOptions);
}

/**
 * Resumes a run that is kept on disk, after a crash, an interruption, a suspension or a failure. `runId` is its id or the
 * beginning of one. Nothing that has an outcome on record is done again; a run that has returned is only
 * reported again. Rejects with a `RunRefused`: there is no such run, another process executes it, it was cancelled, or
 * something that it needs is missing.
 */
export async function resume(runId: string, options: ResumeOptions = {}): Promise<RunReport> {
  return resumeStored(runId, options as StoredResumeOptions);
}

/** Executes a new run from a point of an old one, which stays as it is. Rejects with a `RunRefused`. */
export async function replay(runId: string, options: ReplayOptions): Promise<RunReport> {
  return replayStored(runId, options as Parameters<typeof replayStored>[1]);
}

/** Feeds the record of a run to its program and compares the events; executes nothing. Rejects with a `RunRefused`. */
export async function checkDrift(runId: string, options: DriftOptions = {}): Promise<DriftReport> {
  return checkStoredDrift(runId, options as Parameters<typeof checkStoredDrift>[1]);
}

/**
 * Records answers and signals for a run that no process executes, all of them or none, and executes nothing. Rejects with
 * a `RunRefused`, whose `kind` is `held` where a process executes the run.
 */
export async function recordDelivery(
  runId: string,
  delivered: Delivery | readonly Delivery[],
  options: Pick<ResumeOptions, 'dir' | 'inputs' | 'env' | 'secrets'> = {},
): Promise<void> {
  return recordStored(runId, delivered, options);
}
