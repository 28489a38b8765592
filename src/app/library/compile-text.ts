/** `compile`: turns a text into a machine, without reading files or looking anything up. */
import {
  type CompileOptions as CompilerOptions,
  compile as compileText,
  partsOf,
} from '../../language/check/compile.js';
import type { Lookups } from '../../language/check/lower/lowered-state.js';
import { parseFile as parseAnyFile } from '../../language/frontends/markdown.js';
import {
  type Diagnostic,
  hasErrors,
  type SourceFile,
  sortDiagnostics,
  sourceFile,
} from '../../language/source/diagnostic.js';
import type { Input, Limits } from '../../machine/machine.js';
import { isMarkdown, isTestFile } from '../project/preparation.js';
import type { Findings } from './diagnostics.js';

/**
 * A compiled program, which `run` executes. It is plain JSON that can be stored and loaded again by the same version.
 * All members except these are internal and change between versions. `compile` and `checkFile` return it.
 */
export interface Machine {
  /** The version of the format. */
  readonly version: number;
  readonly name: string;
  /** The declared inputs; `run` takes their values. */
  readonly inputs: readonly Input[];
  readonly limits: Limits;
}

declare const parser: unique symbol;

/** Parses another form of programs. The only implementation is `parseFile`. */
export interface Parser {
  readonly [parser]: true;
}

/**
 * Parses Markdown documents (`.md`) and workflow files (`.yaml`) as well as programs; the ending of `name` decides. For
 * `compile`.
 */
export const parseFile = parseAnyFile as unknown as Parser;

/** Options of `compile`. All of them are optional. */
export interface CompileOptions {
  /** The name of the text in messages; default `program.dsl`. */
  readonly name?: string;
  /** The parser for the text and its imports. By default they are programs, whatever their names. */
  readonly parse?: Parser;
  /** Names of JavaScript functions that the program calls as commands. Pass the functions to `run`. */
  readonly commands?: readonly string[];
  /** Finds the text of an IMPORT; `from` is the name of the importing file. By default every IMPORT is an error. */
  readonly load?: (
    path: string,
    from: string,
  ) => { readonly name: string; readonly text: string } | { readonly error: string } | null;
  /** Finds a workflow that a step calls by name. By default there are no workflows. */
  readonly workflow?: (
    name: string,
    from: string,
  ) => { readonly name: string; readonly text: string } | { readonly tried: readonly string[]; readonly near?: string };
  /** The name of the machine to run; default the first in the text. */
  readonly machine?: string;
  /** The name of the state to start in; default the first. */
  readonly start?: string;
  /** Reports an error for each value that any external program could mistake for an option. */
  readonly strict?: boolean;
  /** Answers the compiler's questions about the project and the computer. By default nothing is looked up. */
  readonly lookups?: Lookups;
  /** The shell that runs DO and CHECK; default bash. */
  readonly shell?: 'bash' | 'sh';
  /** Fills `explanations` in the result. */
  readonly explain?: boolean;
  /**
   * The compilation of an earlier version of the text, or null for the first one. It makes compiling after an edit
   * faster and does not change the result.
   */
  readonly previous?: Compilation | null;
}

/** The result of `compile`. */
export interface Compilation extends Findings {
  /** The machine to run; null if the program has errors. */
  readonly machine: Machine | null;
  /** The name and inputs of the machine, even if errors leave no machine; null if the text declares none. */
  readonly declared: Pick<Machine, 'name' | 'inputs'> | null;
  /** All machines of the text; empty if it has errors. */
  readonly machines: readonly Machine[];
  /** With `explain`, how the compiler understands each line: what a name refers to, or which command a line runs. */
  readonly explanations: readonly { readonly span: Findings['diagnostics'][number]['span']; readonly text: string }[];
}

/**
 * Compiles a program. Reads no files and starts nothing: imports, workflows and lookups come from `options`. Never
 * throws, whatever the text contains. `machine` is null if `diagnostics` contains an error.
 */
export function compile(text: string, options: CompileOptions = {}): Compilation {
  return compileText(text, options as CompilerOptions);
}

interface FormattedText {
  /** The formatted text; null if the text has syntax errors. */
  readonly text: string | null;
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: SourceFile[];
}

/**
 * The ending of `name` decides whether the text is a document. The Markdown reader is loaded only then. Parts that did not change
 * since `previous`, a compilation of an earlier text, are not parsed again.
 */
export async function formatText(text: string, name: string, previous: object | null = null): Promise<FormattedText> {
  const source = sourceFile(name, text);
  const { diagnostics, format } = await parserOf(name)(source, previous);
  const sound = !hasErrors(diagnostics);
  return { text: sound ? format() : null, diagnostics: sortDiagnostics(diagnostics), sources: [source] };
}

/** The front end of a file. */
function parserOf(name: string): (source: SourceFile, previous: object | null) => Promise<ParsedText> {
  if (isTestFile(name)) return formatTestFile;
  return isMarkdown(name) ? formatDocument : formatProgramText;
}

interface ParsedText {
  readonly diagnostics: readonly Diagnostic[];
  readonly format: () => string;
}

async function formatDocument(source: SourceFile): Promise<ParsedText> {
  const { parseMarkdown } = await import('../../language/frontends/markdown.js');
  const { formatMarkdown } = await import('../../language/format/format-markdown.js');
  const { regions, diagnostics } = parseMarkdown(source, 0);
  return { diagnostics, format: () => formatMarkdown(source, regions) };
}

async function formatTestFile(source: SourceFile): Promise<ParsedText> {
  const { parseTests } = await import('../../language/syntax/tests/parse-tests.js');
  const { formatTests } = await import('../../language/format/format-tests.js');
  return { diagnostics: parseTests(source, 0).diagnostics, format: () => formatTests(source.text) };
}

async function formatProgramText(source: SourceFile, previous: object | null): Promise<ParsedText> {
  const { parseProgram } = await import('../../language/syntax/parse.js');
  const { formatProgram } = await import('../../language/format/format-program.js');
  const { program, diagnostics, parts } = parseProgram(source, 0, undefined, partsOf(previous));
  return { diagnostics, format: () => formatProgram(program, source, parts) };
}
