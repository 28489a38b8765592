/**
 * SHA-256 of parts of a journal. Loading the cryptography of Node takes a twentieth of the time of a small run, so the first few
 * kilobytes are hashed here.
 */
import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';

/** How many bytes are hashed here before loading the other way pays. */
export const OWN_BYTES = 8 * 1024;
const BLOCK = 64;

let hashed = 0;

/** In the Base64 of addresses: 43 characters. */
export function chainHash(bytes: Uint8Array): string {
  if (hashed <= OWN_BYTES) hashed += bytes.length;
  return hashed > OWN_BYTES ? hash('sha256', bytes, 'base64url') : ownSha256(bytes).toString('base64url');
}

/** The constants: the first 32 bits of the fractions of square roots and cube roots of prime numbers. */
let constants: { readonly first: Int32Array; readonly rounds: Int32Array } | null = null;

function makeConstants() {
  const made = { first: new Int32Array(8), rounds: new Int32Array(64) };
  for (let number = 2, count = 0; count < 64; number++) {
    let factor = 2;
    while (factor * factor <= number && number % factor !== 0) factor++;
    if (factor * factor <= number) continue;
    if (count < 8) made.first[count] = (Math.sqrt(number) % 1) * 2 ** 32;
    made.rounds[count++] = (Math.cbrt(number) % 1) * 2 ** 32;
  }
  return made;
}

/** For tests; as `chainHash`, without the cryptography of Node. */
export function ownSha256(bytes: Uint8Array): Buffer {
  constants ??= makeConstants();
  const { rounds } = constants;
  const state = constants.first.slice();
  const words = new Int32Array(64);
  const whole = bytes.length - (bytes.length % BLOCK);
  for (let at = 0; at < whole; at += BLOCK) addBlock(state, rounds, words, bytes, at);
  const rest = bytes.length - whole;
  const last = Buffer.alloc(rest < BLOCK - 8 ? BLOCK : 2 * BLOCK);
  last.set(bytes.subarray(whole));
  last[rest] = 128;
  last.writeUInt32BE(Math.floor(bytes.length / 2 ** 29), last.length - 8);
  last.writeInt32BE(bytes.length << 3, last.length - 4);
  for (let at = 0; at < last.length; at += BLOCK) addBlock(state, rounds, words, last, at);
  const result = Buffer.allocUnsafe(32);
  for (let at = 0; at < 8; at++) result.writeInt32BE(state[at] as number, 4 * at);
  return result;
}

function addBlock(state: Int32Array, rounds: Int32Array, w: Int32Array, bytes: Uint8Array, from: number): void {
  for (let i = 0, at = from; i < 16; i++, at += 4)
    w[i] =
      ((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number);
  for (let i = 16; i < 64; i++) {
    const p = w[i - 15] as number;
    const q = w[i - 2] as number;
    const small = ((p >>> 7) | (p << 25)) ^ ((p >>> 18) | (p << 14)) ^ (p >>> 3);
    const large = ((q >>> 17) | (q << 15)) ^ ((q >>> 19) | (q << 13)) ^ (q >>> 10);
    w[i] = ((w[i - 16] as number) + small + (w[i - 7] as number) + large) | 0;
  }
  let [a, b, c, d] = [state[0] as number, state[1] as number, state[2] as number, state[3] as number];
  let [e, f, g, h] = [state[4] as number, state[5] as number, state[6] as number, state[7] as number];
  for (let i = 0; i < 64; i++) {
    const mixed = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const first = (h + mixed + ((e & f) ^ (~e & g)) + (rounds[i] as number) + (w[i] as number)) | 0;
    const other = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const second = (other + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  const sums = [a, b, c, d, e, f, g, h];
  for (let at = 0; at < 8; at++) state[at] = (state[at] as number) + (sums[at] as number);
}
