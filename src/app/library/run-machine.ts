/** `run`: executes a machine in this process. With it, the public types of its journals and effects. */
import type { Outcome, RunEvent } from '../../interpreter/events/event.js';
import type { Json } from '../../machine/expression.js';
import type { Machine as CompiledMachine, Limits } from '../../machine/machine.js';
import type { AgentSettings } from '../../runtime/agents/resolve.js';
import type { CommandFunction } from '../../runtime/command-function.js';
import type { PerformedRequest, RunContext } from '../../runtime/effect-context.js';
import { type HostOptions as InternalHostOptions, hostEffects as processEffects } from '../../runtime/effects.js';
import { scriptedEffects as answersOfScript, type Script } from '../../runtime/pretended-world.js';
import type { AskHandler, EventPosition } from '../../runtime/run/drive-options.js';
import type { RunOptions as MachineRunOptions, Started } from '../../runtime/run/run-options.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import { run as runMachine } from '../../runtime/run/start-run.js';
import {
  type MemoryJournal as JournalInMemory,
  fileJournal as journalInFiles,
  memoryJournal as journalInMemory,
} from '../../runtime/store/journal.js';
import type { RunFacts } from '../../runtime/store/run-header.js';
import type { McpServers } from '../../runtime/tools/mcp-tool.js';
import type { Machine } from './compile-text.js';

/** Options that `run` and the operations of `Runs` share. */
export interface ExecutionOptions {
  /** Performs the requests of the run instead of real processes. */
  readonly effects?: Effects;
  /** JavaScript functions that the program calls as commands. Compile the program with their names. */
  readonly commands?: Readonly<Record<string, CommandFunction>>;
  readonly agents?: Partial<AgentSettings>;
  /** Servers of the Model Context Protocol by name, for tools of plans. */
  readonly mcp?: McpServers;
  /** Folders with files that the program may name, in addition to those of its project; or all files. */
  readonly readable?: 'all' | readonly string[];
  /** Aborting it interrupts the run: its processes are stopped, and the run can be resumed. */
  readonly signal?: AbortSignal;
  /** Aborting it kills every process of the run at once, without time to clean up. */
  readonly kill?: AbortSignal;
  /** Called for every event after it is durable, with secrets replaced. */
  readonly onEvent?: (event: RunEvent, position: EventPosition) => void;
  /** Called with the output of commands as it arrives, with secrets replaced. */
  readonly onOutput?: (effect: string, bytes: Uint8Array, stream: 'stdout' | 'stderr') => void;
  /** Called once before the first event. */
  readonly onStart?: (started: Started) => void;
  /**
   * Called with the result before the store records the end of the run. If the process dies in between, the resumed run
   * calls it again.
   */
  readonly onEnd?: (report: RunReport) => void | Promise<void>;
  /** Called at the end with a sentence about spans or notices that could not be sent. */
  readonly onUnsent?: (text: string) => void;
  /** Asks a person. Without it a question suspends the run. */
  readonly ask?: AskHandler;
  /** The name of the person who answers, for the record. */
  readonly person?: string;
  /** The working directory of the run; default that of the process, or for a stored run the same as before. */
  readonly cwd?: string;
  /** The environment of commands; default the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Limits that override those of the program. */
  readonly limits?: Limits;
  /**
   * Milliseconds. A longer wait suspends the run; null sets no limit. A question without `ask` and a signal without
   * a time-out always suspend the run. Default null, but the run waits at most 10 seconds for a signal.
   */
  readonly suspendAfterMs?: number | null;
  /** The process does nothing but this run, so it may block while the disk writes. */
  readonly ownProcess?: boolean;
  /** Names of environment variables that contain secrets, in addition to those that are recognized by their names. */
  readonly secrets?: readonly string[];
}

