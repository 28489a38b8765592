/**
 * From the name of a file to a compilation: reads it, makes sure that it is text, and gives the compiler what only a
 * process can know (files to import, programs on PATH). Markdown is loaded only for Markdown.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CallSupport } from '../../check/callables.js';
import type { ParseFile } from '../../check/collect.js';
import { type Compilation, type CompileOptions, compile } from '../../check/compile.js';
import { commandLineMessages as words } from '../../source/catalogue/command-line.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import { type SourceSet, sourceFile } from '../../source/source-file.js';
import type { CallSettings } from './call-support.js';
import { commandFinder } from './command-finder.js';
import { type Places, workflowFinder, workflowPath } from './find-workflow.js';
import { loadImport, withoutMark } from './imports.js';
import { reachOf } from './reach.js';
import { decodeText, MAX_PROGRAM_BYTES, readBytes, type Text } from './read-text.js';

export type ProgramText = { readonly kind: 'text'; readonly name: string; readonly text: string } | Broken | Missing;

/** The file is there but holds no text: a compilation that has only that error. */
interface Broken {
  readonly kind: 'broken';
  readonly compilation: Compilation;
}

interface Missing {
  readonly kind: 'missing';
  /** A clause for a message: `cannot read …`. */
  readonly message: string;
}

/** The text of a program; `-` is standard input. */
export function readProgram(path: string): ProgramText {
  const read = readBytes(path, MAX_PROGRAM_BYTES);
  if (read.kind === 'unreadable') return { kind: 'missing', message: `cannot read \`${path}\`: ${read.reason}` };
  const name = path === '-' ? '<stdin>' : path;
  const text = decodeText(read.bytes);
  if (text.kind === 'text') return { kind: 'text', name, text: withoutMark(text.text) };
  return { kind: 'broken', compilation: brokenFile(name, text) };
}

/** A program that is named by its path, or a workflow by its name, as steps name it. */
export function readNamed(name: string, configuration: Places): ProgramText {
  const read = readProgram(name);
  const path = read.kind === 'missing' ? workflowPath(name, configuration) : null;
  return path === null ? read : readProgram(path);
}

function brokenFile(name: string, { byte, nul, shown, at }: Extract<Text, { kind: 'binary' }>): Compilation {
  const span = { file: 0, start: at, end: Math.min(at + 1, shown.length) };
  const diagnostic = nul ? words.nulByte(span, { byte }) : words.invalidUtf8(span, { byte });
  return nothingCompiled([diagnostic], [sourceFile(name, shown)]);
}

/** A compilation that did not get as far as the program. */
export function nothingCompiled(diagnostics: readonly Diagnostic[], sources: SourceSet): Compilation {
  return { machine: null, declared: null, machines: [], diagnostics, sources, explanations: [] };
}

/** What the compiler is told besides the text. */
export type ProgramOptions = Pick<
  CompileOptions,
  | 'machine'
  | 'strict'
  | 'agents'
  | 'agentNames'
  | 'agentAdapters'
  | 'agentProgram'
  | 'explain'
  | 'gate'
  | 'gateTimeoutMs'
  | 'worktree'
> & {
  /** Where commands run: paths of programs are relative to it. */
  readonly cwd: string;
  /** Where workflows are looked up; absent: as without a configuration. */
  readonly configuration?: Places;
  /** Tools and plans for CALL and PLAN. */
  readonly calls?: CallSettings;
  /** Programs that something stands in for, so that they need not exist. */
  readonly standIns?: (program: string) => boolean;
};

export async function compileProgram(name: string, text: string, options: ProgramOptions): Promise<Compilation> {
  const { cwd, standIns, configuration, calls = {}, ...settings } = options;
  const find = commandFinder(cwd);
  const reach = reachOf(name);
  const callsWorkflows = isWorkflow(name) || NAMES_WORKFLOW.test(text);
  const parse = await parserOf(name, callsWorkflows);
  const compiled = (support: () => CallSupport | null): Compilation =>
    compile(text, {
      ...settings,
      name,
      ...(parse === undefined ? {} : { parse }),
      ...(callsWorkflows ? { workflow: workflowFinder(cwd, configuration, reach) } : {}),
      load: (path, from) => loadImport(path, from, reach),
      fileExists: (path) => existsSync(resolve(cwd, path)),
      onPath: standIns === undefined ? find : (program) => standIns(program) || find(program),
      environment: (variable) => process.env[variable] !== undefined,
      calls: support,
    });
  // What reads tools and plans is loaded when a line turns out to need it, and compiling is quick.
  let asked = false;
  const compilation = compiled(() => {
    asked = true;
    return null;
  });
  if (!asked) return compilation;
  const support = (await import('./call-support.js')).callSupport(name, calls);
  return compiled(() => support);
}

/** Without such a word no step names a workflow, and the reader of workflow files need not be loaded. */
const NAMES_WORKFLOW = /\b(?:workflow|validate)\b/i;

/** What reads a file and those that it names; undefined for the language itself. */
async function parserOf(name: string, callsWorkflows: boolean): Promise<ParseFile | undefined> {
  if (callsWorkflows) return (await import('../../frontends/parse-file.js')).parseFile;
  return isMarkdown(name) ? (await import('../../frontends/markdown.js')).parseMarkdown : undefined;
}

/** A workflow file is told from a program by the end of its name. */
export function isWorkflow(name: string): boolean {
  return /\.ya?ml$/i.test(name);
}

/** A plan is told from a program by the end of its name. */
export function isPlan(name: string): boolean {
  return /\.json$/i.test(name);
}

/** Standard input has no name that could say so. */
export function isMarkdown(name: string): boolean {
  return /\.(md|markdown)$/i.test(name);
}
