/**
 * Finds the files that `IMPORT:` names: relative to the importing file, or among the shipped patterns, which are named
 * `std/NAME`. A shipped file can import only shipped files.
 */
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, posix } from 'node:path';
import { type Readable, STREAM } from '../runtime/readable-file.js';
import { diskFiles, type ProjectHost, pathOf } from './host.js';
import { decodeText, MAX_PROGRAM_BYTES, whyNotRead, withoutByteOrderMark } from './read-text.js';
import { shippedFolder } from './shipped-folder.js';

const SHIPPED = 'std/';

interface Imported {
  readonly name: string;
  readonly text: string;
}

/** `from` is the name of the importing file; a program without a file imports relative to the folder of the host. */
export function findImport(
  host: ProjectHost,
  path: string,
  from: string,
  readable: Readable,
): Imported | { readonly error: string } {
  const name = importName(path, from);
  const isShipped = name.startsWith(SHIPPED);
  const file = isShipped ? shippedFile(name) : pathOf(host, name);
  if (file === null) return { error: 'there is no shipped pattern with this name' };
  const files = isShipped ? diskFiles : host.files;
  // Only a person can name a stream.
  if (STREAM.test(file)) return { error: 'it is a stream' };
  const why = isShipped ? null : files.whyRefused(file, readable);
  if (why !== null) return { error: why };
  const read = files.read(file, MAX_PROGRAM_BYTES);
  if (read.kind === 'unreadable') return { error: whyNotRead(read, name) };
  const text = decodeText(read.bytes);
  if (text.kind === 'binary') return { error: `it is not UTF-8 text (byte ${text.byte})` };
  return { name, text: withoutByteOrderMark(text.text) };
}

/** One name for each file, whatever path leads to it, so that it is read once. */
function importName(path: string, from: string): string {
  if (path.startsWith(SHIPPED)) return posix.normalize(path);
  if (from.startsWith(SHIPPED)) return posix.join(posix.dirname(from), path);
  if (isAbsolute(path) || from === '<stdin>') return posix.normalize(path);
  return join(dirname(from), path);
}

function shippedFile(name: string): string | null {
  const folder = shippedFolder('patterns');
  if (folder === null || name.includes('..')) return null;
  const file = join(folder, name.slice(SHIPPED.length));
  return [file, `${file}.dsl`].find((one) => existsSync(one) && one.endsWith('.dsl')) ?? null;
}
