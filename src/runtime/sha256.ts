/** The hash that the interpreter is given for `sha256(…)`: it uses no module of the platform itself. */
import { createHash } from 'node:crypto';

/** SHA-256 of the text's UTF-8 bytes, in lower-case hexadecimal. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
