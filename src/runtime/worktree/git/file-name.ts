/**
 * Names of files as git prints them. They are bytes and may hold anything except NUL. As texts they must remain
 * different, so bytes that are not UTF-8 are written in octal, as git does.
 */
import { Buffer, isUtf8 } from 'node:buffer';

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** The names in output that ends each of them with NUL. */
export function namesIn(bytes: Buffer): string[] {
  const names: string[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(0, from);
    const until = end < 0 ? bytes.length : end;
    names.push(nameOf(bytes.subarray(from, until)));
    from = until + 1;
  }
  return names;
}

export function nameOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let name = '';
  for (let at = 0; at < bytes.length; ) {
    const length = characterAt(bytes, at);
    if (length === 0) name += `\\${(bytes[at] as number).toString(8).padStart(3, '0')}`;
    else name += bytes.toString('utf8', at, at + length);
    at += Math.max(1, length);
  }
  return name;
}

/** Removes the quotes that git puts around names with quotes, backslashes or control characters. */
export function unquote(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x22) return bytes;
  const found: number[] = [];
  for (let at = 1; at < bytes.length - 1; at++) {
    const byte = bytes[at] as number;
    if (byte !== 0x5c) {
      found.push(byte);
      continue;
    }
    const octal = /^[0-3][0-7]{2}/.exec(bytes.toString('latin1', at + 1, at + 4));
    const letter = String.fromCharCode(bytes[at + 1] as number);
    found.push(octal === null ? (ESCAPES[letter] ?? (bytes[at + 1] as number)) : Number.parseInt(octal[0], 8));
    at += octal === null ? 1 : 3;
  }
  return Buffer.from(found);
}

/** How many bytes the character at a position has; 0 if there is none. */
function characterAt(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++)
    if (isUtf8(bytes.subarray(at, at + length))) return length;
  return 0;
}
