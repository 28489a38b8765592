/** A project as programs that embed this see it: the names, without anything that does the work. */
import type { Json } from '../machine/expression.js';
import type { Input } from '../machine/machine.js';
import type { ProgramList } from '../project/list-programs.js';
import type { CommandFunction } from '../runtime/command-function.js';
import type { ListedRun } from '../runtime/list-runs.js';
import type { DriftReport } from '../runtime/run/again/replay-run.js';
import type { RunReport } from '../runtime/run/report.js';
import type { Delivery } from '../runtime/store/inbox.js';
import type { Machine } from './compile.js';
import type { Diagnostic, Findings } from './diagnostics.js';
import type { ReplayOptions, ResumeOptions, RunOptions } from './run-machine.js';

/** How `openProject` reads a project. */
export interface ProjectOptions {
  /** The folder where runs are kept; default `.statedsl` in the folder of the project. */
  readonly dir?: string;
  /** JavaScript functions that stand for commands, in all programs of the project. */
  readonly commands?: Readonly<Record<string, CommandFunction>>;
  /** Environment of commands and of the search for programs; default that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The name of another configured agent by the name it replaces. */
  readonly agents?: Readonly<Record<string, string>>;
  /** Programs may name files outside of the project. */
  readonly allowOutside?: boolean;
  /** The text of a file that an editor has open and has not saved, by its absolute path; undefined: read the disk. */
  readonly openText?: (path: string) => string | undefined;
}

/** How `checkFile` and `checkText` read a program. */
export interface CheckOptions {
  /** The machine to run; default the first. */
  readonly machine?: string;
  /** Treats values that a program could read as options as errors, for every external program. */
  readonly strict?: boolean;
  /** The file of tools for CALL, PLAN and plans; default `tools.yaml` next to the program. */
  readonly tools?: string;
  /** Of a plan: the file with the JSON object that its state begins with. */
  readonly state?: string;
  /** Of a plan: all inputs that there will be. Without them a missing input is not an error. */
  readonly inputs?: Readonly<Record<string, Json>>;
  /** Where commands will run; default the folder of the project. */
  readonly cwd?: string;
}

/** What `checkFile` and `checkText` give: what is wrong with a program, and the program where nothing is. */
export interface CheckedProgram extends Findings {
  /** As messages call it: the path from the folder of the project. */
  readonly name: string;
  /** True without errors; warnings and notes do not count. */
  readonly isValid: boolean;
  /** For `run` and `graph`; null where there are errors, and in a text that declares nothing to run. */
  readonly machine: Machine | null;
  /** The machines of the text; a plan has one. */
  readonly machines: readonly Machine[];
  /** What the program takes; known also where errors leave no machine. */
  readonly inputs: readonly Input[];
  /** Of a plan: the hash that stands for its approval, as `statedsl plan approve` prints it. */
  readonly approvalHash?: string;
}

/** How `run` of a project executes a program; what is left out comes from the configuration. */
export interface ProjectRunOptions
  extends Omit<RunOptions, 'dir' | 'journal' | 'agents' | 'mcp' | 'readable' | 'secrets' | 'sources' | 'programDir'>,
    Pick<CheckOptions, 'machine' | 'tools' | 'state'> {
  /** The hash that approves a plan whose mode is `lazy`, or any plan: another plan is refused. */
  readonly approved?: string;
}

/** How `resume` of a project executes a run; what is left out comes from the configuration. */
export type ProjectResumeOptions = Omit<ResumeOptions, 'dir' | 'agents' | 'mcp' | 'readable' | 'secrets'>;

/** How `replay` of a project executes a new run; what is left out comes from the configuration. */
export type ProjectReplayOptions = Omit<ReplayOptions, 'dir' | 'agents' | 'mcp' | 'readable' | 'secrets'>;

/** What `format` gives. */
export interface Formatted extends Findings {
  /** The formatted text; null where the text has syntax errors. */
  readonly text: string | null;
}

