/** What the preparation of a program is asked for and gives, and what programs and plans share of it. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Diagnostic, SourceSet } from '../../language/source/diagnostic.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import type { Cache } from '../../prelude/launcher.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Configuration } from '../../runtime/configuration/load-configuration.js';
import type { Mock } from '../../runtime/mock-file.js';
import type { RunOptions } from '../../runtime/run/run-options.js';
import type { Repository } from '../../runtime/worktree/git/repository.js';
import { type ProjectHost, pathOf, withOpenTexts } from './project-host.js';
import { uncalledReplacements } from './replaced-agents.js';

/** What to run: a file by its path (`-` is standard input), or a text. */
export type ProgramSource = string | { readonly text: string; readonly name?: string };

/** Other agents, by the names of those that they replace. */
export type Instead = Readonly<Record<string, string>>;

/** What is said about a program, with the texts that it is about. */
export interface ProgramFindings {
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: SourceSet;
}

/** How a program is to run. What is left out comes from the configuration. */
export interface PrepareRequest {
  /** The machine to run; by default the first. */
  readonly machine?: string;
  /** The tools file. */
  readonly tools?: string;
  /** For a plan: a file with its initial state. */
  readonly state?: string;
  /** For a plan: the hash that approves it. */
  readonly approved?: string;
  /** The working directory of commands; by default the folder of the host. */
  readonly cwd?: string;
  /** Whether the run gets a worktree. */
  readonly worktree?: boolean;
  /** The file with the answers of `--mock`. */
  readonly mock?: string;
}

/** What else the preparation has to know. */
export interface PrepareContext {
  /** The absolute path of the folder where runs are stored. */
  readonly store: string;
  readonly instead?: Instead;
  /** Names of JavaScript functions that the program can call as commands. */
  readonly commands?: readonly string[];
  /** All outcomes come from a cassette. */
  readonly isPlayed?: boolean;
  /** Nothing will run, so a lazy plan needs no approval. */
  readonly isDryRun?: boolean;
  /** Workers of an engine execute the run. */
  readonly elsewhere?: {
    readonly home?: string | undefined;
    /** The functions that the workers have. Rejects with an `Error` for people. */
    readonly functions: (configuration: Configuration) => Promise<FunctionNames | null>;
  };
  /** Where compiled programs are kept. */
  readonly cache?: Cache | null;
  readonly examine: Examine;
  /** How messages call an option. */
  readonly option: (name: 'approved' | 'state' | 'agent' | 'mock' | 'machine') => string;
}

export interface FunctionNames {
  readonly all: Readonly<Record<string, unknown>>;
  readonly digest: string;
}

/** The inputs that a program declares, which are known even if errors leave no machine. */
export type DeclaredInputs = Pick<Machine, 'name' | 'inputs' | 'workflow'>;

/** What was compiled, for those who know the values of its inputs. */
export interface ExaminedProgram extends ProgramFindings {
  readonly declared: DeclaredInputs | null;
  /** Null: it has errors. For a plan, this is not known yet. */
  readonly machine: Machine | null;
  /** A plan declares no inputs: it reads them, and a missing one may have alternatives. */
  readonly isPlan: boolean;
  /** The plan takes any input. */
  readonly isOpen: boolean;
}

