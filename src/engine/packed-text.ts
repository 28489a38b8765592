/**
 * Makes a text with many repetitions shorter, such as the lines of a journal. The same text has the same packed form in each
 * version of Node and on each processor, because the engine compares what a handler sends with what an earlier attempt sent;
 * the library for compression that Node has does not promise that.
 *
 * The packed form is a sequence of: a number of bytes, these bytes, the length of a repetition, and how far back it begins.
 */
import { Buffer } from 'node:buffer';

/** A shorter repetition is not worth its two numbers. */
const LEAST = 5;
/** With a repetition that begins farther back, the packed form could be longer than the text. */
const FARTHEST = 1 << 21;
/** The size of the table with the last position of each beginning, a power of two. */
const TABLE_BITS = 14;

/** The packed form, in base64. */
export function packText(text: string): string {
  const bytes = Buffer.from(text);
  const out = new ByteWriter(bytes.length);
  const last = new Int32Array(1 << TABLE_BITS).fill(-1);
  const end = bytes.length - LEAST;
  let written = 0;
  for (let at = 0; at <= end; ) {
    const start = beginningAt(bytes, at);
    const slot = Math.imul(start, 0x9e3779b1) >>> (32 - TABLE_BITS);
    const known = last[slot] as number;
    last[slot] = at;
    if (
      known < 0 ||
      at - known >= FARTHEST ||
      beginningAt(bytes, known) !== start ||
      bytes[known + 4] !== bytes[at + 4]
    ) {
      at++;
      continue;
    }
    let length = LEAST;
    while (at + length < bytes.length && bytes[known + length] === bytes[at + length]) length++;
    out.literal(bytes, written, at);
    out.count(length);
    out.count(at - known);
    at += length;
    written = at;
  }
  out.literal(bytes, written, bytes.length);
  return out.result().toString('base64');
}

/** Throws an `Error` if it is not the packed form of a text. */
export function unpackText(form: string): string {
  const bytes = Buffer.from(form, 'base64');
  let out = Buffer.allocUnsafe(bytes.length * 8 + 64);
  let end = 0;
  let at = 0;
  const reserve = (more: number): void => {
    if (end + more <= out.length) return;
    const larger = Buffer.allocUnsafe(2 * (end + more));
    out.copy(larger, 0, 0, end);
    out = larger;
  };
  const count = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('a packed text ends too early');
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const literal = count();
    reserve(literal);
    if (at + literal > bytes.length) throw new Error('a packed text ends too early');
    end += bytes.copy(out, end, at, at + literal);
    at += literal;
    if (at === bytes.length) break;
    const length = count();
    const from = end - count();
    if (from < 0 || from >= end) throw new Error('a packed text repeats what it does not have');
    reserve(length);
    // Byte by byte: a repetition may contain itself.
    for (let index = 0; index < length; index++) out[end++] = out[from + index] as number;
  }
  return out.toString('utf8', 0, end);
}

/** Four bytes as a number. */
function beginningAt(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

class ByteWriter {
  private readonly bytes: Buffer;
  private end = 0;

  constructor(length: number) {
    // Each repetition takes less room than what it replaces.
    this.bytes = Buffer.allocUnsafe(length + Math.ceil(length / 16) + 64);
  }

  count(value: number): void {
    let left = value;
    for (; left > 127; left = Math.floor(left / 128)) this.bytes[this.end++] = (left & 127) | 128;
    this.bytes[this.end++] = left;
  }

  literal(from: Buffer, start: number, end: number): void {
    this.count(end - start);
    this.end += from.copy(this.bytes, this.end, start, end);
  }

  result(): Buffer {
    return this.bytes.subarray(0, this.end);
  }
}
