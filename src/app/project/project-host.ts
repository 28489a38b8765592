/**
 * The interface between a project and its surroundings. The command line passes the disk and its working directory, an
 * editor adds the texts of its windows, and a test passes a few files in memory. The other files of this folder use no
 * globals.
 */
import { statSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { type Boundary, STREAM, whyForeign, whyUnreadable } from '../../runtime/readable-file.js';
import { type Bytes, namesIn, readBytes } from './read-text.js';

/** The source of files. All paths are absolute, except for streams that a shell passes instead of a file. */
export interface ProjectFiles {
  /** The bytes of a file, or the reason why it cannot be read. Files larger than `limit` bytes are refused. */
  readonly read: (path: string, limit: number) => Bytes;
  readonly isFile: (path: string) => boolean;
  /** The names in a folder; empty if it cannot be read. */
  readonly list: (folder: string) => readonly string[];
  /** A clause that says why this file must not be read there; null if it may. */
  readonly whyRefused: (path: string, boundary: Boundary) => string | null;
  /** A clause that says why a file that was found must not decide what runs; null if it may. */
  readonly whyForeign: (path: string) => string | null;
}

export interface ProjectHost {
  /** Absolute. Relative names start here, and messages show paths relative to it. */
  readonly folder: string;
  readonly files: ProjectFiles;
  /** Programs may name files outside of their project. */
  readonly allowOutside: boolean;
  /** The environment variables of commands. Its PATH finds programs. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export const diskFiles: ProjectFiles = {
  read: readBytes,
  isFile,
  list: namesIn,
  whyRefused: whyUnreadable,
  whyForeign,
};

/**
 * The same files, some with other texts: `textOf` returns the text of a path that is open in an editor, else undefined.
 */
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

/** The absolute path of a name. A stream keeps its name. */
export function pathOf(host: ProjectHost, name: string): string {
  return STREAM.test(name) ? name : resolve(host.folder, name);
}

/** The name of a file in messages: relative to the folder of the host, or absolute if it is outside of that folder. */
export function shortName(host: ProjectHost, path: string): string {
  return nameBelow(host.folder, path) ?? path;
}

/** Null if the path is not below the folder. */
export function nameBelow(folder: string, path: string): string | null {
  const name = relative(folder, path);
  return name.startsWith('..') || isAbsolute(name) ? null : name;
}

/** A file that cannot be examined does not exist for us: its name may be too long, or its folder unreadable. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
