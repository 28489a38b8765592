/**
 * Makes a text with many repetitions shorter, such as the lines of a journal. The library is plain JavaScript: the same text has
 * the same packed form in each version of Node and on each processor. The compression of Node does not promise that, and the
 * engine compares what a handler sends with what an earlier attempt sent.
 */
import { Buffer } from 'node:buffer';
import { deflateSync, inflateSync } from 'fflate';

/** The quickest: higher levels take twice the time for a tenth less. */
const LEVEL = 1;

/** The packed form, in base64. */
export function packText(text: string): string {
  return Buffer.from(deflateSync(Buffer.from(text), { level: LEVEL })).toString('base64');
}

/** Throws an `Error` if it is not the packed form of a text. */
export function unpackText(form: string): string {
  return Buffer.from(inflateSync(Buffer.from(form, 'base64'))).toString();
}
