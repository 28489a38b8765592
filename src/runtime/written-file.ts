/**
 * Writes the files that commands make: results of tests, recordings, reports. A cloned repository may have anything at
 * these names, so nothing is written through a link, and nothing outside of a project where its own links lead.
 */
import {
  accessSync,
  appendFileSync,
  closeSync,
  constants,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Boundary, whyElsewhere } from './readable-file.js';
import { entryAt } from './store/own-file.js';
import { reasonOf } from './store/store-error.js';

const { W_OK, O_WRONLY, O_CREAT, O_APPEND, O_TRUNC, O_NOFOLLOW } = constants;

/** Streams of the process, which are links. */
const OUTPUT = /^\/(?:dev\/(?:stdout|stderr|fd\/\d+)|proc\/self\/fd\/\d+)$/;

/** Why nothing can be written to a file, as a clause; null: it can. */
export function whyUnwritable(file: string, boundary: Boundary): string | null {
  if (OUTPUT.test(file)) return null;
  const there = entryAt(file);
  if (there?.isSymbolicLink()) return 'it is a symbolic link';
  if (there?.isDirectory()) return 'it is a directory';
  const folder = dirname(resolve(file));
  try {
    const why = whyElsewhere(folder, boundary);
    if (why !== null) return why;
    if (!statSync(folder).isDirectory()) return `\`${dirname(file)}\` is not a folder`;
    accessSync(there === null ? folder : file, W_OK);
    return null;
  } catch (cause) {
    const isMissing = there === null && (cause as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing ? `the folder \`${dirname(file)}\` does not exist` : reasonOf(cause);
  }
}

/** Writes a file, so that no reader finds a part of it. Why that is not possible, as a clause; null: it is written. */
export function writeWhole(file: string, content: string | Uint8Array, boundary: Boundary): string | null {
  const why = whyUnwritable(file, boundary);
  if (why !== null) return why;
  try {
    put(file, content);
    return null;
  } catch (cause) {
    return reasonOf(cause);
  }
}

function put(file: string, content: string | Uint8Array): void {
  const there = OUTPUT.test(file) ? undefined : entryAt(file);
  // A pipe or a device cannot be replaced.
  if (there === undefined || (there !== null && !there.isFile())) return writeFileSync(file, content);
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, content, { flag: 'wx', mode: (there?.mode ?? 0o666) & 0o777 });
    renameSync(temporary, file);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') rmSync(temporary, { force: true });
    // No file can be made in the folder; the file itself may still be writable.
    if (there === null) throw cause;
    writeOpened(file, content, O_TRUNC);
  }
}

/** Makes a file that grows, or empties it, unless it is a link. Throws the system's error. */
export function beginFile(file: string, content: string): void {
  writeOpened(file, content, O_CREAT | O_TRUNC);
}

/** Throws the system's error. */
export function extendFile(file: string, content: string): void {
  writeOpened(file, content, O_CREAT | O_APPEND);
}

function writeOpened(file: string, content: string | Uint8Array, flags: number): void {
  const fd = openSync(file, O_WRONLY | O_NOFOLLOW | flags, 0o666);
  try {
    appendFileSync(fd, content);
  } finally {
    closeSync(fd);
  }
}
