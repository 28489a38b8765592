/** `compile`: a text to a machine, without reading a file or looking anything up. */

import { type CompileOptions as CompilerOptions, compile as compileText } from '../check/compile.js';
import type { Lookups } from '../check/lower/settings.js';
import { parseFile as parseAnyFile } from '../frontends/parse-file.js';
import type { Input, Limits } from '../machine/machine.js';
import type { Findings } from './diagnostics.js';

/**
 * A compiled program: what `run` executes. It is plain JSON, which may be stored and loaded again by the same version;
 * everything but these members is internal and changes between versions. Made by `compile`, or by `checkFile`.
 */
export interface Machine {
  /** Of the format. */
  readonly version: number;
  readonly name: string;
  /** What the program declares; `run` takes their values. */
  readonly inputs: readonly Input[];
  readonly limits: Limits;
}

declare const parser: unique symbol;

/** Reads another spelling of programs. `parseFile` is the one there is. */
export interface Parser {
  readonly [parser]: true;
}

/** Reads Markdown documents (`.md`) and workflow files (`.yaml`) besides programs, by the end of `name`. For `compile`. */
export const parseFile = parseAnyFile as unknown as Parser;

/** What `compile` knows besides the text. Everything may be left out. */
export interface CompileOptions {
  /** What messages call the text; default `program.dsl`. */
  readonly name?: string;
  /** Default: the text is a program, whatever its name. */
  readonly parse?: Parser;
  /** Names of JavaScript functions that stand for commands; give the functions to `run`. */
  readonly commands?: readonly string[];
  /** Finds the text of an IMPORT; `from` is the name of the importing file. Default: every IMPORT is an error. */
  readonly load?: (
    path: string,
    from: string,
  ) => { readonly name: string; readonly text: string } | { readonly error: string } | null;
  /** Finds a workflow that a step calls by its name. Default: there are none. */
  readonly workflow?: (
    name: string,
    from: string,
  ) => { readonly name: string; readonly text: string } | { readonly tried: readonly string[]; readonly near?: string };
  /** The machine to run; default the first of the text. */
  readonly machine?: string;
  /** The state to start in; default the first. */
  readonly start?: string;
  /** Treats values that a program could read as options as errors, for every external program. */
  readonly strict?: boolean;
  /** What the compiler may ask about the project and the machine. Default: nothing is looked up. */
  readonly lookups?: Lookups;
  /** The shell of DO and CHECK; default bash. */
  readonly shell?: 'bash' | 'sh';
  /** Fills `explanations`. */
  readonly explain?: boolean;
  /**
   * What an earlier version of the text was compiled to, and null the first time: then compiling again after an edit is
   * faster. The outcome is the same as without.
   */
  readonly previous?: Compilation | null;
}

/** What `compile` gives. */
export interface Compilation extends Findings {
  /** The machine to run; null where the program has errors. */
  readonly machine: Machine | null;
  /** What the machine is called and takes; known also where errors leave no machine, null where nothing is declared. */
  readonly declared: Pick<Machine, 'name' | 'inputs'> | null;
  /** All machines of the text; none where it has errors. */
  readonly machines: readonly Machine[];
  /** How lines are understood, with `explain`: what a name refers to, which command a line runs. */
  readonly explanations: readonly { readonly span: Findings['diagnostics'][number]['span']; readonly text: string }[];
}

/**
 * Compiles a program. Reads no files and starts nothing: imports, workflows and lookups come from `options`. Never throws
 * for anything a text can contain; `machine` is null where `diagnostics` has an error.
 */
export function compile(text: string, options: CompileOptions = {}): Compilation {
  return compileText(text, options as CompilerOptions);
}
