/**
 * Compiles the text of a program. Supplies what only a process can know: files to import, programs on PATH. The
 * Markdown reader is loaded only for Markdown.
 */
import type { CallSupport } from '../../language/check/callables.js';
import type { ParseFile } from '../../language/check/collect.js';
import { type Compilation, type CompileOptions, compileInSteps } from '../../language/check/compile.js';
import type { SourceFile } from '../../language/source/diagnostic.js';
import type { Program } from '../../language/syntax/ast.js';
import { parseProgram } from '../../language/syntax/parse.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { CallSettings } from './link-plans.js';
import { isMarkdown } from './preparation.js';
import type { ProjectHost } from './project-host.js';
import {
  callsWorkflows,
  type NamedText,
  type Surroundings,
  type SurroundingsOptions,
  surroundingsOf,
} from './surroundings.js';

/** The input of the compiler in addition to the text. */
export type ProgramOptions = SurroundingsOptions &
  Pick<CompileOptions, 'machine' | 'strict' | 'explain' | 'commands' | 'index' | 'debug' | 'previous'> & {
    /** Tools and plans for CALL and PLAN. */
    readonly calls?: CallSettings;
  };

export async function compileProgram(
  host: ProjectHost,
  program: NamedText,
  options: ProgramOptions,
): Promise<Compilation> {
  return (await compileWithin(surroundingsOf(host, program, options), host, program, options)).compilation;
}

/** `usesCalls`: the compilation also depends on tools and plans, which are not part of the surroundings. */
interface CompiledProgram {
  readonly compilation: Compilation;
  readonly usesCalls: boolean;
}

export async function compileWithin(
  surroundings: Surroundings,
  host: ProjectHost,
  program: NamedText,
  options: Partial<ProgramOptions>,
): Promise<CompiledProgram> {
  return (await compileUnless(() => false, surroundings, host, program, options)) as CompiledProgram;
}

/** The same, which is given up, with null, as soon as somebody has no use for it: that is asked between two states. */
export async function compileUnless(
  isObsolete: () => boolean | Promise<boolean>,
  surroundings: Surroundings,
  host: ProjectHost,
  { name, text }: NamedText,
  { machine, strict, explain, commands, index, debug, previous, calls = {} }: Partial<ProgramOptions>,
): Promise<CompiledProgram | null> {
  const parse = await parserOf(name, text);
  const compileWith = async (support: () => CallSupport | null): Promise<Compilation | null> => {
    const steps = compileInSteps(text, {
      ...surroundings,
      ...omitUndefined({ machine, strict, explain, commands, index, debug, previous, parse }),
      name,
      calls: support,
    });
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      const answer = isObsolete();
      if (answer !== false && (answer === true || (await answer))) return null;
    }
  };
  // The modules that read tools and plans are loaded only if a line needs them. Compiling a second time is quick.
  let usesCalls = false;
  const first = await compileWith(() => {
    usesCalls = true;
    return null;
  });
  if (!usesCalls || first === null) return first === null ? null : { compilation: first, usesCalls };
  const support = (await import('./link-plans.js')).callSupport(host, name, calls);
  const compilation = await compileWith(() => support);
  return compilation === null ? null : { compilation, usesCalls };
}

/** The tree of a program, by the kind of its file. */
export async function parseNamed(file: SourceFile): Promise<Program> {
  const parse = await parserOf(file.name, file.text);
  return (parse ?? parseProgram)(file, 0).program;
}

const IMPORTS_A_DOCUMENT = /^[ \t]*IMPORT:.*\.(?:md|markdown)\b/im;

/** The reader of a file and of the files that it names; undefined for the language itself. */
async function parserOf(name: string, text: string): Promise<ParseFile | undefined> {
  if (callsWorkflows(name, text)) return (await import('../../language/frontends/markdown.js')).parseFile;
  if (!isMarkdown(name) && !IMPORTS_A_DOCUMENT.test(text)) return undefined;
  const { parseMarkdown } = await import('../../language/frontends/markdown.js');
  return (file, index, previous) =>
    isMarkdown(file.name) ? parseMarkdown(file, index, previous) : parseProgram(file, index, undefined, previous);
}
