import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { utf8Length } from '../../src/prelude/utf8-length.js';

test.each([
  ...['', 'a', '\x7f', '\x80', 'é', '\u07ff', '\u0800', '€', '\ud7ff', '\ue000', '\uffff', '😀', 'a😀é€'],
  // Halves of pairs that stand alone, or in the wrong order.
  ...['\ud800', '\udbff', '\udc00', '\udfff', '\udc00\ud800', '\ud800a', '\ud800\ud83d\ude00', '\ud83d\ude00\ude00'],
])('%j has as many bytes as its encoding', (text) => {
  expect(utf8Length(text)).toBe(Buffer.byteLength(text));
});
