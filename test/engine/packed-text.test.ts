/** The packed form of a text. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packText, unpackText } from '../../src/engine/packed-text.js';
import { countOf, linesOf, storedLines } from '../../src/engine/stored-lines.js';
import { amount } from '../amount.js';

test('what is unpacked is what was packed', () => {
  const piece = fc.constantFrom('{"seq":', '"state":"B"', 'ü', '日本', '😀', 'aaaaaaaa', '\n', '1');
  const texts = fc.oneof(
    fc.array(piece, { maxLength: 200 }).map((all) => all.join('')),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(unpackText(packText(Buffer.from(text)))).toBe(text);
    }),
    { numRuns: amount(200, 5000) },
  );
});

test('the packed form never changes, because the engine compares it with what an earlier attempt sent', () => {
  const text = '{"seq":1,"type":"state_entered"}\n{"seq":2,"type":"state_entered"}\n{"seq":3,"type":"state_entered"}';
  expect(packText(Buffer.from(text))).toBe('q1YqTi1UsjLUUSqpLEhVslIqLkksSY1PzStJLUpNUarlgiowIqTAGJcCAA==');
});

test('many lines are stored packed, and few as they are', () => {
  const many = Array.from({ length: 400 }, (_, at) => `{"seq":${at + 1},"type":"state_entered","state":"B"}`);
  const bytesOf = (lines: readonly string[]) => Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const stored = storedLines(bytesOf(many), many.length);
  expect([countOf(stored), linesOf(stored)]).toEqual([400, many]);
  expect(JSON.stringify(stored).length).toBeLessThan(JSON.stringify(many).length / 4);
  expect(storedLines(bytesOf(many.slice(0, 3)), 3)).toEqual(many.slice(0, 3));
  expect(storedLines(bytesOf([]), 0)).toEqual([]);
});

test('what is no packed form is refused', () => {
  const form = packText(Buffer.from('{"seq":1,"type":"state_entered"}'));
  expect(() => unpackText(form.slice(0, 20))).toThrow('unexpected EOF');
  expect(() => unpackText('/w==')).toThrow('invalid block type');
});
