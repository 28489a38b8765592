/** The packed form of a text. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countOf, linesOf, packText, storedLines, unpackText } from '../../src/engine/stored-lines.js';
import { journalLine, LineBuffer } from '../../src/runtime/store/journal-line.js';
import { tries } from '../amount.js';

test('what is unpacked is what was packed', () => {
  const piece = fc.constantFrom('{"seq":', '"state":"B"', 'ü', '日本', '😀', 'aaaaaaaa', '\n', '1');
  const texts = fc.oneof(
    fc.array(piece, { maxLength: 200 }).map((all) => all.join('')),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(unpackText(packText(Buffer.from(text))).toString()).toBe(text);
    }),
    { numRuns: tries(50, 5000) },
  );
});

test('the packed form never changes, because the engine compares it with what an earlier attempt sent', () => {
  const text = '{"seq":1,"type":"state_entered"}\n{"seq":2,"type":"state_entered"}\n{"seq":3,"type":"state_entered"}';
  expect(packText(Buffer.from(text))).toBe('q1YqTi1UsjLUUSqpLEhVslIqLkksSY1PzStJLUpNUarlgiowIqTAGJcCAA==');
});

test('many lines are stored packed, and few as they are', () => {
  const states = fc.array(fc.oneof(fc.constant('B'), fc.string({ unit: 'grapheme' })), {
    minLength: 40,
    maxLength: 200,
  });
  const laws = fc.property(states, fc.integer({ min: 1, max: 1e9 }), (names, first) => {
    const buffer = new LineBuffer();
    const lines = names.map((state, at) => {
      const event = { type: 'state_entered', state } as const;
      buffer.add(event, first + at, '2026-01-01T00:00:00.000Z');
      return journalLine(event, first + at, '2026-01-01T00:00:00.000Z');
    });
    const stored = storedLines(buffer.take(), lines.length, first);
    expect([countOf(stored), linesOf(stored)]).toEqual([lines.length, lines]);
    expect(stored).toHaveProperty('packed');
  });
  fc.assert(laws, { numRuns: tries(13, 1000) });
  const few = [1, 2, 3].map((seq) =>
    journalLine({ type: 'state_entered', state: 'B' }, seq, '2026-01-01T00:00:00.000Z'),
  );
  expect(storedLines(Buffer.from(few.map((line) => `${line}\n`).join('')), 3, 1)).toEqual(few);
  expect(storedLines(Buffer.alloc(0), 0, 1)).toEqual([]);
});

test('what is no packed form is refused', () => {
  const form = packText(Buffer.from('{"seq":1,"type":"state_entered"}'));
  expect(() => unpackText(form.slice(0, 20))).toThrow('unexpected end of file');
  expect(() => unpackText('/w==')).toThrow('invalid block type');
});
