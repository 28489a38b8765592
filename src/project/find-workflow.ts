/**
 * Finds a workflow by its name: the project's own first, then those of the person, then those that are shipped. What
 * was tried is kept, so that a name that is found nowhere can be told with the places.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, extname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Configuration } from '../runtime/configuration/configuration.js';
import { type Readable, whyUnreadable } from '../runtime/readable-file.js';
import { nearest } from '../source/suggest.js';
import { withoutMark } from './find-import.js';
import { decodeText, MAX_PROGRAM_BYTES, readBytes } from './read-text.js';

export type FindWorkflow = (
  name: string,
  from: string,
) => { readonly name: string; readonly text: string } | { readonly tried: readonly string[]; readonly near?: string };

/** What of the configuration says where workflows are. */
export type Places = Pick<Configuration, 'folder' | 'workflows'>;

const FOLDER = 'workflows';
/** As patterns that are shipped are called. */
const SHIPPED = 'std/';
const ENDINGS = ['.yaml', '.yml', '.dsl'];

/** `cwd` is where a repository is looked for when there is no configuration, whose folder counts otherwise. */
export function workflowFinder(
  cwd: string,
  configuration: Places = { folder: null, workflows: [] },
  reach: Readable = 'all',
): FindWorkflow {
  return (name, from) => {
    const caller = from.startsWith(SHIPPED) ? '<stdin>' : from;
    const found = find(name, caller, cwd, configuration);
    if (typeof found !== 'string') return found;
    // A name is looked up in folders that the person chose; a path is the program's own word.
    const folders = isPath(name) ? [] : foldersFor(name, caller === '<stdin>' ? null : caller, cwd, configuration);
    const why = whyUnreadable(found, reach === 'all' ? reach : [...reach, ...folders]);
    if (why !== null) return { tried: [`${shown(found)} (${why})`] };
    const text = textOf(found);
    return text === null ? { tried: [shown(found)] } : { name: shown(found), text };
  };
}

/** The path of a workflow that is to run, or null. */
export function workflowPath(name: string, configuration: Places): string | null {
  if (isAbsolute(name) || name.startsWith('.') || name === '-') return null;
  const found = find(name, '<stdin>', process.cwd(), configuration);
  return typeof found === 'string' ? (relativeTo(process.cwd(), found) ?? found) : null;
}

type NotFound = Extract<ReturnType<FindWorkflow>, { tried: readonly string[] }>;

function find(name: string, from: string, cwd: string, configuration: Places): string | NotFound {
  const tried: string[] = [];
  for (const folder of foldersFor(name, from === '<stdin>' ? null : from, cwd, configuration)) {
    const files = candidates(folder, name);
    const file = files.find(isFile);
    if (file !== undefined) return file;
    // The other endings go without saying.
    tried.push(shown(files[0] as string));
  }
  const near = nearest(name, workflowNames(cwd, configuration));
  return { tried, ...(near === undefined ? {} : { near }) };
}

/** In the order in which they are looked at. */
function foldersFor(name: string, from: string | null, cwd: string, configuration: Places): string[] {
  const beside = from === null ? null : resolve(dirname(from));
  // A path, and no name: only the calling file says where it begins.
  if (isPath(name)) return [beside ?? cwd];
  if (name.split('/').includes('..')) return [];
  const project = configuration.folder ?? repositoryRoot(cwd) ?? cwd;
  const extra = configuration.workflows.map((folder) => resolve(project, folder));
  const own = beside === null ? [] : [join(beside, FOLDER), beside];
  const shipped = shippedFolder();
  const folders = [join(project, FOLDER), ...extra, ...own, join(homedir(), '.config', 'statedsl', FOLDER)];
  return [...new Set(shipped === null ? folders : [...folders, shipped])];
}

function isPath(name: string): boolean {
  return /^\.\.?\//.test(name) || isAbsolute(name);
}

function candidates(folder: string, name: string): string[] {
  const file = resolve(folder, name);
  return ENDINGS.includes(extname(name)) ? [file] : ENDINGS.map((ending) => file + ending);
}

/** What cannot be looked at is not there: a name may be too long, and a folder closed to us. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function textOf(path: string): string | null {
  const read = readBytes(path, MAX_PROGRAM_BYTES);
  if (read.kind === 'unreadable') return null;
  const text = decodeText(read.bytes);
  return text.kind === 'text' ? withoutMark(text.text) : null;
}

function repositoryRoot(start: string): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return null;
  }
}

/** `workflows/` of the package: above the bundle, its chunks, or the sources. */
function shippedFolder(): string | null {
  for (const up of ['..', '../..', '../../..']) {
    const folder = join(dirname(fileURLToPath(import.meta.url)), up, FOLDER);
    if (existsSync(folder)) return folder;
  }
  return null;
}

/** What messages call a file: the shortest of its paths, and a name of its own for what is shipped. */
function shown(path: string): string {
  const shipped = shippedFolder();
  const inShipped = shipped === null ? null : relativeTo(shipped, path);
  const inHome = relativeTo(homedir(), path);
  if (inShipped !== null) return SHIPPED + inShipped;
  return relativeTo(process.cwd(), path) ?? (inHome === null ? path : `~/${inHome}`);
}

/** Null for what does not lie below the folder. */
function relativeTo(folder: string, path: string): string | null {
  const name = relative(folder, path);
  return name.startsWith('..') || isAbsolute(name) ? null : name;
}

/** All names that could have been meant. */
function workflowNames(cwd: string, configuration: Places): string[] {
  return foldersFor('x', null, cwd, configuration).flatMap((folder) => {
    try {
      return readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => ENDINGS.includes(extname(name)))
        .map((name) => name.slice(0, -extname(name).length));
    } catch {
      return [];
    }
  });
}
