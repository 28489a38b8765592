/**
 * Opens files of a store only if they are regular files. In a store that came with a cloned repository, a symbolic link
 * leads wherever its author wants, and opening a pipe would block.
 */
import type { Buffer } from 'node:buffer';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { errorCode, storeError } from './store-error.js';

const { O_RDONLY, O_RDWR, O_WRONLY, O_CREAT, O_APPEND, O_TRUNC, O_NOFOLLOW, O_NONBLOCK } = constants;

const FLAGS = {
  r: O_RDONLY,
  'r+': O_RDWR,
  a: O_WRONLY | O_CREAT | O_APPEND,
  w: O_WRONLY | O_CREAT | O_TRUNC,
} as const;

/** Opens a file that only its owner can read. Throws the system's error, `ELOOP` for a symbolic link. */
export function openOwn(path: string, mode: keyof typeof FLAGS): number {
  const fd = openSync(path, FLAGS[mode] | O_NOFOLLOW | O_NONBLOCK, 0o600);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw Object.assign(new Error('it is not a regular file'), { code: 'ENOTFILE' });
}

/** Opens a file for reading. Throws a `StoreError`. */
export function openToRead(path: string): number {
  try {
    return openOwn(path, 'r');
  } catch (cause) {
    throw storeError('read', path, cause);
  }
}

/** The content of a file. Throws the system's error. */
export function readOwn(path: string): Buffer {
  const fd = openOwn(path, 'r');
  try {
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Writes a file or, with `a`, appends to it. `durable`: it is on disk on return. Throws the system's error. */
export function writeOwn(path: string, content: string | Uint8Array, mode: 'w' | 'a' = 'w', durable = false): void {
  const fd = openOwn(path, mode);
  try {
    writeFileSync(fd, content);
    if (durable) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** What is at a path, without following a link; null if nothing is there. */
export function entryAt(path: string): Stats | null {
  try {
    // An error, with its stack, would take ten times longer.
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** Whether a directory is there that is not a link. */
export function isOwnFolder(path: string): boolean {
  return entryAt(path)?.isDirectory() === true;
}

/** Leaves an existing folder as it is. Throws the system's error. */
export function makeFolder(path: string, mode = 0o777): void {
  const cause = problemWith(path, mode);
  if (cause === null) return;
  const parent = dirname(path);
  if (errorCode(cause) !== 'ENOENT' || parent === path) throw cause;
  if (!existsSync(parent)) makeFolder(parent, mode);
  // Another process may have made the parent, or the folder itself, since the first attempt.
  const still = problemWith(path, mode);
  if (still !== null) throw still;
}

/** Null: the folder is there. */
function problemWith(path: string, mode: number): unknown {
  try {
    mkdirSync(path, { mode });
    return null;
  } catch (cause) {
    return errorCode(cause) === 'EEXIST' && statSync(path).isDirectory() ? null : cause;
  }
}