/** Options of `run`. All are optional, except for the inputs that the program requires. */
export interface RunOptions extends ExecutionOptions {
  /** What to call the run in lists and notices; by default its program or its inputs say it. */
  readonly name?: string;
  /** The name of the person or program that starts the run, for the record; by default the record does not say it. */
  readonly by?: string;
  readonly inputs?: Readonly<Record<string, Json>>;
  /** The id of the run, a UUID of version 7 that no run of the store has; a new one by default. */
  readonly runId?: string;
  /** The JSON text of inputs with a number that JavaScript would print differently, such as `1.10`. */
  readonly printedInputs?: Readonly<Record<string, string>>;
  /** The folder of the store, usually `.statedsl`. A run that is stored there can be resumed. */
  readonly dir?: string;
  /** Stores the events instead of `dir`. Without both, nothing is stored. */
  readonly journal?: Journal;
  /**
   * How many members of a PARALLEL run at the same time; default the number of CPUs, or 8 if the members are agents.
   */
  readonly jobs?: number;
  /** Gives the run its own git worktree and branch in the repository that contains `cwd`; requires `dir`. */
  readonly worktree?: boolean;
  /** Records the events STATE_ENTRY and PHASE_TRANSITION. */
  readonly autoEvents?: boolean;
  /** The time limit in milliseconds for each effect without its own limit; default no limit. */
  readonly effectTimeoutMs?: number | null;
  /** The folder of the program's file, which `program_dir()` returns; default `cwd`. */
  readonly programDir?: string;
  /** The state to start in, with its entry values; default the first. */
  readonly start?: { readonly state: string; readonly with?: Readonly<Record<string, Json>> };
  /** The texts from which the machine was compiled, to store with the run. */
  readonly sources?: readonly { readonly name: string; readonly text: string }[];
  /** Data of the caller, stored in `run.json` for a later resume. */
  readonly settings?: Readonly<Record<string, Json>>;
}

/** Runs a machine; no debugger can attach to the run. */
export async function run(machine: Machine, options: RunOptions = {}): Promise<RunReport> {
  return runMachine(machine as CompiledMachine, options as MachineRunOptions);
}

/** What a journal gets before the first event of a run. */
export interface RunHeader extends RunFacts {
  readonly machine: Machine;
}

declare const folder: unique symbol;

/** The folder of a run on disk. Only `fileJournal` creates one. */
export interface RunFolder {
  readonly [folder]: true;
}

/**
 * The journal of one run. An event takes effect only after `sync` has resolved: until then the run neither shows it nor
 * acts on it.
 */
export interface OpenJournal {
  /** Null if nothing of the run is on disk. */
  readonly folder: RunFolder | null;
  /** Appends events, numbered from `firstSeq`. `time` is a time stamp in ISO 8601. */
  append(events: readonly RunEvent[], firstSeq: number, time: string): void;
  /** Resolves when all appended events are durable. A rejection ends the run. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Stores the events of runs. One journal may serve many runs. For `run`. */
export interface Journal {
  /** Called once for each run, before its first event. */
  open(header: RunHeader): OpenJournal;
}

/** A journal in memory. `events` contains the events of all runs that used it, in order. */
export interface MemoryJournal extends Journal {
  readonly events: RunEvent[];
}

/** Stores runs in `directory`, usually `.statedsl`, like the option `dir` of `run`. */
export function fileJournal(directory: string): Journal {
  return journalInFiles(directory) as unknown as Journal;
}

/** Stores events in memory, for tests and for runs that need not be resumed. */
export function memoryJournal(): MemoryJournal {
  return journalInMemory() satisfies JournalInMemory as unknown as MemoryJournal;
}

declare const resources: unique symbol;

/** State that the effects of one run share. Pass it on to `hostEffects` unchanged. */
export interface RunResources {
  readonly [resources]: true;
}

/** The context of an effect: facts about its run, and the resources of the run. */
export interface EffectContext extends RunContext {
  readonly resources: RunResources;
}

/**
 * Performs the requests of a run: commands, functions, agents, tools, time and random numbers. For `run` and `resume`.
 */
export interface Effects {
  /** Returns an outcome or a promise of one. A rejection counts as a bug in the effects and rejects `run`. */
  perform(request: PerformedRequest, context: EffectContext): Outcome | Promise<Outcome>;
}

/** Options of `hostEffects`: the commands, agents and tools that it can start. */
export interface HostOptions {
  /** The environment of commands; default the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** JavaScript functions that the program calls as commands, by name. */
  readonly commands?: Readonly<Record<string, CommandFunction>>;
  readonly agents?: AgentSettings;
  /** Servers of the Model Context Protocol by name. */
  readonly mcp?: McpServers;
  /** Folders with files that the program may name, in addition to those of its project; or all files. */
  readonly readable?: 'all' | readonly string[];
}

/**
 * Performs effects with real processes, real time and real random numbers, as `run` does by default. Wrap it to answer
 * some requests and pass on the others.
 */
export function hostEffects(options: HostOptions = {}): Effects {
  return processEffects(options as InternalHostOptions) as unknown as Effects;
}

/**
 * Performs effects from a script, for tests of programs: nothing is started and no time passes. A request without an
 * answer in the script has the outcome `not-started`, so a test never runs a command by accident.
 */
export function scriptedEffects(script: Script = {}): Effects {
  return answersOfScript(script) as unknown as Effects;
}
