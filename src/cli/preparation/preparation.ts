/** The result of reading everything for `run`, for programs and for plans, and the checks that both share. */

import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { problemDiagnostics } from '../../project/settings.js';
import type { Configuration } from '../../runtime/configuration/configuration.js';
import type { Mock } from '../../runtime/mock-file.js';
import type { Repository } from '../../runtime/worktree/git/repository.js';
import { commandLineMessages as words } from '../../source/catalogue/command-line.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import { type SourceSet, sourceFile } from '../../source/source-file.js';
import { commandLineHost } from '../files/host.js';
import type { ExitCode } from '../terminal/exit-code.js';
import type { Start } from './start-state.js';

/** A program that can run. */
export interface Prepared {
  readonly machine: Machine;
  readonly sources: SourceSet;
  readonly inputs: ReadonlyMap<string, Json>;
  /** The JSON text of inputs with a number that JavaScript would print differently. */
  readonly printed: Readonly<Record<string, string>>;
  readonly start: Start | null;
  readonly configuration: Configuration;
  readonly mock: Mock | null;
  /** The absolute directory of the program's file, or for standard input the working directory of commands. */
  readonly programDir: string;
  /** The absolute working directory of commands. */
  readonly cwd: string;
  /** The repository from which the worktree of the run is created; null if the run has no worktree. */
  readonly repository: Repository | null;
}

/** Something to run, an exit code for what was wrong, or nothing to run at all (`name` is what the program is called). */
export type Preparation = Prepared | { readonly code: ExitCode } | { readonly nothing: string };

/** The directory of the file of a program. */
export function programDirOf(name: string, cwd: string): string {
  return name === '<stdin>' || name === '-' ? cwd : dirname(resolve(name));
}

export function directoryProblem(directory: string, given: string, use = 'in which commands would run'): string | null {
  try {
    return statSync(directory).isDirectory() ? null : `\`${given}\` is not a directory`;
  } catch {
    return `the directory \`${given}\` ${use} does not exist`;
  }
}

export function badInputFile(path: string, reason: string, sources: SourceSet): Diagnostic {
  const file = sources.push(sourceFile('command line', `--input-file ${path}`)) - 1;
  return words.inputFile({ file, start: 13, end: 13 + path.length }, { reason });
}

export async function readMock({
  mock: path,
}: {
  readonly mock?: string | undefined;
}): Promise<{ mock: Mock } | ReturnType<typeof problemDiagnostics> | null> {
  if (path === undefined) return null;
  const { loadMock } = await import('../../runtime/mock-file.js');
  const { mock, problems } = await loadMock(path);
  return mock === null ? problemDiagnostics(commandLineHost(), 'mock', problems) : { mock };
}
