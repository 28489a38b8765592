/** The public types of a project. `open-project.ts` implements them. */
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

/** Options of `openProject`. */
export interface ProjectOptions {
  /** The folder where runs are stored; default `.statedsl` in the folder of the project. */
  readonly dir?: string;
  /** JavaScript functions that all programs of the project can call as commands, by name. */
  readonly commands?: Readonly<Record<string, CommandFunction>>;
  /** The environment of commands, and the PATH on which they are looked up; default the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Other configured agents to use, by the names that they replace. */
  readonly agents?: Readonly<Record<string, string>>;
  /** Whether programs may name files outside of the project; default false. */
  readonly allowOutside?: boolean;
  /**
   * Returns the unsaved text of a file that an editor has open, by its absolute path, or undefined to read the file
   * from disk.
   */
  readonly openText?: (path: string) => string | undefined;
}

/** Options of `checkFile` and `checkText`. */
export interface CheckOptions {
  /** The name of the machine to run; default the first. */
  readonly machine?: string;
  /** Reports an error for each value that any external program could mistake for an option. */
  readonly strict?: boolean;
  /** The tools file for CALL, PLAN and plans; default `tools.yaml` next to the program. */
  readonly tools?: string;
  /** For a plan: a file with its initial state, a JSON object. */
  readonly state?: string;
  /** For a plan: all inputs of the run. If absent, a missing input is not an error. */
  readonly inputs?: Readonly<Record<string, Json>>;
  /** The working directory of commands; default the folder of the project. */
  readonly cwd?: string;
}

/** The result of `checkFile` and `checkText`: the findings, and the program if it has no errors. */
export interface CheckedProgram extends Findings {
  /** The name in messages: the path relative to the folder of the project. */
  readonly name: string;
  /** True if there are no errors; warnings and notes do not count. */
  readonly isValid: boolean;
  /** The machine for `run` and `graph`; null if there are errors or nothing to run. */
  readonly machine: Machine | null;
  /** All machines of the text; a plan has one. */
  readonly machines: readonly Machine[];
  /** The declared inputs, even if errors leave no machine. */
  readonly inputs: readonly Input[];
  /** For a plan: the hash that approves it, as `statedsl plan approve` prints it. */
  readonly approvalHash?: string;
}

/** Options of `run` of a project. The configuration supplies those that are absent. */
export interface ProjectRunOptions
  extends Omit<RunOptions, 'dir' | 'journal' | 'agents' | 'mcp' | 'readable' | 'secrets' | 'sources' | 'programDir'>,
    Pick<CheckOptions, 'machine' | 'tools' | 'state'> {
  /** The hash of the approved plan: a plan with another hash is refused. A plan with the mode `lazy` requires it. */
  readonly approved?: string;
}

/** Options of `resume` of a project. The configuration supplies those that are absent. */
export type ProjectResumeOptions = Omit<ResumeOptions, 'dir' | 'agents' | 'mcp' | 'readable' | 'secrets'>;

/** Options of `replay` of a project. The configuration supplies those that are absent. */
export type ProjectReplayOptions = Omit<ReplayOptions, 'dir' | 'agents' | 'mcp' | 'readable' | 'secrets'>;

/** The result of `format`. */
export interface Formatted extends Findings {
  /** The formatted text; null if the text has syntax errors. */
  readonly text: string | null;
}

/** Options of `graph`: Mermaid (the default), Graphviz's DOT, or text art (not for plans). */
export interface GraphOptions {
  readonly format?: 'mermaid' | 'dot' | 'ascii';
  /** The name of the machine to draw; default all machines of the program. */
  readonly machine?: string;
}

/**
 * A folder with programs and everything that belongs to them: the configuration, workflows, tools, agents, and the
 * store of runs. `openProject` returns it. Paths are relative to the folder. Files are read when they are needed, so
 * later changes to programs and to the configuration take effect.
 */
export interface Project {
  /** The absolute path of the folder. */
  readonly folder: string;
  /** The absolute path of the folder where runs are stored. */
  readonly dir: string;
  /** The absolute path of the configuration file that was found when the project was opened; null if there was none. */
  readonly configurationFile: string | null;
  /** The problems of the configuration when the project was opened. */
  readonly findings: Findings;

  /**
   * Checks a program (`.dsl`), a document (`.md`), a workflow file (`.yaml`, or its name) or a plan (`.json`), with its
   * imports. Starts nothing. Rejects with a `RunRefused` of the kind `unknown` when the file cannot be read.
   */
  checkFile(path: string, options?: CheckOptions): Promise<CheckedProgram>;
  /**
   * Checks a text in the same way. The ending of `name` decides its kind, and its folder is where imports are found;
   * default `<stdin>`, a program.
   */
  checkText(text: string, options?: CheckOptions & { readonly name?: string }): Promise<CheckedProgram>;
  /** Lists everything that can run below the folder. Links are not followed. */
  programs(): ProgramList;
  /** Formats the text of a program, or of a document if `name` ends so. Returns workflow files and plans unchanged. */
  format(text: string, name?: string): Promise<Formatted>;
  /** Draws the states of a program, or the calls of a plan. Rejects with `ProgramRefused` if it has errors. */
  graph(program: string | CheckedProgram, options?: GraphOptions): Promise<string>;

  /**
   * Runs a program and stores the run. Resolves with a report, whether the program returns or fails. Rejects with
   * `ProgramRefused` if the program has errors or an approval is missing, and with `RunRefused` if the store or the
   * file cannot be used.
   */
  run(program: string | CheckedProgram, options?: ProjectRunOptions): Promise<RunReport>;
  /**
   * Resumes a run by its id or the beginning of the id. A run that has returned is only reported again. Rejects with
   * `RunRefused`.
   */
  resume(run: string, options?: ProjectResumeOptions): Promise<RunReport>;
  /** Starts a new run from a point of an old run, which does not change. Rejects with `RunRefused`. */
  replay(run: string, options: ProjectReplayOptions): Promise<RunReport>;
  /** Compares a run with its program or with another one. Executes nothing. Rejects with `RunRefused`. */
  checkDrift(run: string, options?: { readonly program?: CheckedProgram }): Promise<DriftReport>;
  /** Lists the stored runs, newest first; `last` limits their number. */
  runs(last?: number): readonly ListedRun[];
  /**
   * Delivers answers and signals to a run, all of them or none. If a process executes the run, that process receives
   * them. Otherwise they are recorded, and `resume` uses them. Rejects with `RunRefused`.
   */
  deliver(run: string, deliveries: Delivery | readonly Delivery[]): Promise<'recorded' | 'passed-on'>;
  /**
   * Ends a run for good, even if another process executes it. `by` is the name of the person or program, for the
   * record. Rejects with `RunRefused`.
   */
  cancel(run: string, by: string): Promise<void>;
}

/**
 * Thrown instead of running a program that has errors or lacks an approval. `findings` contains all errors, for
 * `formatDiagnostics`.
 */
export class ProgramRefused extends Error {
  override readonly name = 'ProgramRefused';

  constructor(
    readonly findings: Findings,
    message: string,
  ) {
    super(message);
    // Node prints the members of an uncaught exception. Without this it would print the whole text of the program.
    Object.defineProperty(this, 'findings', { value: findings, enumerable: false });
  }
}

/** The message of a `ProgramRefused`: the first error of a list. */
export function firstError(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.find(({ severity }) => severity === 'error')?.message ?? 'there is nothing to run';
}
