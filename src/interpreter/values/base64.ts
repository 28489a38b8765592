/** Base64 of texts and bytes, by the platform's own `btoa` and `atob`. */

/** How many bytes are converted at once: more would be too many arguments for one call. */
const CHUNK = 0x8000;

const DIGITS = /^[A-Za-z0-9+/]*={0,2}$/;

/** Base64 of the text's UTF-8 bytes, padded. A lone surrogate counts as U+FFFD, as in every encoder of UTF-8. */
export function base64Encode(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK)
    parts.push(String.fromCharCode.apply(null, bytes.subarray(at, at + CHUNK) as unknown as number[]));
  return btoa(parts.join(''));
}

/**
 * The bytes, or null if the text is not base64. Spaces, tabs and line ends between digits are skipped. Padding is optional,
 * but must be complete.
 */
export function base64Bytes(text: string): Uint8Array | null {
  const digits = text.replace(/[ \t\r\n]+/g, '');
  if (!DIGITS.test(digits)) return null;
  const isPadded = digits.endsWith('=');
  if (isPadded ? digits.length % 4 !== 0 : digits.length % 4 === 1) return null;
  const binary = atob(digits);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** The text of base64 digits, or null if they are not base64 or not UTF-8. */
export function base64Decode(text: string): string | null {
  const bytes = base64Bytes(text);
  if (bytes === null) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
