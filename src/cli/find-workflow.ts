/**
 * Finds a workflow by its name: the project's own first, then those of the person, then those that are shipped. What
 * was tried is kept, so that a name that is found nowhere can be told with the places.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, extname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Configuration } from '../runtime/configuration/configuration.js';
import { nearest } from '../source/suggest.js';
import { withoutMark } from './imports.js';
import { decodeText, MAX_PROGRAM_BYTES, readBytes } from './read-text.js';

export type FindWorkflow = (
  name: string,
  from: string,
) => { readonly name: string; readonly text: string } | { readonly tried: readonly string[]; readonly near?: string };

/** What of the configuration says where workflows are. */
export type Places = Pick<Configuration, 'folder' | 'workflows'>;

const FOLDER = 'workflows';
const ENDINGS = ['.yaml', '.yml', '.dsl'];

/** `cwd` is where a repository is looked for when there is no configuration, whose folder counts otherwise. */
export function workflowFinder(cwd: string, configuration: Places = { folder: null, workflows: [] }): FindWorkflow {
  return (name, from) => {
    const tried: string[] = [];
    for (const folder of foldersFor(name, from === '<stdin>' ? null : from, cwd, configuration)) {
      for (const file of candidates(folder, name)) {
        tried.push(shown(file));
        const text = isFile(file) ? textOf(file) : null;
        if (text !== null) return { name: shown(file), text };
      }
    }
    const near = nearest(name, workflowNames(cwd, configuration));
    return { tried, ...(near === undefined ? {} : { near }) };
  };
}

/** The path of a workflow that is to run, or null. */
export function workflowPath(name: string, configuration: Places): string | null {
  if (isAbsolute(name) || name.startsWith('.') || name === '-') return null;
  const found = workflowFinder(process.cwd(), configuration)(name, '<stdin>');
  return 'text' in found ? found.name : null;
}

/** In the order in which they are looked at. */
function foldersFor(name: string, from: string | null, cwd: string, configuration: Places): string[] {
  const beside = from === null ? null : resolve(dirname(from));
  // A path, and no name: only the calling file says where it begins.
  if (/^\.\.?\//.test(name) || isAbsolute(name)) return [beside ?? cwd];
  if (name.split('/').includes('..')) return [];
  const project = configuration.folder ?? repositoryRoot(cwd) ?? cwd;
  const extra = configuration.workflows.map((folder) => resolve(project, folder));
  const own = beside === null ? [] : [join(beside, FOLDER), beside];
  const shipped = shippedFolder();
  const folders = [join(project, FOLDER), ...extra, ...own, join(homedir(), '.config', 'statedsl', FOLDER)];
  return [...new Set(shipped === null ? folders : [...folders, shipped])];
}

function candidates(folder: string, name: string): string[] {
  const file = resolve(folder, name);
  return ENDINGS.includes(extname(name)) ? [file] : ENDINGS.map((ending) => file + ending);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
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

/** Messages call a file by its path from here, where that is the shorter one. */
function shown(path: string): string {
  const name = relative(process.cwd(), path);
  return name.startsWith('..') || isAbsolute(name) ? path : name;
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
