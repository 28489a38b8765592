/** The encodings of expressions agree with those of Node, for all texts and large ones too. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { base64Bytes, base64Decode, base64Encode } from '../../src/interpreter/values/functions.js';
import { sha256Hex } from '../../src/runtime/sha256.js';
import { longTest } from '../amount.js';

/** Any UTF-16 text, lone surrogates included. */
const texts = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));

describe('base64', () => {
  test('is what Buffer makes of a text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(base64Encode(text)).toBe(Buffer.from(text, 'utf8').toString('base64'));
      }),
    );
  });

  test('gives the bytes that Buffer gives, padded or not', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const padded = Buffer.from(bytes).toString('base64');
        expect(base64Bytes(padded)).toEqual(bytes);
        expect(base64Bytes(padded.replace(/=+$/, ''))).toEqual(bytes);
      }),
    );
  });

  test('a lone surrogate becomes U+FFFD', () => {
    expect(base64Decode(base64Encode('a\ud800b'))).toBe('a\ufffdb');
  });

  test.each(['A', 'A===', 'QQ=', 'QUI==', '=', 'QQ==QQ==', 'Q-Q_', 'Q\u00a0Q'])('`%s` is not base64', (text) => {
    expect(base64Bytes(text)).toBeNull();
  });

  test('spaces and line ends between digits are skipped', () => {
    expect(base64Decode('Zm9v\r\n YmFy\n')).toBe('foobar');
  });

  test('bytes that are not UTF-8 are not text', () => {
    expect(base64Decode('/w==')).toBeNull();
  });

  longTest('a text of 16 MiB comes back', () => {
    const text = 'aé€😀'.repeat((16 * 1024 * 1024) / 10);
    expect(base64Decode(base64Encode(text)) === text).toBe(true);
  });
});

test('a lone surrogate is hashed as U+FFFD', () => {
  const hash = '83d544ccc223c057d2bf80d3f2a32982c32c3c0db8e2674820da5064783fb097';
  expect([sha256Hex('\ufffd'), sha256Hex('\ud800')]).toEqual([hash, hash]);
});
