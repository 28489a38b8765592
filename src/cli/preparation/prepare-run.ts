/**
 * Everything that happens before a run starts: the program is read and checked, inputs are found, and all mistakes are
 * reported at once. Nothing is written or started here.
 */

import { basename, resolve } from 'node:path';
import type { Json } from '../../machine/expression.js';
import type { Input, Machine } from '../../machine/machine.js';
import { findLauncher } from '../../prelude/launcher.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { chooseWorktree, worktreeOnEngine } from '../../project/choose-worktree.js';
import { compileOnce, type Runnable } from '../../project/compile-once.js';
import { programDirOf, surroundingOptions } from '../../project/prepared-program.js';
import { isPlan } from '../../project/program-kind.js';
import { readNamed } from '../../project/read-program.js';
import { loadSettings } from '../../project/settings.js';
import { resolveAgent, unknownAgent } from '../../runtime/agents/resolve.js';
import type { Configuration } from '../../runtime/configuration/configuration.js';
import type { Mock } from '../../runtime/mock-file.js';
import type { Repository } from '../../runtime/worktree/git/repository.js';
import { type Diagnostic, hasErrors, sortDiagnostics } from '../../source/diagnostic.js';
import { type SourceSet, sourceFile } from '../../source/source-file.js';
import { commandLineHost } from '../files/host.js';
import type { RunFlags } from '../running/run-flags.js';
import { worktreeFlags } from '../running/run-settings.js';
import { printDiagnostics, reportInvalid } from '../terminal/report-diagnostics.js';
import { usageError } from '../terminal/usage.js';
import { functionsOf } from './engine-functions.js';
import { readInputFile } from './input-file.js';
import { readInputs } from './inputs.js';
import { badInputFile, directoryProblem, type Preparation, type Prepared, readMock } from './preparation.js';
import { readStart } from './start-state.js';

export async function prepareRun(file: string, flags: RunFlags): Promise<Preparation> {
  if (isPlan(file)) return (await import('./prepare-plan.js')).preparePlan(file, flags);
  const ofPlans = onlyForPlans(flags);
  if (ofPlans !== null) return { code: await usageError(...ofPlans) };
  const cwd = resolve(flags.cwd ?? '.');
  const badDirectory = directoryProblem(cwd, flags.cwd ?? '.');
  if (badDirectory !== null) return { code: await usageError(badDirectory) };
  const settings = await loadSettings(commandLineHost(), file);
  if (settings.diagnostics.length > 0) return reportInvalid(settings.diagnostics, settings.sources, flags);
  await printDiagnostics(settings.warnings, settings.sources, flags);
  const mock = await readMock(flags);
  if (mock !== null && 'diagnostics' in mock) return reportInvalid(mock.diagnostics, mock.sources, flags);
  const unknown = unknownReplacement(flags, settings.configuration);
  if (unknown !== null) return { code: await usageError(unknown) };
  if (file === '-' && flags.inputFile === '-')
    return { code: await usageError('standard input contains the program, so it cannot contain the inputs too') };
  const read = readNamed(commandLineHost(), file, settings.configuration);
  if (read.kind === 'missing') return { code: await usageError(read.message) };
  if (read.kind === 'broken') return reportInvalid(read.compilation.diagnostics, read.compilation.sources, flags);
  const { configuration } = settings;
  const isPlayed = flags.cassette !== undefined;
  const isElsewhere = flags.on !== undefined;
  const worktree = await chooseWorktree({
    ...worktreeFlags(isPlayed || isElsewhere ? { ...flags, worktree: false } : flags),
    name: read.name,
    cwd,
    configuration,
  });
  if (hasErrors(worktree.diagnostics)) return reportInvalid(worktree.diagnostics, [], flags);
  await printDiagnostics(worktree.diagnostics, [], flags);
  const functions = flags.on === undefined ? null : await functionsOf(configuration);
  if (functions instanceof Error) return { code: await usageError(functions.message) };
  // The cache does not know functions.
  const cache = functions === null ? (findLauncher()?.cache ?? null) : null;
  const compilation = await compileOnce(cache, commandLineHost(), read, {
    ...omitUndefined({ commands: functions === null ? undefined : Object.keys(functions.all) }),
    ...surroundingOptions(commandLineHost(), configuration, {
      cwd,
      instead: flags.agent ?? {},
      tools: flags.tools,
      worktree: worktree.repository !== null || isPlayed || (isElsewhere && hasWorktreeElsewhere(flags, configuration)),
      // A mock answers for agents and tools, so the mock and not the configuration defines which ones exist.
      isPlayed: mock !== null || isPlayed,
    }),
    ...standIns(mock?.mock ?? null, isPlayed, flags),
    ...omitUndefined({ machine: flags.machine }),
  });
  if (compilation.machine === null && !hasErrors(compilation.diagnostics)) {
    await printDiagnostics(compilation.diagnostics, compilation.sources, flags);
    return { nothing: read.name };
  }
  const { repository } = worktree;
  const programDir = programDirOf(commandLineHost(), read.name, cwd);
  const known = { flags, mock: mock?.mock ?? null, configuration, programDir, cwd, repository };
  return finish(compilation, { ...known, ...omitUndefined({ functions: functions?.digest }) });
}

