/**
 * SHA-256 and base64 of texts. They are here in full because the interpreter uses no module of the platform, so
 * that a run gives the same values wherever it is executed or recovered.
 */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

export function base64Encode(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const parts: string[] = [];
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const word = ((bytes[i] as number) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    const digits = [word >> 18, (word >> 12) & 63, (word >> 6) & 63, word & 63].map((digit) => ALPHABET[digit]);
    if (left < 3) digits[3] = '=';
    if (left < 2) digits[2] = '=';
    parts.push(digits.join(''));
  }
  return parts.join('');
}

/** The bytes, or null when the text is not base64. Blanks and line ends between digits are skipped. */
export function base64Bytes(text: string): Uint8Array | null {
  const digits = text.replace(/[ \t\r\n]+/g, '');
  if (digits.length % 4 === 1 || !BASE64.test(digits)) return null;
  const bare = digits.replace(/=+$/, '');
  const bytes = new Uint8Array(Math.floor((bare.length * 3) / 4));
  let word = 0;
  let bits = 0;
  let at = 0;
  for (let i = 0; i < bare.length; i++) {
    word = ((word << 6) | ALPHABET.indexOf(bare[i] as string)) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (word >> bits) & 255;
    }
  }
  return bytes;
}

/** The text of base64 digits, or null when they are not base64 or not UTF-8. */
export function base64Decode(text: string): string | null {
  const bytes = base64Bytes(text);
  if (bytes === null) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The first 32 bits of the fractional parts of the cube roots (constants) and square roots (start) of primes. */
function primeRoots(count: number, root: (prime: number) => number): Uint32Array {
  const words = new Uint32Array(count);
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) {
    if (primes.some((prime) => n % prime === 0)) continue;
    const value = root(n);
    words[primes.length] = Math.floor((value - Math.floor(value)) * 0x1_0000_0000);
    primes.push(n);
  }
  return words;
}

function padded(bytes: Uint8Array): DataView {
  const length = (((bytes.length + 8) >> 6) + 1) << 6;
  const block = new Uint8Array(length);
  block.set(bytes);
  block[bytes.length] = 0x80;
  const view = new DataView(block.buffer);
  view.setUint32(length - 8, Math.floor(bytes.length / 0x2000_0000));
  view.setUint32(length - 4, (bytes.length << 3) >>> 0);
  return view;
}

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function mix(hash: Uint32Array, words: Uint32Array, constants: Uint32Array): void {
  let [a, b, c, d, e, f, g, h] = hash as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (constants[i] as number) + (words[i] as number)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  const next = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < 8; i++) hash[i] = (hash[i] as number) + (next[i] as number);
}

/** SHA-256 of the text's UTF-8 bytes, in lower-case hexadecimal (FIPS 180-4). */
export function sha256(text: string): string {
  const constants = primeRoots(64, Math.cbrt);
  const hash = primeRoots(8, Math.sqrt);
  const view = padded(new TextEncoder().encode(text));
  const words = new Uint32Array(64);
  for (let at = 0; at < view.byteLength; at += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getUint32(at + i * 4);
    for (let i = 16; i < 64; i++) {
      const w15 = words[i - 15] as number;
      const w2 = words[i - 2] as number;
      const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3);
      const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10);
      words[i] = (words[i - 16] as number) + s0 + (words[i - 7] as number) + s1;
    }
    mix(hash, words, constants);
  }
  return [...hash].map((word) => word.toString(16).padStart(8, '0')).join('');
}
