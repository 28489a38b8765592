/** The hash function for `sha256(…)`, which is passed to the interpreter, because that uses no module of the platform. */
import { createHash } from 'node:crypto';

/** SHA-256 of bytes, or of the text's UTF-8 bytes, in lower-case hexadecimal. */
export function sha256Hex(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
