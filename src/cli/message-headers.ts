/** The headers of messages on standard input, as the protocols of editors have them. */
import type { Readable } from 'node:stream';

/** A header has one field or two, and a message fits into a text. */
const LONGEST_HEADER = 8_192;
const LONGEST_MESSAGE = 0x1fff_ffff;
const END = Buffer.from('\r\n\r\n');

/**
 * Calls `onProblem` at the first header that is none, or if the input ends within a message: all that follows is
 * unreadable. `onMessage` gets each whole message.
 */
export function watchHeaders(
  input: Readable,
  onProblem: (problem: string) => void,
  onMessage?: (message: Buffer) => void,
): void {
  let header = Buffer.alloc(0);
  /** Bytes of the message that are still to come. */
  let rest = 0;
  let parts: Buffer[] = [];
  const read = (chunk: Buffer): void => {
    let at = 0;
    while (at < chunk.length) {
      const taken = Math.min(rest, chunk.length - at);
      if (taken > 0 && onMessage !== undefined) parts.push(chunk.subarray(at, at + taken));
      rest -= taken;
      at += taken;
      if (rest === 0 && parts.length > 0) {
        onMessage?.(Buffer.concat(parts));
        parts = [];
      }
      if (at === chunk.length) return;
      const known = header.length;
      header = Buffer.concat([header, chunk.subarray(at, at + LONGEST_HEADER + 1)]);
      const end = header.indexOf(END);
      const problem = problemOf(header.toString('latin1', 0, end < 0 ? header.length : end), end >= 0);
      if (problem !== null) {
        input.off('data', read);
        return onProblem(problem);
      }
      if (end < 0) return;
      at += end + END.length - known;
      rest = Number(/^content-length:[ \t]*(\d+)/im.exec(header.toString('latin1', 0, end))?.[1]);
      header = Buffer.alloc(0);
    }
  };
  input.on('data', read);
  input.once('end', () => {
    if (input.listeners('data').includes(read) && header.length + rest > 0) onProblem('it ends within a message');
  });
}

function problemOf(header: string, isWhole: boolean): string | null {
  if (/[^\r]\n/.test(header)) return 'a line of the header ends without a carriage return';
  if (header.length > LONGEST_HEADER) return 'the header does not end';
  if (!isWhole) return null;
  const lengths = [...header.matchAll(/^content-length:[ \t]*(.*?)[ \t]*$/gim)].map(([, length]) => length as string);
  const [length] = lengths;
  if (length === undefined) return 'the header has no Content-Length';
  if (lengths.length > 1) return 'the header has two Content-Length';
  return /^\d+$/.test(length) && Number(length) <= LONGEST_MESSAGE ? null : `\`${length}\` is not a Content-Length`;
}
