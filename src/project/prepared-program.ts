/**
 * A program on its way to a run, wherever it comes from: the command line and projects of embedders read and check it with
 * their own options, and what the configuration supplies is found here.
 */
import { dirname } from 'node:path';
import type { Machine } from '../machine/machine.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import type { Configuration } from '../runtime/configuration/configuration.js';
import type { RunOptions } from '../runtime/run/run-options.js';
import type { Repository } from '../runtime/worktree/git/repository.js';
import type { SourceSet } from '../source/source-file.js';
import type { ProgramOptions } from './compile-program.js';
import { configuredOptions } from './configured-options.js';
import { type ProjectHost, pathOf } from './host.js';
import { agentLookup, gateLookup, toolLookup } from './settings.js';

/** A program that was checked and can run. */
export interface PreparedProgram {
  readonly machine: Machine;
  readonly sources: SourceSet;
  readonly configuration: Configuration;
  /** The absolute directory of the program's file, or for a text the working directory of commands. */
  readonly programDir: string;
  /** The absolute working directory of commands. */
  readonly cwd: string;
  /** The repository from which the worktree of the run is created; null if the run has no worktree. */
  readonly repository: Repository | null;
}

/** Other agents, by the names of those that they replace. */
type Instead = Readonly<Record<string, string>>;

interface Surroundings {
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
  { cwd, instead, tools, worktree, isPlayed = false }: Surroundings,
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

/** The absolute directory of the file of a program; for a text, the working directory of commands. */
export function programDirOf(host: ProjectHost, name: string, cwd: string): string {
  return name === '<stdin>' || name === '-' ? cwd : dirname(pathOf(host, name));
}

/** The options of the run that the program and the configuration supply. `name`: as messages name the program. */
export function runOptionsOf(
  host: ProjectHost,
  { machine, sources, configuration, programDir, cwd, repository }: PreparedProgram,
  { name, instead }: { readonly name: string; readonly instead: Instead },
) {
  return {
    ...configuredOptions(host, configuration, { program: name, instead }),
    ...omitUndefined({ jobs: configuration.defaults.jobs }),
    programDir,
    cwd,
    worktree: repository ?? false,
    sources: sources.filter((source) => machine.files.includes(source.name)),
  } satisfies Partial<RunOptions>;
}
