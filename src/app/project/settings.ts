/**
 * The configuration file as commands use it. If there is none, the modules that read it are not loaded. Its mistakes
 * are shown like those in programs.
 */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AgentTraits, Lookups } from '../../language/check/lower/lowered-state.js';
import type { Diagnostic } from '../../language/source/diagnostic.js';
import { lineText, type SourceSet, type Span, sourceFile } from '../../language/source/diagnostic.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { nameableAdapters } from '../../runtime/agents/programs/adapters.js';
import { type ResolvedAgent, resolveAgent } from '../../runtime/agents/resolve.js';
import { findConfiguration } from '../../runtime/configuration/find-configuration.js';
import { gateCommands, gateTimeoutMs } from '../../runtime/configuration/gate-commands.js';
import {
  type Configuration,
  loadConfiguration,
  noConfiguration,
} from '../../runtime/configuration/load-configuration.js';
import type { FileProblem } from '../../runtime/configuration/yaml-file.js';
import { projectOf, whyUnreadable } from '../../runtime/readable-file.js';
import { type RecordSigner, signerFrom } from '../../runtime/store/record-heads.js';
import type { PlanSurroundings } from './load-plan.js';
import { type ProjectHost, pathOf, shortName } from './project-host.js';
import { targetProblems } from './target-problem.js';

export interface Settings {
  readonly configuration: Configuration;
  /** Empty if the configuration can be used. */
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: SourceSet;
  /** Warnings about the configuration, with locations in the same sources. */
  readonly warnings: readonly Diagnostic[];
}

/** `program` is a path, or `-` for standard input. */
export async function loadSettings(host: ProjectHost, program: string): Promise<Settings> {
  const folder = program === '-' ? null : dirname(pathOf(host, program));
  const { file, ignored } = findConfiguration(host.folder, folder);
  if (file === null && ignored === null)
    return { configuration: noConfiguration, diagnostics: [], sources: [], warnings: [] };
  const loaded = await loadConfiguration(host.folder, folder, host.allowOutside);
  const { diagnostics, sources } = problemDiagnostics(host, 'configuration', [...loaded.problems, ...loaded.warnings]);
  const problems = diagnostics.slice(0, loaded.problems.length);
  const warnings = diagnostics.slice(loaded.problems.length).map((one) => ({ ...one, severity: 'warning' as const }));
  return { configuration: loaded.configuration, diagnostics: problems, sources, warnings };
}

/** The signer of records, and the environment of commands, which does not have its key. Throws a `RunRefused`. */
export function signingOf(
  { signing_key_env: name, folder }: Configuration,
  given?: Readonly<Record<string, string | undefined>>,
): { readonly signer?: RecordSigner; readonly env?: Readonly<Record<string, string | undefined>> } {
  if (name === undefined) return omitUndefined({ env: given });
  const { [name]: _, ...env } = given ?? process.env;
  return { signer: signerFrom(given ?? process.env, name, folder), env };
}

/** The compiler's view of agents: which names are agents, including replaced names, and which programs they need. */
export function agentLookup({ agents, folder }: Configuration, instead: Readonly<Record<string, string>>) {
  const settings = { agents, folder, instead };
  return {
    isKnown: (name: string): boolean => resolveAgent(name, settings) !== null,
    names: [...Object.keys(agents), ...Object.keys(instead)],
    adapters: nameableAdapters.map(({ name }) => name),
    program: (name: string): string | null => programOf(resolveAgent(name, settings)),
    traits: (name: string): AgentTraits | null => traitsOf(resolveAgent(name, settings)),
  };
}

/** The compiler's view of gates: their commands, for a project in `cwd`. */
export function gateLookup(
  configuration: Configuration,
  cwd: string,
): Required<Pick<Lookups, 'gate' | 'gateTimeoutMs'>> {
  return { gate: gateCommands(configuration, cwd), gateTimeoutMs: gateTimeoutMs(configuration) };
}

/** The compiler's view of tools in plans, CALL and PLAN, which may be agents and servers. */
export function toolLookup(
  host: ProjectHost,
  configuration: Configuration,
  { agent: instead = {}, cwd }: { readonly agent?: Readonly<Record<string, string>>; readonly cwd: string },
): Required<Pick<PlanSurroundings, 'agents' | 'servers' | 'targetProblem'>> {
  const { agents, folder, mcp } = configuration;
  const resolveByName = (name: string): ResolvedAgent | null => resolveAgent(name, { agents, folder, instead });
  return {
    agents: (name) => resolveByName(name) !== null,
    servers: (name) => Object.hasOwn(mcp, name),
    targetProblem: targetProblems({
      agentProgram: (name) => programOf(resolveByName(name)),
      mcp,
      cwd,
      path: host.environment.PATH,
    }),
  };
}

function traitsOf(agent: ResolvedAgent | null): AgentTraits | null {
  if (agent === null) return null;
  const { name, takesText, sessions } = agent.adapter;
  return { adapter: name, takesText, sessions };
}

/** The program to look for on PATH. A path comes from the configuration, and is checked when it is started. */
function programOf(agent: ResolvedAgent | null): string | null {
  const program = agent?.adapter.program ?? agent?.configuration.run?.[0] ?? null;
  return program === null || program.includes('/') ? null : program;
}

/** The problems of a configuration or mock file as diagnostics, all with the same code. */
export function problemDiagnostics(
  host: ProjectHost,
  code: string,
  problems: readonly FileProblem[],
): { diagnostics: Diagnostic[]; sources: SourceSet } {
  const sources: SourceSet = [];
  const diagnostics = problems.map((problem): Diagnostic => {
    const span = spanOf(host, problem, sources);
    const { message, help } = problem;
    return omitUndefined({ code, severity: 'error', message, span, help });
  });
  return { diagnostics, sources };
}

/**
 * The location of the word that a problem names. The file is read again, because problems are rare. A file that cannot
 * be read has no location.
 */
function spanOf(host: ProjectHost, { file, line, column }: FileProblem, sources: SourceSet): Span {
  const name = shortName(host, file);
  let index = sources.findIndex((source) => source.name === name);
  if (index < 0) {
    const text = textOf(host, file);
    if (text === null) return { file: -1, start: 0, end: 0 };
    index = sources.push(sourceFile(name, text)) - 1;
  }
  const source = sources[index];
  const start = line === null ? undefined : source?.lineStarts[line - 1];
  if (source === undefined || start === undefined || line === null) return { file: index, start: 0, end: 0 };
  const at = Math.max(0, (column ?? 1) - 1);
  const rest = lineText(source, line).slice(at);
  const word = /^[\w.-]+/.exec(rest)?.[0] ?? '';
  return { file: index, start: start + at, end: start + at + word.length };
}

/**
 * Null if the file cannot be read, or if a message must not quote it: a link may lead to a private file of the person.
 */
function textOf(host: ProjectHost, file: string): string | null {
  const readable = host.allowOutside ? 'all' : [projectOf(dirname(file))];
  if (whyUnreadable(file, readable) !== null) return null;
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