/** On an engine. */
function hasWorktreeElsewhere({ worktree, home }: RunFlags, configuration: Configuration): boolean {
  return worktreeOnEngine(worktree, configuration, home ?? configuration.engine?.home);
}

/** A flag without effect is refused. Above all, a person must not believe that `--approved` protected the run. */
function onlyForPlans({ state, approved }: Pick<RunFlags, 'state' | 'approved'>): [string, string] | null {
  if (approved !== undefined)
    return [
      '`--approved` takes a plan, but this is a program',
      'run the plan itself: `statedsl run plan.json --approved …`',
    ];
  if (state !== undefined)
    return [
      '`--state` sets the initial state of a plan, but this is a program',
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
  readonly functions?: string;
}

/** Finds the named inputs, the first state, and the answers of a mock. All mistakes are reported at once. */
async function finish(compilation: Runnable, { flags, mock, ...known }: Known): Promise<Preparation> {
  const { machine } = compilation;
  const sources = [...compilation.sources];
  const diagnostics = blameFlag(compilation.diagnostics, flags, sources);
  const { values: inputs, printed, variables } = await findInputs(compilation, { flags, sources, diagnostics });
  if (machine === null) return reportInvalid(sortDiagnostics(diagnostics), sources, flags);
  const start = flags.start === undefined ? null : readStart(flags.start, machine, sources);
  if (start !== null && 'diagnostics' in start) diagnostics.push(...start.diagnostics);
  if (mock !== null) diagnostics.push(...(await notMocked(mock, machine, sources)));
  if (hasErrors(diagnostics)) return reportInvalid(sortDiagnostics(diagnostics), sources, flags);
  await printDiagnostics(diagnostics, sources, flags);
  const first = start !== null && 'start' in start ? start.start : null;
  return { machine, sources, inputs, printed, variables, start: first, mock, ...known };
}

/** A machine that does not exist is a mistake in the flag that names it, not in the program. */
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
  /** Both are extended: the text of a flag becomes a source, so that its mistakes can be shown in it. */
  readonly sources: SourceSet;
  readonly diagnostics: Diagnostic[];
}

async function findInputs(
  { declared }: Runnable,
  { flags, sources, diagnostics }: Findings,
): Promise<Pick<Prepared, 'printed' | 'variables'> & { readonly values: ReadonlyMap<string, Json> }> {
  const read = flags.inputFile === undefined ? null : await readInputFile(flags.inputFile);
  const file = read === null || 'reason' in read ? null : read;
  if (read !== null && 'reason' in read)
    diagnostics.push(badInputFile(flags.inputFile as string, read.reason, sources));
  if (declared === null) return { values: new Map(), printed: {}, variables: {} };
  const recorded = flags.cassette === undefined ? {} : await recordedInputs(flags.cassette, declared.inputs);
  // The values of an unreadable file are not reported as missing as well.
  const complete = flags.dryRun !== true && (read === null || file !== null) && recorded !== null;
  const isElsewhere = flags.on !== undefined;
  const given = readInputs(declared, { flags: flags.input ?? [], file, complete, isElsewhere, sources, recorded });
  diagnostics.push(...given.diagnostics);
  return given;
}

/** Null: the cassette cannot be read, which is reported when the run begins. */
async function recordedInputs(name: string, declared: readonly Input[]): Promise<Record<string, Json> | null> {
  const { readCassette } = await import('../../runtime/cassette/read-cassette.js');
  const read = await readCassette(resolve(name), name, null);
  if ('problems' in read) return null;
  return (await import('../../runtime/cassette/recorded-inputs.js')).recordedInputsOf(read.cassette, declared);
}

function unknownReplacement({ agent = {}, mock }: RunFlags, { agents, folder }: Configuration): string | null {
  if (mock !== undefined) return null;
  const settings = { agents, folder, instead: agent };
  const name = Object.keys(agent).find((replaced) => resolveAgent(replaced, settings) === null);
  return name === undefined ? null : `\`--agent ${name}=${agent[name]}\`: ${unknownAgent(name, settings)}`;
}

/** Programs and tools that need not exist, because their outcomes come from a mock or a cassette. */
function standIns(mock: Mock | null, isPlayed: boolean, { tools }: RunFlags) {
  if (isPlayed) return { standIns: () => true, calls: { tools, standIns: () => true } };
  if (mock === null) return {};
  const isMocked = (tool: string): boolean => Object.hasOwn(mock.tools ?? {}, tool);
  return { standIns: standInsOf(mock), calls: { tools, standIns: isMocked } };
}

/** A program that a mock names, alone or as the first word of a command. */
function standInsOf({ commands }: Mock): (program: string) => boolean {
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
