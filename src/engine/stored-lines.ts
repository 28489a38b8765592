/**
 * The lines of a journal as the engine stores them: few as they are, so that people can read them, and many in a packed form.
 */
import { Buffer } from 'node:buffer';
import { inflateRawSync } from 'node:zlib';
import { deflateSync } from 'fflate';
import { bodyOfLine, lineOfBody } from '../runtime/store/journal-line.js';

export type StoredLines = readonly string[] | PackedLines;

interface PackedLines {
  /** The packed form of the bodies of the lines, with a line end between two of them: a check does not become shorter. */
  readonly packed: string;
  /** The number of the first line. */
  readonly first: number;
  readonly count: number;
  /** How many characters the lines have, or more if some of them need several bytes. */
  readonly characters: number;
}

/** As many bytes as fit into one page of the engine's record in any case. */
const FEW = 2000;
const LINE_END = 10;

/** `bytes`: so many lines, each with its line end, of which the first one has the number `first`. */
export function storedLines(bytes: Buffer, count: number, first: number): StoredLines {
  if (count === 0) return [];
  if (bytes.length <= FEW) return bytes.toString('utf8', 0, bytes.length - 1).split('\n');
  return { packed: packText(bodiesOf(bytes)), first, count, characters: bytes.length - count };
}

/** The bodies of lines, with a line end between two of them. */
function bodiesOf(bytes: Buffer): Buffer {
  const bodies = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LINE_END, from);
    if (length > 0) bodies[length++] = LINE_END;
    length += bodyOfLine(bytes, from, end).copy(bodies, length);
    from = end + 1;
  }
  return bodies.subarray(0, length);
}

export function countOf(stored: StoredLines): number {
  return 'packed' in stored ? stored.count : stored.length;
}

export function charactersOf(stored: StoredLines): number {
  return 'packed' in stored ? stored.characters : sumOf(stored);
}

export function linesOf(stored: StoredLines): readonly string[] {
  if (!('packed' in stored)) return stored;
  const bodies = unpackText(stored.packed);
  const lines: string[] = [];
  for (let from = 0; from <= bodies.length; ) {
    const found = bodies.indexOf(LINE_END, from);
    const end = found < 0 ? bodies.length : found;
    lines.push(lineOfBody(bodies, from, end, stored.first + lines.length));
    from = end + 1;
  }
  return lines;
}

function sumOf(lines: readonly string[]): number {
  return lines.reduce((sum, { length }) => sum + length, 0);
}

/** The quickest: higher levels take twice the time for a tenth less. */
const LEVEL = 1;

/** The packed form of a text in UTF-8, in base64. */
export function packText(text: Uint8Array): string {
  const { buffer, byteOffset, byteLength } = deflateSync(text, { level: LEVEL });
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

/** The text in UTF-8. Throws an `Error` if it is not the packed form of a text. Unpacking has one result, so Node does it. */
export function unpackText(form: string): Buffer {
  return inflateRawSync(Buffer.from(form, 'base64'));
}
