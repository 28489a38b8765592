/**
 * The programs of a folder and everything that belongs to them: the configuration, imports, workflows, plans, tools. What
 * can be run is prepared here, and `Runs` executes it.
 */
import { resolve } from 'node:path';
import type { Json } from '../machine/expression.js';
import type { Input, Limits, RunBounds } from '../machine/machine.js';
import type { TrialBudget } from '../runtime/agents/resolve.js';
import type { CommandFunction } from '../runtime/command-function.js';
import type { OnDebugger } from '../runtime/run/drive-options.js';
import { DEFAULT_STORE } from '../runtime/store/open-own-run.js';
import type { Machine } from './library/compile-text.js';
import type { Findings } from './library/diagnostics.js';
import type { ListedInput, ProgramList } from './project/list-programs.js';
import type { ProgramSource } from './project/preparation.js';
import { diskFiles, type ProjectHost, withOpenTexts } from './project/project-host.js';
import type { Result } from './result.js';

export type { ListedInput, ProgramList, RunBounds };

/** How `openPrograms` and `openRuns` open a folder. */
export interface FolderOptions {
  /** The folder with the programs and their configuration; default the working directory. */
  readonly folder?: string;
  /** The folder where runs are kept; default `.statedsl` in the folder of the programs. */
  readonly dir?: string;
  /** JavaScript functions that all programs can call as commands, by name. */
  readonly commands?: Readonly<Record<string, CommandFunction>>;
  /** The environment of commands, and the PATH on which they are looked up; default the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Other configured agents to use, by the names that they replace. */
  readonly agents?: Readonly<Record<string, string>>;
  /** Whether programs may name files outside of the folder; default false. */
  readonly allowOutside?: boolean;
  /**
   * Returns the unsaved text of a file that an editor has open, by its absolute path, or undefined to read the file
   * from disk.
   */
  readonly openText?: (path: string) => string | undefined;
}

/** What only this package opens a folder with. */
export interface OpenedFolder extends FolderOptions {
  /** The trial to which the runs belong that are executed. */
  readonly trial?: TrialBudget;
  /** Lets debuggers in that ask runs of this process; absent: they read the record. */
  readonly onDebugger?: OnDebugger | undefined;
}

/** Options of `check`. */
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
  /** The working directory of commands; default the folder of the programs. */
  readonly cwd?: string;
}

/** Options of `prepare`. The configuration supplies those that are absent. */
export interface PrepareOptions extends Omit<CheckOptions, 'strict'> {
  /** The JSON text of inputs with a number that JavaScript would print differently, such as `1.10`. */
  readonly printedInputs?: Readonly<Record<string, string>>;
  /** The hash of the approved plan: a plan with another hash is refused. A plan with the mode `lazy` requires it. */
  readonly approved?: string;
  /** Whether the run gets its own git worktree and branch in the repository that contains `cwd`. */
  readonly worktree?: boolean;
  /** A file whose answers replace commands, agents, tools and people, as `--mock` does. */
  readonly mock?: string;
}

/** The result of `check`: the findings, and the program if it has no errors. */
export interface CheckedProgram extends Findings {
  /** The name in messages: the path relative to the folder of the programs. */
  readonly name: string;
  /** True if there are no errors; warnings and notes do not count. */
  readonly isValid: boolean;
  /** The machine to run; null if there are errors or nothing to run. */
  readonly machine: Machine | null;
  /** All machines of the text; a plan has one. */
  readonly machines: readonly Machine[];
  /** The declared inputs, even if errors leave no machine. */
  readonly inputs: readonly Input[];
  /** For a plan: the hash that approves it, as `statedsl plan approve` prints it. */
  readonly approvalHash?: string;
}

/** A program that was read and checked with its inputs, for `start` of `Runs`. All other members are internal. */
export interface Prepared {
  /** The name in messages. */
  readonly name: string;
  readonly machine: Machine;
  readonly inputs: Readonly<Record<string, Json>>;
  /** Warnings and notes about the configuration, the worktree and the program. */
  readonly warnings: readonly Findings[];
  /** For a plan: the hash that approves it. */
  readonly approvalHash?: string;
}

/** The result of `format`. */
export interface Formatted extends Findings {
  /** The formatted text; null if the text has syntax errors. */
  readonly text: string | null;
}

/** The result of `fix`: the text with the corrections that `check --fix` makes, and what is still wrong with it. */
export interface FixedProgram extends CheckedProgram {
  readonly text: string;
  /** How many corrections were made. */
  readonly fixed: number;
}

/** Options of `graph`: Mermaid (the default), Graphviz's DOT, or text art (not for plans). */
export interface GraphOptions {
  readonly format?: 'mermaid' | 'dot' | 'ascii';
  /** The name of the machine to draw; default all machines of the program. */
  readonly machine?: string;
}

/** The configuration of a folder. */
export interface FoundConfiguration extends Findings {
  /** The absolute path of the file; null: there is none. */
  readonly file: string | null;
  /** What a run may come to at most without being confirmed: calls of agents, and US dollars. */
  readonly confirmAbove?: { readonly calls?: number; readonly cost?: number };
}

/**
 * Programs (`.dsl`), documents (`.md`), workflow files (`.yaml`, or their names) and plans (`.json`) of a folder. Paths are
 * relative to it. Files are read when they are needed, so later changes take effect. Nothing is written or started. A
 * program is named by its path; the ending of the name of a text decides what it is, and its folder is where imports are
 * found; default `<stdin>`, a program.
 */
export interface Programs {
  /** The absolute path of the folder. */
  readonly folder: string;
  /** The absolute path of the folder where runs are stored. */
  readonly dir: string;
  /** The configuration that applies in the folder, as it is now. Its findings are in those of every program, too. */
  configuration(): Promise<FoundConfiguration>;
  /** Everything that can run below the folder. Links are not followed. */
  list(): Promise<Result<ProgramList>>;
  /** Checks a program with its imports. It is refused if its file cannot be read. */
  check(program: ProgramSource, options?: CheckOptions): Promise<Result<CheckedProgram>>;
  /** Reads, checks and completes a program for a run. It is refused if it has errors or needs an approval. */
  prepare(program: ProgramSource, options?: PrepareOptions): Promise<Result<Prepared>>;
  /** Formats the text of a program, or of a document if `name` ends so. Returns workflow files and plans unchanged. */
  format(text: string, name?: string): Promise<Formatted>;
  /** Makes the safe corrections in the text of a program, as `check --fix` does, and writes nothing. */
  fix(program: ProgramSource): Promise<Result<FixedProgram>>;
  /** How often a run of a valid program with these inputs and limits calls agents at most; null: it has none. */
  bounds(
    program: ProgramSource | CheckedProgram,
    inputs?: Readonly<Record<string, Json>>,
    limits?: Limits,
  ): Promise<Result<RunBounds | null>>;
  /** Draws the states of a program, or the calls of a plan. It is refused if it has errors. */
  graph(program: ProgramSource | CheckedProgram, options?: GraphOptions): Promise<Result<string>>;
}

export function hostOf({ folder = '.', env, allowOutside, openText }: FolderOptions): ProjectHost {
  const files = openText === undefined ? diskFiles : withOpenTexts(diskFiles, openText);
  return { folder: resolve(folder), files, allowOutside: allowOutside === true, environment: env ?? process.env };
}

/** The absolute path of the folder where runs are stored. */
export function storeOf({ folder = '.', dir = DEFAULT_STORE }: FolderOptions): string {
  return resolve(folder, dir);
}
