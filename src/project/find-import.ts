/**
 * Finds the files that `IMPORT:` names: beside the importing file, or among the patterns that are shipped as
 * `std/NAME`. Where a shipped file imports another, it stays among them.
 */
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Readable, whyUnreadable } from '../runtime/readable-file.js';
import { decodeText, MAX_PROGRAM_BYTES, readBytes } from './read-text.js';

const SHIPPED = 'std/';

export interface Imported {
  readonly name: string;
  readonly text: string;
}

/** `from` is the name of the importing file; standard input imports relative to the working directory. */
export function findImport(path: string, from: string, reach: Readable): Imported | { readonly error: string } {
  const name = importName(path, from);
  const file = name.startsWith(SHIPPED) ? shippedFile(name) : name;
  if (file === null) return { error: 'there is no shipped pattern with this name' };
  const why = name.startsWith(SHIPPED) ? null : whyUnreadable(file, reach);
  if (why !== null) return { error: why };
  const read = readBytes(file, MAX_PROGRAM_BYTES);
  if (read.kind === 'unreadable') return { error: read.reason };
  const text = decodeText(read.bytes);
  if (text.kind === 'binary') return { error: `it is not UTF-8 text (byte ${text.byte})` };
  return { name, text: withoutMark(text.text) };
}

/** Text without a byte order mark, so that offset 0 is the first character an author sees. */
export function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** One name a file, however it is reached, so that it is read once. */
function importName(path: string, from: string): string {
  if (path.startsWith(SHIPPED)) return posix.normalize(path);
  if (from.startsWith(SHIPPED)) return posix.join(posix.dirname(from), path);
  if (isAbsolute(path) || from === '<stdin>') return posix.normalize(path);
  return join(dirname(from), path);
}

function shippedFile(name: string): string | null {
  const folder = patternsFolder();
  if (folder === null || name.includes('..')) return null;
  const file = join(folder, name.slice(SHIPPED.length));
  return [file, `${file}.dsl`].find((one) => existsSync(one) && one.endsWith('.dsl')) ?? null;
}

/** `patterns/` of the package: above the bundle, its chunks, or the sources. */
function patternsFolder(): string | null {
  for (const up of ['..', '../..', '../../..']) {
    const folder = join(dirname(fileURLToPath(import.meta.url)), up, 'patterns');
    if (existsSync(folder)) return folder;
  }
  return null;
}
