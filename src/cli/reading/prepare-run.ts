/**
 * Everything that happens before a run starts: the program is read and checked, inputs are found, and whatever is
 * wrong is told at once. Nothing is written and nothing is started here.
 */
import { statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Compilation } from '../../check/compile.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { resolveAgent, unknownAgent } from '../../runtime/agents/resolve.js';
import type { Configuration } from '../../runtime/configuration/configuration.js';
import type { Mock } from '../../runtime/mock.js';
import type { Repository } from '../../runtime/worktree/git/repository.js';
import { commandLineMessages as words } from '../../source/catalogue/command-line.js';
import { type Diagnostic, hasErrors, sortDiagnostics } from '../../source/diagnostic.js';
import { type SourceSet, sourceFile } from '../../source/source-file.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { chooseWorktree } from '../running/choose-worktree.js';
import type { RunFlags } from '../running/run-flags.js';
import { stderr, stdout } from '../streams.js';
import { usageError } from '../usage.js';
import { readInputFile } from './input-file.js';
import { readInputs } from './inputs.js';
import { compileProgram, isPlan, readNamed } from './load-program.js';
import { agentLookup, drawable, gateLookup, loadSettings, toolLookup } from './settings.js';
import { readStart, type Start } from './start-state.js';

/** A program that can run. */
export interface Prepared {
  readonly machine: Machine;
  readonly sources: SourceSet;
  readonly inputs: ReadonlyMap<string, Json>;
  /** JSON of inputs whose numbers are written in another way than JavaScript prints them. */
  readonly printed: Readonly<Record<string, string>>;
  readonly start: Start | null;
  readonly configuration: Configuration;
  readonly mock: Mock | null;
  /** The folder of the program's file, absolute; for standard input that in which commands run. */
  readonly programDir: string;
  /** Where commands run, absolute. */
  readonly cwd: string;
  /** What the worktree of the run is made of; null: it has none. */
  readonly repository: Repository | null;
}

/** Something to run, an exit code for what was wrong, or nothing to run at all (`name` is what the program is called). */
export type Preparation = Prepared | { readonly code: ExitCode } | { readonly nothing: string };

export async function prepareRun(file: string, flags: RunFlags): Promise<Preparation> {
  if (isPlan(file)) return (await import('./prepare-plan.js')).preparePlan(file, flags);
  const ofPlans = onlyForPlans(flags);
  if (ofPlans !== null) return { code: await usageError(...ofPlans) };
  const cwd = resolve(flags.cwd ?? '.');
  const badDirectory = directoryProblem(cwd, flags.cwd ?? '.');
  if (badDirectory !== null) return { code: await usageError(badDirectory) };
  const settings = await loadSettings(file);
  if (settings.diagnostics.length > 0) return invalid(settings.diagnostics, settings.sources, flags);
  await tell(settings.warnings, settings.sources, flags);
  const mock = await readMock(flags);
  if (mock !== null && 'diagnostics' in mock) return invalid(mock.diagnostics, mock.sources, flags);
  const unknown = unknownReplacement(flags, settings.configuration);
  if (unknown !== null) return { code: await usageError(unknown) };
  if (file === '-' && flags.inputFile === '-')
    return { code: await usageError('standard input holds the program, so it cannot hold the inputs too') };
  const read = readNamed(file, settings.configuration);
  if (read.kind === 'missing') return { code: await usageError(read.message) };
  if (read.kind === 'broken') return invalid(read.compilation.diagnostics, read.compilation.sources, flags);
  const { configuration } = settings;
  const worktree = await chooseWorktree(flags, { name: read.name, cwd, configuration });
  if (hasErrors(worktree.diagnostics)) return invalid(worktree.diagnostics, [], flags);
  await tell(worktree.diagnostics, [], flags);
  const compilation = await compileProgram(read.name, read.text, {
    cwd,
    machine: flags.machine,
    configuration,
    worktree: worktree.repository !== null,
    ...gateLookup(configuration, cwd),
    // A mock answers for agents, so it and not the configuration says which there are.
    ...(mock === null ? agentLookup(configuration, flags.agent ?? {}) : { standIns: standInsOf(mock.mock) }),
    calls:
      mock === null
        ? { tools: flags.tools, ...toolLookup(configuration, { ...flags, cwd }) }
        : { tools: flags.tools, standIns: (tool) => Object.hasOwn(mock.mock.tools ?? {}, tool) },
  });
  if (compilation.machine === null && !hasErrors(compilation.diagnostics)) {
    await tell(compilation.diagnostics, compilation.sources, flags);
    return { nothing: read.name };
  }
  const { repository } = worktree;
  const programDir = programDirOf(read.name, cwd);
  return finish(compilation, { flags, mock: mock?.mock ?? null, configuration, programDir, cwd, repository });
}

/** The folder that the file of a program is in. */
export function programDirOf(name: string, cwd: string): string {
  return name === '<stdin>' || name === '-' ? cwd : dirname(resolve(name));
}

/** A flag that would be without effect: most of all nobody should take an approval for given. */
function onlyForPlans({ state, approved }: Pick<RunFlags, 'state' | 'approved'>): [string, string] | null {
  if (approved !== undefined)
    return [
      '`--approved` is about a plan, and this is a program',
      'run the plan itself: `statedsl run plan.json --approved …`',
    ];
  if (state !== undefined)
    return [
      '`--state` is the state a plan begins with, and this is a program',
      'pass values as inputs: `-i name=value`',
    ];
  return null;
}

interface Known {
  readonly flags: RunFlags;
  readonly mock: Mock | null;
  readonly configuration: Configuration;
  readonly programDir: string;
  readonly cwd: string;
  readonly repository: Repository | null;
}

