/**
 * Makes a text with many repetitions shorter, such as the lines of a journal. The library is plain JavaScript: the same text has
 * the same packed form in each version of Node and on each processor. The compression of Node does not promise that, and the
 * engine compares what a handler sends with what an earlier attempt sent.
 */
import { Buffer } from 'node:buffer';
import { inflateRawSync } from 'node:zlib';
import { deflateSync } from 'fflate';

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
