/**
 * Reads files from the disk. Nothing is trusted: a path may be a directory, a device without an end, or bytes that are
 * not text, and each is reported in words and never as a stack.
 */
import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { STREAM, whyNoFile } from '../runtime/readable-file.js';
import { nearest } from '../source/suggest.js';

export const MAX_PROGRAM_BYTES = 64 * 1024 * 1024;
export const MAX_INPUT_BYTES = 16 * 1024 * 1024;
const CHUNK = 64 * 1024;

export type Bytes = { readonly kind: 'bytes'; readonly bytes: Buffer } | Unreadable;
interface Unreadable {
  readonly kind: 'unreadable';
  /** A clause: `no such file`. */
  readonly reason: string;
  /** The name of a neighbour that may have been meant. */
  readonly near?: string;
}

export type Text =
  | { readonly kind: 'text'; readonly text: string }
  /** Not a text: the offset of the first bad byte, and the text as far as it can be shown. */
  | {
      readonly kind: 'binary';
      readonly byte: number;
      readonly nul: boolean;
      readonly shown: string;
      readonly at: number;
    };

/** `path` may be `-` for standard input. */
export function readBytes(path: string, limit: number): Bytes {
  let fd: number | null = null;
  try {
    if (STREAM.test(path)) fd = path === '-' ? 0 : openSync(path, 'r');
    // Opening a pipe that nobody writes to would not return.
    else fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(fd);
    const special = STREAM.test(path) && !stat.isDirectory() ? null : whyNoFile(stat);
    if (special !== null) return { kind: 'unreadable', reason: special };
    return readAll(fd, limit);
  } catch (error) {
    const near = (error as NodeJS.ErrnoException).code === 'ENOENT' ? neighbour(path) : undefined;
    return omitUndefined({ kind: 'unreadable', reason: reasonOf(error as NodeJS.ErrnoException), near });
  } finally {
    if (fd !== null && fd !== 0) closeSync(fd);
  }
}

function readAll(fd: number, limit: number): Bytes {
  const chunks: Buffer[] = [];
  let size = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    const count = readSome(fd, chunk);
    if (count === 0) return { kind: 'bytes', bytes: Buffer.concat(chunks, size) };
    chunks.push(chunk.subarray(0, count));
    size += count;
    if (size > limit) return { kind: 'unreadable', reason: `it is larger than ${limit / 1024 / 1024} MiB` };
  }
}

/** A terminal or pipe that was left non-blocking says EAGAIN while its writer has nothing yet. */
function readSome(fd: number, chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(fd, chunk, 0, chunk.length, null);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

/** Why a file that is called `name` cannot be read, with the neighbour that may have been meant. */
export function whyNotRead({ reason, near }: Unreadable, name: string): string {
  return near === undefined ? reason : `${reason}; did you mean \`${name.slice(0, -basename(name).length)}${near}\`?`;
}

/** Why a file cannot be opened, in words for people. */
export function reasonOf(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'ENOENT':
      return 'no such file';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'EISDIR':
      return 'it is a directory';
    case 'ENOTDIR':
      return 'a part of its path is not a directory';
    case 'ENAMETOOLONG':
      return 'its name is too long';
    case 'EROFS':
      return 'the file system is read-only';
    default:
      return error.message;
  }
}

function neighbour(path: string): string | undefined {
  return nearest(basename(path), namesIn(dirname(path)));
}

/** The names in a folder; none where it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Text of bytes: UTF-8 without NUL. A byte order mark is kept; `withoutMark` drops it. */
export function decodeText(bytes: Buffer): Text {
  const nul = bytes.indexOf(0);
  if (nul < 0 && isUtf8(bytes)) return { kind: 'text', text: bytes.toString('utf8') };
  const invalid = isUtf8(bytes) ? -1 : firstInvalidByte(bytes);
  const byte = nul < 0 ? invalid : invalid < 0 ? nul : Math.min(nul, invalid);
  const shown = bytes.toString('utf8');
  return { kind: 'binary', byte, nul: bytes[byte] === 0, shown, at: bytes.subarray(0, byte).toString('utf8').length };
}

/** Text without a byte order mark, so that offset 0 is the first character an author sees. */
export function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** Offset of the first byte that begins no UTF-8 sequence, by halving: every prefix up to a lead byte is valid or not. */
function firstInvalidByte(bytes: Buffer): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 4096) {
    const middle = characterStart(bytes, (good + bad) >> 1);
    if (middle <= good) break;
    if (isUtf8(bytes.subarray(good, middle))) good = middle;
    else bad = middle;
  }
  while (good < bytes.length) {
    const length = [1, 2, 3, 4].find((n) => good + n <= bytes.length && isUtf8(bytes.subarray(good, good + n)));
    if (length === undefined) return good;
    good += length;
  }
  return bytes.length;
}

/** Steps back over continuation bytes, at most as many as a character has. */
function characterStart(bytes: Buffer, at: number): number {
  let start = at;
  while (start > at - 4 && ((bytes[start] as number) & 0xc0) === 0x80) start -= 1;
  return start;
}
