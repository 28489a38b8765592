/** Which bytes are text, and where those begin that are not. */
import { expect, test } from 'vitest';
import { decodeText, withoutByteOrderMark } from '../../src/app/project/read-text.js';

const bytes = (...parts: readonly (string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

test('UTF-8 without NUL is text, with its byte order mark', () => {
  expect(decodeText(bytes('\uFEFFspät 😀'))).toEqual({ kind: 'text', text: '\uFEFFspät 😀' });
  expect(decodeText(bytes(''))).toEqual({ kind: 'text', text: '' });
  expect([withoutByteOrderMark('\uFEFFa'), withoutByteOrderMark('a\uFEFF')]).toEqual(['a', 'a\uFEFF']);
});

test.each([
  ['NUL', bytes('ab\0c'), 2, true, 2],
  ['NUL at the beginning', bytes('\0'), 0, true, 0],
  ['a byte that begins no character', bytes('ä', [0xff], 'b'), 2, false, 1],
  ['half of a character at the end', bytes('a', [0xc3]), 1, false, 1],
  ['three of four bytes', bytes('😀', [0xf0, 0x9f, 0x98], 'b'), 4, false, 2],
  ['NUL before such a byte', bytes('a\0', [0xff]), 1, true, 1],
  ['NUL after such a byte', bytes([0xff], '\0'), 0, false, 0],
  ['the first of two', bytes('a', [0xff], 'b', [0xff]), 1, false, 1],
])('%s is told by its place', (_, given, byte, nul, at) => {
  expect(decodeText(given)).toMatchObject({ kind: 'binary', byte, nul, at });
});

test('the place is found in a long text of any characters', () => {
  for (const character of ['a', 'ä', '€', '😀'])
    for (const length of [1000, 4096, 4097, 9000, 30_000]) {
      const before = character.repeat(length);
      const found = decodeText(bytes(before, [0xff], before));
      expect(found).toMatchObject({ kind: 'binary', byte: Buffer.byteLength(before), at: before.length });
    }
});
