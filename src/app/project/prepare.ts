/**
 * From a file or a text to a program that can run: the one preparation, for the command line, the service, engines and
 * programs that embed statedsl. Nothing is written or started here.
 */
import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Compilation } from '../../language/check/compile.js';
import {
  type Diagnostic,
  hasErrors,
  type SourceSet,
  sortDiagnostics,
  sourceFile,
} from '../../language/source/diagnostic.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import type { Cache } from '../../prelude/launcher.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { type AgentSettings, resolveAgent, unknownAgent } from '../../runtime/agents/resolve.js';
import type { Configuration } from '../../runtime/configuration/load-configuration.js';
import type { Mock } from '../../runtime/mock-file.js';
import type { Readable } from '../../runtime/readable-file.js';
import type { RunOptions } from '../../runtime/run/run-options.js';
import { digestOf, presetDigest } from '../../runtime/store/image.js';
import type { ProgramOptions } from './compile-program.js';
import {
  chosenWorktree,
  type FunctionNames,
  type Instead,
  isPlan,
  nameOf,
  type Preparation,
  type PreparationBase,
  type PrepareContext,
  type PreparedProgram,
  type PrepareRequest,
  type ProgramFindings,
  type ProgramSource,
  ready,
  worktreeOnEngine,
} from './preparation.js';
import { type ProjectHost, pathOf } from './project-host.js';
import { namedBoundary, readableFrom, readNamed } from './read-program.js';
import { agentLookup, gateLookup, loadSettings, problemDiagnostics, toolLookup } from './settings.js';
import { type NamedText, type Surroundings, surroundingsOf } from './surroundings.js';

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
  const { loadMock } = await import('../../runtime/mock-file.js');
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
  const { missingInMock } = await import('../../runtime/mock.js');
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

/** The part of a compilation that running the program needs. */
type Runnable = Pick<Compilation, 'machine' | 'declared' | 'diagnostics' | 'sources'>;

/** A question, as the path of its function in the surroundings and its arguments, and its answer as JSON. */
type AnsweredQuestion = readonly [path: readonly string[], args: readonly Json[], answer: string];

interface Stored {
  readonly answered: readonly AnsweredQuestion[];
  readonly machine: Machine;
  readonly digest: string;
  readonly diagnostics: readonly Diagnostic[];
  /** The files that the program imports. */
  readonly imported: readonly NamedText[];
}

/**
 * Compiles the program each time if there is no cache, for standard input, and for CALL and PLAN, which read more
 * files.
 */
export async function compileOnce(
  cache: Cache | null,
  host: ProjectHost,
  program: NamedText,
  options: Omit<ProgramOptions, 'strict' | 'explain'>,
): Promise<Runnable> {
  const surroundings = surroundingsOf(host, program, options);
  const isKept = cache !== null && program.name !== '<stdin>';
  const name = `program ${JSON.stringify([host.folder, program.name])}`;
  const label = JSON.stringify([program.text, options.machine ?? null, surroundings]);
  const known = isKept ? recall(cache, name, label, surroundings, program) : null;
  if (known !== null) return known;
  const answered = new Map<string, AnsweredQuestion>();
  const { compileWithin } = await import('./compile-program.js');
  const { compilation, usesCalls } = await compileWithin(observe(surroundings, [], answered), host, program, options);
  const { machine, diagnostics, sources } = compilation;
  if (!isKept || usesCalls || machine === null) return compilation;
  const imported = sources.slice(1).map((source) => ({ name: source.name, text: source.text }));
  const stored: Stored = {
    answered: [...answered.values()],
    machine,
    digest: digestOf(machine),
    diagnostics,
    imported,
  };
  cache.write(name, label, Buffer.from(JSON.stringify(stored)));
  return compilation;
}

function recall(
  cache: Cache,
  name: string,
  label: string,
  surroundings: Surroundings,
  { name: file, text }: NamedText,
): Runnable | null {
  const entry = cache.read(name);
  if (entry === null || entry.label !== label) return null;
  const { answered, machine, digest, diagnostics, imported }: Stored = JSON.parse(entry.content.toString());
  if (!answered.every((question) => isSame(question, surroundings))) return null;
  presetDigest(machine, digest);
  const sources = [{ name: file, text }, ...imported].map((source) => sourceFile(source.name, source.text));
  return { machine, declared: { name: machine.name, inputs: machine.inputs }, diagnostics, sources };
}

function isSame([path, args, answer]: AnsweredQuestion, surroundings: Surroundings): boolean {
  let owner: unknown = surroundings;
  for (const name of path) owner = (owner as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof owner === 'function' && asJson(owner(...args)) === answer;
}

/** The same surroundings, which add each question and its answer to `answered`. */
function observe<T extends object>(
  surroundings: T,
  path: readonly string[],
  answered: Map<string, AnsweredQuestion>,
): T {
  const observeMember = (name: string, member: unknown): unknown => {
    const inside = [...path, name];
    if (typeof member === 'function')
      return (...args: Json[]) => {
        const answer = member(...args);
        answered.set(JSON.stringify([inside, args]), [inside, args, asJson(answer)]);
        return answer;
      };
    return typeof member === 'object' && member !== null && !Array.isArray(member)
      ? observe(member, inside, answered)
      : member;
  };
  return Object.fromEntries(
    Object.entries(surroundings).map(([name, member]) => [name, observeMember(name, member)]),
  ) as T;
}

const asJson = (value: unknown): string => JSON.stringify(value ?? null);

interface ConfiguredOptions {
  readonly agents: AgentSettings;
  readonly mcp: Configuration['mcp'];
  readonly readable: Readable;
  readonly secrets: readonly string[];
}

/** `program` is a path, or a name such as `-`; `instead` maps the name of an agent to the name of its replacement. */
export function configuredOptions(
  host: ProjectHost,
  configuration: Configuration,
  { program, instead }: { readonly program: string; readonly instead: Readonly<Record<string, string>> },
): ConfiguredOptions {
  const { agents, folder, file, budget, secrets } = configuration;
  return {
    agents: { agents, folder, instead, ...(budget === undefined ? {} : { budget: { ...budget, file } }) },
    mcp: absoluteServers(configuration),
    readable: readableFrom(host, program),
    secrets,
  };
}

/** Paths in a server's command are relative to the folder of the configuration, wherever the run works. */
function absoluteServers({ mcp, folder }: Configuration): Configuration['mcp'] {
  const isPath = (word: string): boolean => /^\.\.?\//.test(word) && folder !== null;
  const servers = Object.entries(mcp).map(([name, server]) => {
    const command = server.command.map((word) => (isPath(word) ? resolve(folder ?? '', word) : word));
    return [name, { ...server, command }] as const;
  });
  return Object.fromEntries(servers);
}