/** What was named besides the program: inputs, the first state, and what a mock has to name. All of it is told at once. */
async function finish(compilation: Compilation, { flags, mock, ...known }: Known): Promise<Preparation> {
  const { machine } = compilation;
  const sources = [...compilation.sources];
  const diagnostics = blameFlag(compilation.diagnostics, flags, sources);
  const { values: inputs, printed } = await findInputs(compilation, { flags, sources, diagnostics });
  if (machine === null) return invalid(sortDiagnostics(diagnostics), sources, flags);
  const start = flags.start === undefined ? null : readStart(flags.start, machine, sources);
  if (start !== null && 'diagnostics' in start) diagnostics.push(...start.diagnostics);
  if (mock !== null) diagnostics.push(...(await notMocked(mock, machine, sources)));
  if (hasErrors(diagnostics)) return invalid(sortDiagnostics(diagnostics), sources, flags);
  await tell(diagnostics, sources, flags);
  const first = start !== null && 'start' in start ? start.start : null;
  return { machine, sources, inputs, printed, start: first, mock, ...known };
}

/** A machine that does not exist is the mistake of the flag that names it, and not of the program. */
function blameFlag(diagnostics: readonly Diagnostic[], { machine }: RunFlags, sources: SourceSet): Diagnostic[] {
  if (machine === undefined) return [...diagnostics];
  const lead = '--machine ';
  return diagnostics.map((one) => {
    if (one.code !== 'unknown-machine') return one;
    const file = sources.push(sourceFile('command line', lead + machine)) - 1;
    return { ...one, span: { file, start: lead.length, end: lead.length + machine.length } };
  });
}

interface Findings {
  readonly flags: RunFlags;
  /** Both grow: what was typed becomes a source, so that what is wrong with it can be drawn. */
  readonly sources: SourceSet;
  readonly diagnostics: Diagnostic[];
}

async function findInputs(
  { declared }: Compilation,
  { flags, sources, diagnostics }: Findings,
): Promise<Pick<Prepared, 'printed'> & { readonly values: ReadonlyMap<string, Json> }> {
  const read = flags.inputFile === undefined ? null : await readInputFile(flags.inputFile);
  const file = read === null || 'reason' in read ? null : read;
  if (read !== null && 'reason' in read)
    diagnostics.push(badInputFile(flags.inputFile as string, read.reason, sources));
  if (declared === null) return { values: new Map(), printed: {} };
  // What an unreadable file would have given is not missing too.
  const complete = flags.dryRun !== true && (read === null || file !== null);
  const given = readInputs(declared, { flags: flags.input ?? [], file, complete, sources });
  diagnostics.push(...given.diagnostics);
  return given;
}

/** Says what is wrong; with `--json` also to programs. */
export async function invalid(
  diagnostics: readonly Diagnostic[],
  sources: SourceSet,
  flags: Pick<RunFlags, 'json' | 'quiet'>,
): Promise<{ code: ExitCode }> {
  await tell(diagnostics, sources, flags);
  if (flags.json) {
    const { diagnosticsJson } = await import('../../views/diagnostics/diagnostic-json.js');
    stdout.write(`${JSON.stringify({ status: 'invalid', diagnostics: diagnosticsJson(diagnostics, sources) })}\n`);
  }
  return { code: EXIT.usage };
}

export async function tell(
  diagnostics: readonly Diagnostic[],
  sources: SourceSet,
  flags: Pick<RunFlags, 'quiet'>,
): Promise<void> {
  const shown = flags.quiet ? diagnostics.filter(({ severity }) => severity === 'error') : diagnostics;
  if (shown.length === 0) return;
  // Drawing is loaded only when there is something to draw: a program without mistakes starts faster.
  const { drawDiagnostics } = await import('../../views/diagnostics/diagnostic.js');
  stderr.write(drawDiagnostics(shown, sources, await stderr.paint()));
}

export function directoryProblem(directory: string, given: string): string | null {
  try {
    return statSync(directory).isDirectory() ? null : `\`${given}\` is not a directory`;
  } catch {
    return `there is no directory \`${given}\` to run commands in`;
  }
}

export function badInputFile(path: string, reason: string, sources: SourceSet): Diagnostic {
  const file = sources.push(sourceFile('command line', `--input-file ${path}`)) - 1;
  return words.inputFile({ file, start: 13, end: 13 + path.length }, { reason });
}

function unknownReplacement({ agent = {}, mock }: RunFlags, { agents, folder }: Configuration): string | null {
  if (mock !== undefined) return null;
  const settings = { agents, folder, instead: agent };
  const name = Object.keys(agent).find((replaced) => resolveAgent(replaced, settings) === null);
  return name === undefined ? null : `\`--agent ${name}=${agent[name]}\`: ${unknownAgent(name, settings)}`;
}

export async function readMock({
  mock: path,
}: {
  readonly mock?: string | undefined;
}): Promise<{ mock: Mock } | ReturnType<typeof drawable> | null> {
  if (path === undefined) return null;
  const { loadMock } = await import('../../runtime/mock.js');
  const { mock, problems } = await loadMock(path);
  return mock === null ? drawable('mock', problems) : { mock };
}

/** A program that a mock names, alone or as the first word of a command. */
function standInsOf({ commands }: Mock): (program: string) => boolean {
  const names = new Set(Object.keys(commands ?? {}).map((command) => command.trim().split(/\s+/)[0]));
  return (program) => names.has(program) || names.has(basename(program));
}

/** What the machine would start and the mock does not name, blamed on the line that starts it. */
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
