/**
 * From a file or a text to a program that can run: the one preparation, for the command line, the service, engines and
 * programs that embed statedsl. Nothing is written or started here.
 */
import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Machine } from '../machine/machine.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { resolveAgent, unknownAgent } from '../runtime/agents/resolve.js';
import type { Configuration } from '../runtime/configuration/configuration.js';
import type { Mock } from '../runtime/mock-file.js';
import type { RunOptions } from '../runtime/run/run-options.js';
import { type Diagnostic, hasErrors, sortDiagnostics } from '../source/diagnostic.js';
import type { SourceSet } from '../source/source-file.js';
import { worktreeOnEngine } from './choose-worktree.js';
import { compileOnce } from './compile-once.js';
import type { ProgramOptions } from './compile-program.js';
import { configuredOptions } from './configured-options.js';
import { type ProjectHost, pathOf } from './host.js';
import {
  chosenWorktree,
  type FunctionNames,
  type Instead,
  nameOf,
  type Preparation,
  type PreparationBase,
  type PrepareContext,
  type PreparedProgram,
  type PrepareRequest,
  type ProgramFindings,
  type ProgramSource,
  ready,
} from './preparation.js';
import { isPlan } from './program-kind.js';
import { readNamed } from './read-program.js';
import { namedBoundary } from './readable-folders.js';
import { agentLookup, gateLookup, loadSettings, problemDiagnostics, toolLookup } from './settings.js';
import type { NamedText } from './surroundings.js';

export async function prepareProgram(
  host: ProjectHost,
  source: ProgramSource,
  request: PrepareRequest,
  context: PrepareContext,
): Promise<Preparation> {
  const name = nameOf(source);
  const findings: ProgramFindings[] = [];
  const unusable = isPlan(name) ? planOptions(request) : programOptions(request, context);
  if (unusable !== null) return { kind: 'refused', findings, ...unusable };
  const cwd = resolve(host.folder, request.cwd ?? '.');
  const bad = directoryProblem(cwd, request.cwd ?? '.');
  if (bad !== null) return { kind: 'refused', findings, message: bad };
  const settings = await loadSettings(host, name);
  if (settings.diagnostics.length > 0) return { kind: 'invalid', findings: [settings] };
  findings.push({ diagnostics: settings.warnings, sources: settings.sources });
  const mock = await readMock(host, request.mock);
  if (mock !== null && 'diagnostics' in mock) return { kind: 'invalid', findings: [...findings, mock] };
  const { configuration } = settings;
  const base = { request, context, configuration, cwd, mock: mock?.mock ?? null, findings };
  if (isPlan(name)) return (await import('./prepare-plan.js')).preparePlan(host, source, base);
  const unknown = mock === null ? unknownReplacement(base) : null;
  if (unknown !== null) return { kind: 'refused', findings, message: unknown };
  const read =
    typeof source === 'string'
      ? readNamed(host, source, configuration)
      : { kind: 'text' as const, name, text: source.text };
  if (read.kind === 'missing') return { kind: 'refused', findings, message: read.message, isUnknown: true };
  if (read.kind === 'broken') return { kind: 'invalid', findings: [...findings, read.compilation] };
  return compileRead(host, read, base);
}

async function compileRead(host: ProjectHost, read: NamedText, base: PreparationBase): Promise<Preparation> {
  const { request, context, configuration, cwd, mock, findings } = base;
  const { elsewhere, isPlayed = false, cache = null } = context;
  const worktree = await chosenWorktree(read.name, base);
  if (hasErrors(worktree.diagnostics)) return { kind: 'invalid', findings };
  let functions: FunctionNames | null;
  try {
    functions = (await elsewhere?.functions(configuration)) ?? null;
  } catch (cause) {
    return { kind: 'refused', findings, message: (cause as Error).message };
  }
  const commands = [...(context.commands ?? []), ...Object.keys(functions?.all ?? {})];
  const worktreeElsewhere =
    elsewhere === undefined
      ? undefined
      : worktreeOnEngine(request.worktree, configuration, elsewhere.home ?? configuration.engine?.home);
  // The cache does not know functions.
  const compilation = await compileOnce(commands.length === 0 ? cache : null, host, read, {
    ...(commands.length === 0 ? {} : { commands }),
    ...surroundingOptions(host, configuration, {
      cwd,
      instead: context.instead ?? {},
      tools: request.tools,
      worktree: worktree.repository !== null || isPlayed || worktreeElsewhere === true,
      // A mock answers for agents and tools, so the mock and not the configuration defines which ones exist.
      isPlayed: mock !== null || isPlayed,
    }),
    ...standIns(mock, isPlayed, request.tools),
    ...omitUndefined({ machine: request.machine }),
  });
  const { machine, declared } = compilation;
  const sources = [...compilation.sources];
  if (machine === null && !hasErrors(compilation.diagnostics)) {
    findings.push(compilation);
    return { kind: 'nothing', findings, name: read.name };
  }
  const examined = await context.examine({
    declared,
    machine,
    diagnostics: compilation.diagnostics,
    sources,
    isPlan: false,
    isOpen: false,
  });
  const diagnostics = [...examined.diagnostics];
  if (machine !== null && mock !== null) diagnostics.push(...(await notMocked(mock, machine, sources)));
  findings.push({ diagnostics: hasErrors(diagnostics) ? sortDiagnostics(diagnostics) : diagnostics, sources });
  if (machine === null || hasErrors(diagnostics)) return { kind: 'invalid', findings };
  return ready(host, base, examined, {
    name: read.name,
    machine,
    sources,
    repository: worktree.repository,
    ...omitUndefined({ functions: functions?.digest, worktreeElsewhere }),
  });
}

