/**
 * Finds a workflow by its name: first in the project, then next to the calling file, in the person's home, and among
 * the shipped workflows. Keeps the paths it tried, so that a message about an unknown name can list them.
 */
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nearest } from '../../prelude/nearest.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Configuration } from '../../runtime/configuration/load-configuration.js';
import type { Readable } from '../../runtime/readable-file.js';
import { nameBelow, type ProjectHost, pathOf, shortName } from './project-host.js';
import { decodeText, MAX_PROGRAM_BYTES, withoutByteOrderMark } from './read-text.js';

type SearchWorkflow = (
  name: string,
  from: string,
) => { readonly name: string; readonly text: string } | { readonly tried: readonly string[]; readonly near?: string };

/** The part of the configuration that names folders of workflows. */
export type WorkflowFolders = Pick<Configuration, 'folder' | 'workflows'>;

const FOLDER = 'workflows';
/** The same prefix as for shipped patterns. */
const SHIPPED = 'std/';
const ENDINGS = ['.yaml', '.yml', '.dsl', '.statedsl'];

interface WorkflowSearch {
  /** Absolute. Without a configuration, whose folder is used otherwise, the search for the repository starts here. */
  readonly cwd: string;
  readonly configuration?: WorkflowFolders;
  readonly readable?: Readable;
}

export function workflowFinder(host: ProjectHost, search: WorkflowSearch): SearchWorkflow {
  const { cwd, configuration = { folder: null, workflows: [] }, readable = 'all' } = search;
  const finder = new WorkflowFinder(host, cwd, configuration);
  return (name, from) => finder.text(name, from, readable);
}

/** The path of a workflow to run, or null. */
export function workflowPath(host: ProjectHost, name: string, configuration: WorkflowFolders): string | null {
  if (isAbsolute(name) || name.startsWith('.') || name === '-') return null;
  const found = new WorkflowFinder(host, host.folder, configuration).find(name, null);
  return typeof found === 'string' ? shortName(host, found) : null;
}

type NotFound = Extract<ReturnType<SearchWorkflow>, { tried: readonly string[] }>;

class WorkflowFinder {
  constructor(
    private readonly host: ProjectHost,
    private readonly cwd: string,
    private readonly configuration: WorkflowFolders,
  ) {}

  /** `from` names the calling file. */
  text(name: string, from: string, readable: Readable): ReturnType<SearchWorkflow> {
    const caller = from.startsWith(SHIPPED) || from === '<stdin>' ? null : from;
    const found = this.find(name, caller);
    if (typeof found !== 'string') return found;
    // The person chose the folders in which names are looked up, so these are allowed. A path is the program's choice.
    const folders = isPath(name) ? [] : this.foldersFor(name, caller);
    const why = this.host.files.whyRefused(found, readable === 'all' ? readable : [...readable, ...folders]);
    if (why !== null) return { tried: [`${this.nameOf(found)} (${why})`] };
    const text = this.textOf(found);
    return text === null ? { tried: [this.nameOf(found)] } : { name: this.nameOf(found), text };
  }

  find(name: string, caller: string | null): string | NotFound {
    const tried: string[] = [];
    for (const folder of this.foldersFor(name, caller)) {
      const files = candidates(folder, name);
      const file = files.find(this.host.files.isFile);
      const why = file === undefined ? null : this.whyForeign(name, folder, file);
      if (file !== undefined && why === null) return file;
      // The message does not list the other endings.
      tried.push(why === null ? this.nameOf(files[0] as string) : `${this.nameOf(file as string)} (${why})`);
    }
    return omitUndefined({ tried, near: nearest(name, this.allNames()) });
  }

  /** A path is the choice of the program. */
  private whyForeign(name: string, folder: string, file: string): string | null {
    return isPath(name) || folder === shippedFolder(FOLDER) ? null : this.host.files.whyForeign(file);
  }

  /** In the order of the search. */
  private foldersFor(name: string, caller: string | null): string[] {
    const { configuration, cwd } = this;
    const callerFolder = caller === null ? null : pathOf(this.host, dirname(caller));
    // A path is always relative to the calling file.
    if (isPath(name)) return [callerFolder ?? cwd];
    if (name.split('/').includes('..')) return [];
    const project = configuration.folder ?? repositoryRoot(cwd) ?? cwd;
    const extra = configuration.workflows.map((folder) => resolve(project, folder));
    const own = callerFolder === null ? [] : [join(callerFolder, FOLDER), callerFolder];
    const shipped = shippedFolder(FOLDER);
    const folders = [join(project, FOLDER), ...extra, ...own, join(homedir(), '.config', 'statedsl', FOLDER)];
    return [...new Set(shipped === null ? folders : [...folders, shipped])];
  }

  private textOf(path: string): string | null {
    const read = this.host.files.read(path, MAX_PROGRAM_BYTES);
    if (read.kind === 'unreadable') return null;
    const text = decodeText(read.bytes);
    return text.kind === 'text' ? withoutByteOrderMark(text.text) : null;
  }

  /** The name of a file in messages: the shortest of its paths, or `std/NAME` for a shipped file. */
  private nameOf(path: string): string {
    const shipped = shippedFolder(FOLDER);
    const inShipped = shipped === null ? null : nameBelow(shipped, path);
    const inHome = nameBelow(homedir(), path);
    if (inShipped !== null) return SHIPPED + inShipped;
    return nameBelow(this.host.folder, path) ?? (inHome === null ? path : `~/${inHome}`);
  }

  /** All names that can be suggested. */
  private allNames(): string[] {
    return this.foldersFor('x', null).flatMap((folder) => {
      try {
        return readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter((name) => ENDINGS.includes(extname(name)))
          .map((name) => name.slice(0, -extname(name).length));
      } catch {
        return [];
      }
    });
  }
}

function isPath(name: string): boolean {
  return /^\.\.?\//.test(name) || isAbsolute(name);
}

function candidates(folder: string, name: string): string[] {
  const file = resolve(folder, name);
  return ENDINGS.includes(extname(name)) ? [file] : ENDINGS.map((ending) => file + ending);
}

function repositoryRoot(start: string): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return null;
  }
}

/** The absolute path; null if the folder is missing from the package. */
export function shippedFolder(name: 'docs' | 'grammar' | 'patterns' | 'skills' | 'workflows'): string | null {
  for (const up of ['..', '../..', '../../..']) {
    const folder = join(dirname(fileURLToPath(import.meta.url)), up, name);
    if (existsSync(folder)) return folder;
  }
  return null;
}