export interface ExaminedInputs {
  readonly inputs: Readonly<Record<string, Json>>;
  /** The JSON text of inputs with a number that JavaScript would print differently. */
  readonly printed?: Readonly<Record<string, string>>;
  /** Secret inputs that the workers of an engine read from variables of their environment. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The state to start in. */
  readonly start?: RunOptions['start'];
  /** Those of the program, and what is wrong with its inputs. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Finds the inputs of a program. May add texts to the sources, so that mistakes can be shown in them. */
type Examine = (program: ExaminedProgram) => ExaminedInputs | Promise<ExaminedInputs>;

/** A program that was checked and can run. */
export interface PreparedProgram {
  /** As messages name it. */
  readonly name: string;
  readonly machine: Machine;
  readonly sources: SourceSet;
  readonly configuration: Configuration;
  /** The absolute directory of the program's file, or for a text the working directory of commands. */
  readonly programDir: string;
  /** The absolute working directory of commands. */
  readonly cwd: string;
  /** The repository from which the worktree of the run is created; null if the run has no worktree. */
  readonly repository: Repository | null;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly printed: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
  readonly start?: RunOptions['start'];
  readonly mock: Mock | null;
  readonly instead: Instead;
  /** SHA-256 of the module with the functions of the program; absent: there is none. */
  readonly functions?: string;
  /** Whether the run gets a worktree on the machine that executes it. */
  readonly worktreeElsewhere?: boolean;
  /** For a plan: the hash that approves it. */
  readonly approvalHash?: string;
  /** What the run keeps, so that it can be resumed without these options. */
  readonly settings: Readonly<Record<string, Json>>;
  /** Warnings and notes. */
  readonly warnings: readonly ProgramFindings[];
}

/** `findings`: all that is to be said, in this order; the last ones have the errors of a program that is `invalid`. */
export type Preparation = { readonly findings: readonly ProgramFindings[] } & (
  | { readonly kind: 'ready'; readonly program: PreparedProgram }
  | { readonly kind: 'invalid' }
  | {
      readonly kind: 'refused';
      readonly message: string;
      readonly help?: string | undefined;
      readonly isUnknown?: true;
    }
  /** There is only a comment or declarations. */
  | { readonly kind: 'nothing'; readonly name: string }
);

/** Everything that is known before the program is read. */
export interface PreparationBase {
  readonly request: PrepareRequest;
  readonly context: PrepareContext;
  readonly configuration: Configuration;
  readonly cwd: string;
  readonly mock: Mock | null;
  readonly findings: ProgramFindings[];
}

/** A program that is complete, with what the base and its inputs say about it. */
export function ready(
  host: ProjectHost,
  { request, context, configuration, cwd, mock, findings }: PreparationBase,
  { inputs, printed = {}, variables = {}, start }: ExaminedInputs,
  own: Pick<
    PreparedProgram,
    'name' | 'machine' | 'sources' | 'repository' | 'functions' | 'worktreeElsewhere' | 'approvalHash'
  >,
): Extract<Preparation, { kind: 'ready' }> {
  const { instead = {} } = context;
  const uncalled = uncalledReplacements(own.machine, instead);
  if (uncalled.length > 0) findings.push({ diagnostics: uncalled, sources: [] });
  const absolute = (path: string | undefined): string | undefined =>
    path === undefined ? undefined : resolve(host.folder, path);
  const settings = {
    here: host.folder,
    ...omitUndefined({
      mock: absolute(request.mock),
      tools: absolute(request.tools),
      agent: Object.keys(instead).length === 0 ? undefined : instead,
      state: absolute(request.state),
      allow_outside: host.allowOutside ? true : undefined,
    }),
  };
  const programDir = programDirOf(host, own.name, cwd);
  const known = { configuration, cwd, mock, instead, settings, programDir, inputs, printed, variables };
  const program = { ...own, ...known, warnings: [...findings], ...omitUndefined({ start }) };
  return { kind: 'ready', findings, program };
}

/** The repository of the worktree, and what is said about it, which the findings have then. */
export async function chosenWorktree(
  name: string,
  { request, context, configuration, cwd, findings }: PreparationBase,
): Promise<WorktreeChoice> {
  const { store, isDryRun = false, isPlayed, elsewhere } = context;
  const worktree = isPlayed === true || elsewhere !== undefined ? false : request.worktree;
  const choice = await chooseWorktree({ name, cwd, configuration, store, worktree, isDryRun });
  if (choice.diagnostics.length > 0) findings.push({ diagnostics: choice.diagnostics, sources: [] });
  return choice;
}

/** The file of a plan. A text is read as if its file had it. */
export function planFile(
  host: ProjectHost,
  source: ProgramSource,
): { readonly host: ProjectHost; readonly file: string } {
  if (typeof source === 'string') return { host, file: source };
  const { text, name: file = 'plan.json' } = source;
  const own = pathOf(host, file);
  return { host: { ...host, files: withOpenTexts(host.files, (path) => (path === own ? text : undefined)) }, file };
}

export function nameOf(source: ProgramSource): string {
  return typeof source === 'string' ? source : (source.name ?? '<stdin>');
}

/** The absolute directory of the file of a program; for a text, the working directory of commands. */
function programDirOf(host: ProjectHost, name: string, cwd: string): string {
  return name === '<stdin>' || name === '-' ? cwd : dirname(pathOf(host, name));
}

interface WorktreeChoice {
  /** The repository to create the worktree from; null if the run changes the current checkout. */
  readonly repository: Repository | null;
  /** An error if the request cannot be met, or a warning. */
  readonly diagnostics: readonly Diagnostic[];
}

interface NamedWorktree {
  /** The name of the program's file. */
  readonly name: string;
  readonly cwd: string;
  readonly configuration: Configuration;
  /** The absolute path of the folder where runs are stored. */
  readonly store: string;
  /** The choice of the command line; undefined if it makes none. */
  readonly worktree: boolean | undefined;
  /** Nothing will run, so uncommitted changes do no harm. */
  readonly isDryRun: boolean;
}

async function chooseWorktree(request: NamedWorktree): Promise<WorktreeChoice> {
  const { name, cwd, configuration, store, isDryRun } = request;
  const isWanted = request.worktree ?? configuration.defaults.worktree ?? isWorkflow(name);
  if (!isWanted) return { repository: null, diagnostics: [] };
  const { usableRepository } = await import('../../runtime/worktree/worktree.js');
  const { GitFailure } = await import('../../runtime/worktree/git/git.js');
  try {
    const found = await usableRepository(cwd, store, !isDryRun);
    if (found.kind === 'found') return { repository: found.repository, diagnostics: [] };
    const { kind, message, help } = found.refusal;
    const withoutWorktree = kind === 'no-repository' || kind === 'no-git';
    const explained = withoutWorktree ? `${message}, so the run changes files in the current checkout` : message;
    return { repository: null, diagnostics: [diagnostic(withoutWorktree ? 'warning' : 'error', explained, help)] };
  } catch (cause) {
    if (!(cause instanceof GitFailure)) throw cause;
    return { repository: null, diagnostics: [diagnostic('error', cause.message)] };
  }
}

/**
 * Whether a run on an engine gets a worktree. Unlike here, the file of a workflow does not ask for it by itself: only its
 * worker knows whether it has a repository. `asked`: undefined if the caller does not say; `home`: the one that it names.
 */
export function worktreeOnEngine(
  asked: boolean | undefined,
  { defaults, engine }: Configuration,
  home: string | undefined = engine?.home,
): boolean {
  return asked ?? (defaults.worktree === true && home !== undefined);
}

/** The problem concerns the checkout and not the program, so it has no source location. */
function diagnostic(severity: 'error' | 'warning', message: string, help?: string): Diagnostic {
  const span = { file: -1, start: 0, end: 0 };
  return omitUndefined({ code: 'worktree', severity, message, span, help });
}

/** False if no run here can have a worktree; undefined if that is decided when the run starts. */
export function mayHaveWorktree(cwd: string): boolean | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return undefined;
    if (dirname(folder) === folder) return false;
  }
}

/** The ending of its name distinguishes a workflow file from a program. */
export function isWorkflow(name: string): boolean {
  return /\.ya?ml$/i.test(name);
}

/** The ending of its name distinguishes a plan from a program. */
export function isPlan(name: string): boolean {
  return /\.json$/i.test(name);
}

/** Tests of a program are in a file of their own. */
export function isTestFile(name: string): boolean {
  return /\.test\.(?:dsl|statedsl)$/i.test(name);
}

/** Standard input has no name, so it is never a document. */
export function isMarkdown(name: string): boolean {
  return /\.(md|markdown)$/i.test(name);
}
