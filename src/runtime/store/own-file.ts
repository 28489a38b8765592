/**
 * How files of a store are opened: as regular files or not at all. A symbolic link in a store that came with a cloned
 * repository leads wherever its author wants, and a pipe would never answer.
 */
import type { Buffer } from 'node:buffer';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  type Stats,
  writeFileSync,
} from 'node:fs';

const { O_RDONLY, O_RDWR, O_WRONLY, O_CREAT, O_APPEND, O_TRUNC, O_NOFOLLOW, O_NONBLOCK } = constants;

const FLAGS = {
  r: O_RDONLY,
  'r+': O_RDWR,
  a: O_WRONLY | O_CREAT | O_APPEND,
  w: O_WRONLY | O_CREAT | O_TRUNC,
} as const;

/** Opens a file of a store for its owner only. Throws the system's error, `ELOOP` for a symbolic link. */
export function openOwn(path: string, mode: keyof typeof FLAGS): number {
  const fd = openSync(path, FLAGS[mode] | O_NOFOLLOW | O_NONBLOCK, 0o600);
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw Object.assign(new Error('it is not a regular file'), { code: 'ENOTFILE' });
}

/** All of a file. Throws the system's error. */
export function readOwn(path: string): Buffer {
  const fd = openOwn(path, 'r');
  try {
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Writes or, with `a`, appends; `durable`: it is on disk then. Throws the system's error. */
export function writeOwn(path: string, content: string | Uint8Array, mode: 'w' | 'a' = 'w', durable = false): void {
  const fd = openOwn(path, mode);
  try {
    writeFileSync(fd, content);
    if (durable) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** What is at a path, without following a link; null where nothing is. */
export function entryAt(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

/** Whether a real directory is there. */
export function isOwnFolder(path: string): boolean {
  return entryAt(path)?.isDirectory() === true;
}
