/**
 * The questions that the compiler asks its surroundings: other files, programs on PATH, variables, agents and gates.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Load } from '../check/collect.js';
import type { Lookups } from '../check/lower/settings.js';
import type { FindWorkflow } from '../check/steps/workflows.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { projectOf } from '../runtime/readable-file.js';
import { commandFinder } from './command-finder.js';
import { findImport } from './find-import.js';
import { type WorkflowFolders, workflowFinder } from './find-workflow.js';
import type { ProjectHost } from './host.js';
import { isWorkflow } from './program-kind.js';
import { readableFrom } from './readable-folders.js';

/** Each question is a function from plain data to plain data; all other members are plain data. */
export interface Surroundings {
  readonly load: Load;
  /** Absent if no workflow is called. */
  readonly workflow?: FindWorkflow;
  readonly lookups: Lookups;
}

export interface SurroundingsOptions {
  /** Agents, gates, and whether there is a repository. The other lookups are added here. */
  readonly lookups?: Lookups;
  /** The working directory of commands. Paths of programs are relative to it. */
  readonly cwd: string;
  /** The folders in which workflows are looked up; absent if there is no configuration. */
  readonly configuration?: WorkflowFolders;
  /** Programs that a stand-in replaces, so that they need not exist. */
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
      fileRefused: (path: string) =>
        files.whyRefused(resolve(cwd, path), readable === 'all' ? readable : [projectOf(cwd), ...readable]),
      onPath: standIns === undefined ? find : (program: string) => standIns(program) || find(program),
      environment: (variable: string) => environment[variable] !== undefined,
    },
  });
}

/** In a text without these words no step names a workflow, so the reader of workflow files need not be loaded. */
const NAMES_WORKFLOW = /\b(?:workflow|validate)\b/i;

export function callsWorkflows(name: string, text: string): boolean {
  return isWorkflow(name) || NAMES_WORKFLOW.test(text);
}
