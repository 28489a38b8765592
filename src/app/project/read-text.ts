/**
 * Reads files from the disk and trusts none: a path may name a directory, an endless device, or bytes that are not
 * text. Each is reported with a message and never with a stack trace.
 */
import { isUtf8 } from 'node:buffer';
import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import { nearest } from '../../prelude/nearest.js';
import { STREAM, whyNoFile } from '../../runtime/readable-file.js';

export const MAX_PROGRAM_BYTES = 64 * 1024 * 1024;
export const MAX_INPUT_BYTES = 16 * 1024 * 1024;
const CHUNK = 64 * 1024;

export type Bytes = { readonly kind: 'bytes'; readonly bytes: Buffer } | UnreadableFile;
interface UnreadableFile {
  readonly kind: 'unreadable';
  /** A clause: `no such file`. */
  readonly reason: string;
  /** A file in the same folder with a similar name, to suggest. */
  readonly near?: string;
  /** Where there is none with this name: its folder does not exist either, or has these of the same kind. */
  readonly others?: 'no folder' | readonly string[];
}

export type Text =
  | { readonly kind: 'text'; readonly text: string }
  /** Not text: the offset of the first invalid byte, and the text as far as it can be shown. */
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
    // Opening a pipe without a writer would block.
    else fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(fd);
    const special = STREAM.test(path) && !stat.isDirectory() ? null : whyNoFile(stat);
    if (special !== null) return { kind: 'unreadable', reason: special };
    return readAll(fd, limit);
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (isAbsent && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      return { kind: 'unreadable', reason: 'it is a symbolic link to a file that does not exist' };
    const instead = isAbsent ? insteadOf(path) : {};
    return { kind: 'unreadable', reason: reasonOf(error as NodeJS.ErrnoException), ...instead };
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

/** A non-blocking terminal or pipe returns EAGAIN until its writer has written something. */
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

/** The reason why the file `name` cannot be read, with what to write instead. */
export function whyNotRead({ reason, near, others }: UnreadableFile, name: string): string {
  const folder = name.slice(0, -basename(name).length);
  if (near !== undefined) return `${reason}; did you mean \`${folder}${near}\`?`;
  if (others === 'no folder') return `${reason}, and no folder \`${folder}\``;
  if (others === undefined || others.length === 0) return reason;
  const some = others.slice(0, FEW).map((one) => `\`${one}\``);
  return `${reason}; the folder has ${some.join(', ')}${others.length > FEW ? ', …' : ''}`;
}
const FEW = 3;

/** The reason why a file cannot be opened, as a clause of a message. */
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

const PROGRAM = /\.(?:dsl|statedsl|ya?ml|md)$/;

/** A file with almost this name, or with this name and an ending; else other programs in the folder. */
function insteadOf(path: string): Pick<UnreadableFile, 'near' | 'others'> {
  const [name, folder] = [basename(path), dirname(path)];
  const names = namesIn(folder);
  if (names.length === 0 && !existsSync(folder)) return { others: 'no folder' };
  const near =
    nearest(name, names) ??
    names.find((one) => one.startsWith(`${name}.`) && /\.(?:dsl|statedsl|md|ya?ml|json)$/.test(one));
  if (near !== undefined) return { near };
  if (!PROGRAM.test(name)) return {};
  const isOther = (one: string): boolean =>
    one.endsWith(extname(name)) && !one.includes('.test.') && !one.startsWith('statedsl.config.');
  return { others: names.filter(isOther).sort() };
}

/** The names in a folder; empty if it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Decodes UTF-8 text without NUL. A byte order mark is kept; `withoutByteOrderMark` drops it. */
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

/**
 * The offset of the first byte that does not begin a valid UTF-8 sequence, found by binary search over prefixes that
 * end before a lead byte.
 */
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
