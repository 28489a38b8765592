/** What compiling a program asks of the world: other files, programs on PATH, variables, agents and gates. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Load } from '../check/collect.js';
import type { Lookups } from '../check/lower/settings.js';
import type { FindWorkflow } from '../check/steps/workflows.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { commandFinder } from './command-finder.js';
import { findImport } from './find-import.js';
import { type WorkflowFolders, workflowFinder } from './find-workflow.js';
import type { ProjectHost } from './host.js';
import { isWorkflow } from './program-kind.js';
import { readableFrom } from './readable-folders.js';

/** Questions are functions of plain data that give plain data; everything else is plain data itself. */
export interface Surroundings {
  readonly load: Load;
  /** Left out where no workflow is called. */
  readonly workflow?: FindWorkflow;
  readonly lookups: Lookups;
}

export interface SurroundingsOptions {
  /** Agents, gates, and whether there is a repository; the rest is looked up here. */
  readonly lookups?: Lookups;
  /** Where commands run: paths of programs are relative to it. */
  readonly cwd: string;
  /** Where workflows are looked up; absent: as without a configuration. */
  readonly configuration?: WorkflowFolders;
  /** Programs that something stands in for, so that they need not exist. */
  readonly standIns?: (program: string) => boolean;
}

/** The path of a program as messages show it, or `<stdin>`, and its text. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

export function surroundingsOf(
  host: ProjectHost,
  { name, text }: NamedText,
  { cwd, standIns, configuration, lookups }: SurroundingsOptions,
): Surroundings {
  const { files, environment } = host;
  const find = commandFinder(cwd, environment.PATH);
  const readable = readableFrom(host, name);
  return omitUndefined({
    load: (path: string, from: string) => findImport(host, path, from, readable),
    workflow: callsWorkflows(name, text)
      ? workflowFinder(host, omitUndefined({ cwd, configuration, readable }))
      : undefined,
    lookups: {
      ...lookups,
      fileExists: (path: string) => files.isFile(resolve(cwd, path)) || existsSync(resolve(cwd, path)),
      onPath: standIns === undefined ? find : (program: string) => standIns(program) || find(program),
      environment: (variable: string) => environment[variable] !== undefined,
    },
  });
}

/** Without such a word no step names a workflow, and the reader of workflow files need not be loaded. */
const NAMES_WORKFLOW = /\b(?:workflow|validate)\b/i;

export function callsWorkflows(name: string, text: string): boolean {
  return isWorkflow(name) || NAMES_WORKFLOW.test(text);
}