type Unusable = { readonly message: string; readonly help: string };

/** An option without effect is refused. Above all, a person must not believe that an approval protected the run. */
function programOptions({ state, approved }: PrepareRequest, { option }: PrepareContext): Unusable | null {
  if (approved !== undefined)
    return {
      message: `\`${option('approved')}\` takes a plan, but this is a program`,
      help: `run the plan itself: \`statedsl run plan.json --approved …\``,
    };
  if (state !== undefined)
    return {
      message: `\`${option('state')}\` sets the initial state of a plan, but this is a program`,
      help: 'pass values as inputs: `-i name=value`',
    };
  return null;
}

function planOptions({ machine }: PrepareRequest): Unusable | null {
  if (machine === undefined) return null;
  return { message: 'a plan is one machine, so there is none to choose', help: 'leave out `--machine`' };
}

/** The mock, or what is wrong with its file; null: there is none. */
export async function readMock(
  host: ProjectHost,
  path: string | undefined,
): Promise<{ readonly mock: Mock } | ProgramFindings | null> {
  if (path === undefined) return null;
  const { loadMock } = await import('../runtime/mock-file.js');
  const why = host.files.whyRefused(pathOf(host, path), namedBoundary(host));
  const refused = { file: path, line: null, column: null, message: `cannot read \`${path}\`: ${why}` };
  const { mock, problems } =
    why === null ? await loadMock(pathOf(host, path), path) : { mock: null, problems: [refused] };
  return mock === null ? problemDiagnostics(host, 'mock', problems) : { mock };
}

export function directoryProblem(directory: string, given: string, use = 'in which commands would run'): string | null {
  try {
    return statSync(directory).isDirectory() ? null : `\`${given}\` is not a directory`;
  } catch {
    return `the directory \`${given}\` ${use} does not exist`;
  }
}

function unknownReplacement({ context, configuration: { agents, folder } }: PreparationBase): string | null {
  const { instead = {}, option } = context;
  const settings = { agents, folder, instead };
  const name = Object.keys(instead).find((replaced) => resolveAgent(replaced, settings) === null);
  return name === undefined ? null : `\`${option('agent')} ${name}=${instead[name]}\`: ${unknownAgent(name, settings)}`;
}

/** Programs and tools that need not exist, because their outcomes come from a mock or a cassette. */
function standIns(mock: Mock | null, isPlayed: boolean, tools: string | undefined) {
  if (isPlayed) return { standIns: () => true, calls: { tools, standIns: () => true } };
  if (mock === null) return {};
  const isMocked = (tool: string): boolean => Object.hasOwn(mock.tools ?? {}, tool);
  return { standIns: mockedPrograms(mock), calls: { tools, standIns: isMocked } };
}

/** A program that a mock names, alone or as the first word of a command. */
function mockedPrograms({ commands }: Mock): (program: string) => boolean {
  const names = new Set(Object.keys(commands ?? {}).map((command) => command.trim().split(/\s+/)[0]));
  return (program) => names.has(program) || names.has(basename(program));
}

/** Everything that the machine would start and the mock does not name, reported at the line that starts it. */
async function notMocked(mock: Mock, machine: Machine, sources: SourceSet): Promise<Diagnostic[]> {
  const { missingInMock } = await import('../runtime/mock.js');
  return missingInMock(mock, machine).map(({ file, line, message }): Diagnostic => {
    const index = Math.max(
      0,
      sources.findIndex(({ name }) => name === file),
    );
    const start = sources[index]?.lineStarts[(line ?? 1) - 1] ?? 0;
    const end = sources[index]?.text.indexOf('\n', start) ?? -1;
    return { code: 'not-in-mock', severity: 'error', message, span: { file: index, start, end: Math.max(start, end) } };
  });
}

interface CompilerSurroundings {
  readonly cwd: string;
  readonly instead: Instead;
  /** The tools file. */
  readonly tools: string | undefined;
  /** Whether the run has a worktree; undefined: that is decided when it starts. */
  readonly worktree: boolean | undefined;
  /** Agents and tools are not those of the configuration: something else answers for them. */
  readonly isPlayed?: boolean;
}

/** What the compiler knows about the surroundings of a program. */
export function surroundingOptions(
  host: ProjectHost,
  configuration: Configuration,
  { cwd, instead, tools, worktree, isPlayed = false }: CompilerSurroundings,
): Pick<ProgramOptions, 'cwd' | 'configuration' | 'lookups' | 'calls'> {
  return {
    cwd,
    configuration,
    lookups: omitUndefined({
      worktree,
      ...gateLookup(configuration, cwd),
      agents: isPlayed ? undefined : agentLookup(configuration, instead),
    }),
    calls: isPlayed ? { tools } : { tools, ...toolLookup(host, configuration, { agent: instead, cwd }) },
  };
}

/** The options of a run that its program and the configuration supply. */
export function runOptionsOf(host: ProjectHost, program: PreparedProgram) {
  const { machine, sources, configuration, programDir, cwd, repository, instead, inputs, printed, start } = program;
  return {
    ...configuredOptions(host, configuration, { program: sources[0]?.name ?? '-', instead }),
    ...omitUndefined({ jobs: configuration.defaults.jobs, start }),
    inputs,
    printedInputs: printed,
    programDir,
    cwd,
    worktree: repository ?? false,
    sources: sources.filter((source) => machine.files.includes(source.name)),
    settings: program.settings,
  } satisfies Partial<RunOptions>;
}
