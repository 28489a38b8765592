/**
 * The questions that the compiler asks its surroundings: other files, programs on PATH, variables, agents and gates.
 */
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, posix, resolve } from 'node:path';
import type { Load } from '../../language/check/collect.js';
import type { Lookups } from '../../language/check/lower/lowered-state.js';
import type { FindWorkflow } from '../../language/check/steps/workflows.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { projectOf, type Readable, STREAM } from '../../runtime/readable-file.js';
import { commandFinder } from './command-finder.js';
import { shippedFolder, type WorkflowFolders, workflowFinder } from './find-workflow.js';
import { isWorkflow } from './preparation.js';
import { diskFiles, type ProjectHost, pathOf } from './project-host.js';
import { readableFrom } from './read-program.js';
import { decodeText, MAX_PROGRAM_BYTES, whyNotRead, withoutByteOrderMark } from './read-text.js';

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
  /** The folders in which workflows are looked up, and the agent of `Task()`; absent if there is no configuration. */
  readonly configuration?: WorkflowFolders & { readonly defaults?: { readonly agent?: string } };
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
      ...omitUndefined({ usualAgent: configuration?.defaults?.agent }),
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

const SHIPPED = 'std/';

interface Imported {
  readonly name: string;
  readonly text: string;
}

/** `from` is the name of the importing file; a program without a file imports relative to the folder of the host. */
function findImport(
  host: ProjectHost,
  path: string,
  from: string,
  readable: Readable,
): Imported | { readonly error: string } {
  const name = importName(path, from);
  const isShipped = name.startsWith(SHIPPED);
  const file = isShipped ? shippedFile(name) : pathOf(host, name);
  if (file === null) return { error: 'there is no shipped pattern with this name' };
  const files = isShipped ? diskFiles : host.files;
  // Only a person can name a stream.
  if (STREAM.test(file)) return { error: 'it is a stream' };
  const why = isShipped ? null : files.whyRefused(file, readable);
  if (why !== null) return { error: why };
  const read = files.read(file, MAX_PROGRAM_BYTES);
  if (read.kind === 'unreadable') return { error: whyNotRead(read, name) };
  const text = decodeText(read.bytes);
  if (text.kind === 'binary') return { error: `it is not UTF-8 text (byte ${text.byte})` };
  return { name, text: withoutByteOrderMark(text.text) };
}

/** One name for each file, whatever path leads to it, so that it is read once. */
function importName(path: string, from: string): string {
  if (path.startsWith(SHIPPED)) return posix.normalize(path);
  if (from.startsWith(SHIPPED)) return posix.join(posix.dirname(from), path);
  if (isAbsolute(path) || from === '<stdin>') return posix.normalize(path);
  return join(dirname(from), path);
}

/** The text of an included file of patterns, such as `std/poll`; null if there is none. */
export function shippedPattern(name: string): string | null {
  const file = shippedFile(name);
  const read = file === null ? null : diskFiles.read(file, MAX_PROGRAM_BYTES);
  return read === null || read.kind === 'unreadable' ? null : new TextDecoder().decode(read.bytes);
}

function shippedFile(name: string): string | null {
  const folder = shippedFolder('patterns');
  if (folder === null || name.includes('..')) return null;
  const file = join(folder, name.slice(SHIPPED.length));
  return [file, `${file}.dsl`].find((one) => existsSync(one) && one.endsWith('.dsl')) ?? null;
}