/** How `graph` draws: Mermaid by default, the language of Graphviz, or characters (not for plans). */
export interface GraphOptions {
  readonly format?: 'mermaid' | 'dot' | 'ascii';
  /** The machine to draw; default all of the program. */
  readonly machine?: string;
}

/**
 * A folder with programs, and what belongs to them: the configuration, workflows, tools, agents, and the store of runs.
 * Made by `openProject`. Paths are relative to the folder. Everything is read when it is needed, so a file or a
 * configuration that changed meanwhile counts.
 */
export interface Project {
  /** Absolute. */
  readonly folder: string;
  /** Where runs are kept, absolute. */
  readonly dir: string;
  /** The configuration that was found when the project was opened, absolute; null: there is none. */
  readonly configurationFile: string | null;
  /** What was wrong with the configuration when the project was opened. */
  readonly findings: Findings;

  /**
   * Checks a program (`.dsl`), a document (`.md`), a workflow file (`.yaml`, or its name) or a plan (`.json`), with its
   * imports. Starts nothing. Rejects with a `RunRefused` of the kind `unknown` when the file cannot be read.
   */
  checkFile(path: string, options?: CheckOptions): Promise<CheckedProgram>;
  /** The same for a text. `name` says what it is by its end and where its imports are; default `<stdin>`, a program. */
  checkText(text: string, options?: CheckOptions & { readonly name?: string }): Promise<CheckedProgram>;
  /** What there is to run below the folder. Links are not followed. */
  programs(): ProgramList;
  /** Formats the text of a program, or of a document by the end of `name`. Workflow files and plans are returned as they are. */
  format(text: string, name?: string): Promise<Formatted>;
  /** Draws the states of a program, or the calls of a plan. Rejects with `ProgramRefused` where it has errors. */
  graph(program: string | CheckedProgram, options?: GraphOptions): Promise<string>;

  /**
   * Runs a program and keeps the run in the store. Resolves with a report whatever happens to the program. Rejects with
   * `ProgramRefused` where it has errors or an approval is missing, and with a `RunRefused` where the store or the file
   * cannot be used.
   */
  run(program: string | CheckedProgram, options?: ProjectRunOptions): Promise<RunReport>;
  /** Resumes a run by its id or the beginning of one; a run that has returned is only reported again. Rejects with a `RunRefused`. */
  resume(run: string, options?: ProjectResumeOptions): Promise<RunReport>;
  /** Executes a new run from a point of an old one, which stays as it is. Rejects with a `RunRefused`. */
  replay(run: string, options: ProjectReplayOptions): Promise<RunReport>;
  /** Compares a run with its program, or with another one; executes nothing. Rejects with a `RunRefused`. */
  checkDrift(run: string, options?: { readonly program?: CheckedProgram }): Promise<DriftReport>;
  /** The runs of the store, newest first; `last`: only so many. */
  runs(last?: number): readonly ListedRun[];
  /**
   * Delivers answers and signals to a run, all of them or none. A run that no process executes has them recorded, and
   * `resume` continues it; a process that executes the run hears of them. Rejects with a `RunRefused`.
   */
  deliver(run: string, deliveries: Delivery | readonly Delivery[]): Promise<'recorded' | 'passed-on'>;
  /** Ends a run for good, also one that another process executes. `by` is who does it, for the record. Rejects with a `RunRefused`. */
  cancel(run: string, by: string): Promise<void>;
}

/** Why a program was not run: it has errors, or nobody approved it. `findings` has all of them, for `formatDiagnostics`. */
export class ProgramRefused extends Error {
  override readonly name = 'ProgramRefused';

  constructor(
    readonly findings: Findings,
    message: string,
  ) {
    super(message);
    // An exception that nothing catches prints its members, and this one has the whole text of the program.
    Object.defineProperty(this, 'findings', { value: findings, enumerable: false });
  }
}

/** The first error of a list, as the message of a `ProgramRefused`. */
export function firstError(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.find(({ severity }) => severity === 'error')?.message ?? 'there is nothing to run';
}
