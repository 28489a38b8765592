/**
 * From the text of a program to a compilation: gives the compiler what only a process can know (files to import,
 * programs on PATH). Markdown is loaded only for Markdown.
 */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CallSupport } from '../check/callables.js';
import type { ParseFile } from '../check/collect.js';
import { type Compilation, type CompileOptions, compile } from '../check/compile.js';
import type { Lookups } from '../check/lower/settings.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import type { CallSettings } from './call-support.js';
import { commandFinder } from './command-finder.js';
import { findImport } from './find-import.js';
import { type WorkflowFolders, workflowFinder } from './find-workflow.js';
import type { ProjectHost } from './host.js';
import { isMarkdown, isWorkflow } from './program-kind.js';
import { readableFrom } from './readable-folders.js';

/** What the compiler is told besides the text. */
type ProgramOptions = Pick<CompileOptions, 'machine' | 'strict' | 'explain' | 'commands'> & {
  /** Agents, gates, and whether there is a repository; the rest is looked up here. */
  readonly lookups?: Lookups;
  /** Where commands run: paths of programs are relative to it. */
  readonly cwd: string;
  /** Where workflows are looked up; absent: as without a configuration. */
  readonly configuration?: WorkflowFolders;
  /** Tools and plans for CALL and PLAN. */
  readonly calls?: CallSettings;
  /** Programs that something stands in for, so that they need not exist. */
  readonly standIns?: (program: string) => boolean;
};

/** `name` is the path of the program as messages show it, or `<stdin>`. */
export async function compileProgram(
  host: ProjectHost,
  { name, text }: { readonly name: string; readonly text: string },
  options: ProgramOptions,
): Promise<Compilation> {
  const { cwd, standIns, configuration, calls = {}, lookups, ...settings } = options;
  const { files, environment } = host;
  const find = commandFinder(cwd, environment.PATH);
  const readable = readableFrom(host, name);
  const callsWorkflows = isWorkflow(name) || NAMES_WORKFLOW.test(text);
  const parse = await parserOf(name, callsWorkflows);
  const compileWith = (support: () => CallSupport | null): Compilation =>
    compile(text, {
      ...settings,
      name,
      ...(parse === undefined ? {} : { parse }),
      ...(callsWorkflows ? { workflow: workflowFinder(host, omitUndefined({ cwd, configuration, readable })) } : {}),
      load: (path, from) => findImport(host, path, from, readable),
      lookups: {
        ...lookups,
        fileExists: (path) => files.isFile(resolve(cwd, path)) || existsSync(resolve(cwd, path)),
        onPath: standIns === undefined ? find : (program) => standIns(program) || find(program),
        environment: (variable) => environment[variable] !== undefined,
      },
      calls: support,
    });
  // What reads tools and plans is loaded when a line turns out to need it, and compiling is quick.
  let asked = false;
  const compilation = compileWith(() => {
    asked = true;
    return null;
  });
  if (!asked) return compilation;
  const support = (await import('./call-support.js')).callSupport(host, name, calls);
  return compileWith(() => support);
}

/** Without such a word no step names a workflow, and the reader of workflow files need not be loaded. */
const NAMES_WORKFLOW = /\b(?:workflow|validate)\b/i;

/** What reads a file and those that it names; undefined for the language itself. */
async function parserOf(name: string, callsWorkflows: boolean): Promise<ParseFile | undefined> {
  if (callsWorkflows) return (await import('../frontends/parse-file.js')).parseFile;
  return isMarkdown(name) ? (await import('../frontends/markdown.js')).parseMarkdown : undefined;
}
