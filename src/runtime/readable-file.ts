/**
 * Files that a program, a plan or a workflow names, and not the user who runs it. They must be ordinary files of the same
 * project: a path that leads elsewhere could reveal a private file in a message or to an agent, and a pipe or a device has
 * no end.
 */
import { existsSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';

/** Folders with their subfolders, or everything. */
export type Readable = 'all' | readonly string[];

/** Larger files are not texts that someone wrote. Bytes. */
const LARGEST_BYTES = 64 * 1024 * 1024;

/** What a shell passes instead of a file: `<(command)`, and the streams of the process. */
export const STREAM = /^(?:-|\/dev\/(?:stdin|fd\/\d+)|\/proc\/self\/fd\/\d+)$/;

/** Why a file must not be read, as a clause; null if it may be read or does not exist. */
export function whyUnreadable(path: string, readable: Readable, largest = LARGEST_BYTES): string | null {
  let stat: Stats;
  let real: string;
  try {
    stat = statSync(path);
    real = realpathSync(path);
  } catch {
    return null;
  }
  const special = whyNoFile(stat);
  if (special !== null) return special;
  if (readable !== 'all' && !readable.some((folder) => isWithin(real, folder))) return outsideReason(readable);
  return stat.size > largest ? `it is larger than ${largest / 1024 / 1024} MiB` : null;
}

function outsideReason(folders: readonly string[]): string {
  const where = folders[0] === undefined ? 'the project' : `\`${folders[0]}\``;
  return `it is outside of ${where}; to allow that, use \`--allow-outside\``;
}

/** What a path is that cannot be read as a file, as a clause. */
export function whyNoFile(stat: Stats): string | null {
  if (stat.isFile()) return null;
  if (stat.isDirectory()) return 'it is a directory';
  if (stat.isFIFO()) return 'it is a named pipe';
  return stat.isSocket() ? 'it is a socket' : 'it is a device';
}

/** The folder of a project: the repository that contains a folder, or else the folder. Links are resolved. */
export function projectOf(folder: string): string {
  return findRepository(folder) ?? realOf(resolve(folder));
}

/** The root of the repository that a folder is in, or null. */
export function findRepository(folder: string): string | null {
  for (let at = realOf(resolve(folder)); ; at = dirname(at)) {
    if (existsSync(resolve(at, '.git'))) return at;
    if (dirname(at) === at) return null;
  }
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(realOf(folder), path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

function realOf(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}
