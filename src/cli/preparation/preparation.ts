/** The result of reading everything for `run`, for programs and for plans, and the checks that both share. */

import { statSync } from 'node:fs';
import type { Json } from '../../machine/expression.js';
import type { PreparedProgram } from '../../project/prepared-program.js';
import { problemDiagnostics } from '../../project/settings.js';
import type { FileProblem } from '../../runtime/configuration/yaml-file.js';
import type { Mock } from '../../runtime/mock-file.js';
import { commandLineMessages as words } from '../../source/catalogue/command-line.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import { type SourceSet, sourceFile } from '../../source/source-file.js';
import { commandLineHost, whyNamedRefused } from '../files/host.js';
import type { ExitCode } from '../terminal/exit-code.js';
import type { Start } from './start-state.js';

/** A program that can run, with what the flags say about its run. */
export interface Prepared extends PreparedProgram {
  readonly inputs: ReadonlyMap<string, Json>;
  /** The JSON text of inputs with a number that JavaScript would print differently. */
  readonly printed: Readonly<Record<string, string>>;
  /** Secret inputs that the workers of an engine read from variables of their environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** SHA-256 of the module with the functions of the program; absent: there is none. */
  readonly functions?: string;
  readonly start: Start | null;
  readonly mock: Mock | null;
}

/** Something to run, an exit code for what was wrong, or nothing to run at all (`name` is what the program is called). */
export type Preparation = Prepared | { readonly code: ExitCode } | { readonly nothing: string };

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
  const refused = whyNamedRefused(path);
  const { mock, problems } =
    refused === null ? await loadMock(path) : { mock: null, problems: [refusal(path, refused)] };
  return mock === null ? problemDiagnostics(commandLineHost(), 'mock', problems) : { mock };
}

const refusal = (path: string, why: string): FileProblem => ({
  file: path,
  line: null,
  column: null,
  message: `cannot read \`${path}\`: ${why}`,
});
