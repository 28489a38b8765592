/**
 * What reading a project asks of the world. The command line passes the disk and its own working directory, an editor
 * the texts of its windows, a test a handful of files in memory: nothing else in this room touches a global.
 */
import { statSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { type Readable, STREAM, whyUnreadable } from '../runtime/readable-file.js';
import { type Bytes, namesIn, readBytes } from './read-text.js';

/** Where files come from. All paths are absolute, but for the streams that a shell gives instead of a file. */
export interface ProjectFiles {
  /** The bytes of a file, or why there are none; larger files than `limit` bytes are refused. */
  readonly read: (path: string, limit: number) => Bytes;
  readonly isFile: (path: string) => boolean;
  /** The names in a folder; none where it cannot be read. */
  readonly list: (folder: string) => readonly string[];
  /** Why a program may not name this file, as a clause; null where it may. */
  readonly whyRefused: (path: string, readable: Readable) => string | null;
}

export interface ProjectHost {
  /** Absolute. Relative names start here, and messages shorten names to it. */
  readonly folder: string;
  readonly files: ProjectFiles;
  /** Programs may name files outside of their project. */
  readonly allowOutside: boolean;
  /** Whose PATH finds programs, and whose variables commands have. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export const diskFiles: ProjectFiles = { read: readBytes, isFile, list: namesIn, whyRefused: whyUnreadable };

/** The same files with other texts: `textOf` gives the text of a path that an editor has open, else undefined. */
export function withOpenTexts(files: ProjectFiles, textOf: (path: string) => string | undefined): ProjectFiles {
  return {
    ...files,
    read(path, limit) {
      const text = textOf(path);
      return text === undefined ? files.read(path, limit) : { kind: 'bytes', bytes: Buffer.from(text, 'utf8') };
    },
    isFile: (path) => textOf(path) !== undefined || files.isFile(path),
  };
}

/** The path that a name means; a stream keeps its name. */
export function pathOf(host: ProjectHost, name: string): string {
  return STREAM.test(name) ? name : resolve(host.folder, name);
}

/** What messages call a file: its path from the folder of the host, or the absolute one where it lies elsewhere. */
export function shortName(host: ProjectHost, path: string): string {
  return nameBelow(host.folder, path) ?? path;
}

/** Null for what does not lie below the folder. */
export function nameBelow(folder: string, path: string): string | null {
  const name = relative(folder, path);
  return name.startsWith('..') || isAbsolute(name) ? null : name;
}

/** What cannot be examined is not there: a name may be too long, and a folder closed to us. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
