/** What differs between a record and what a run asks for now. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Asked } from '../../../src/runtime/cassette/cassette.js';
import { describeDrift, differentLines } from '../../../src/runtime/cassette/drift.js';

const asked = (parts: Partial<Asked>): Asked => ({ text: '', args: [], prompt: null, ...parts }) as Asked;
const ofPrompts = (before: string, after: string): string[] =>
  describeDrift(asked({ prompt: before }), asked({ prompt: after }));

test('lines are removed and added, with one equal line around them', () => {
  expect(ofPrompts('x\na\nb\nc\ny', 'x\na\nB\nc\ny')).toEqual(['  a', '- b', '+ B', '  c']);
  expect(ofPrompts('a\nb', 'b')).toEqual(['- a', '  b']);
  expect(ofPrompts('b', 'a\nb')).toEqual(['+ a', '  b']);
  expect(differentLines('a\nk\nb\nm\nc', 'k\nm\nd')).toEqual(['- a', '  k', '- b', '  m', '- c', '+ d']);
});

test('of many equal lines between two differences, those next to them are shown', () => {
  const lines = ['- a', '+ b', '  1', '  …', '  5', '- z', '+ y'];
  expect(ofPrompts('a\n1\n2\n3\n4\n5\nz', 'b\n1\n2\n3\n4\n5\ny')).toEqual(lines);
});

test('what differs is named, unless it is the prompt alone', () => {
  const drift = describeDrift(asked({ text: 'ls', args: [1, 'a'] }), asked({ text: 'la', args: [1, { b: 2 }] }));
  expect(drift).toEqual(['text:', '- ls', '+ la', 'values:', '  1', '- a', '+ {"b":2}']);
  const both = describeDrift(asked({ text: 'x', prompt: 'p' }), asked({ text: 'y', prompt: 'q' }));
  expect(both).toEqual(['text:', '- x', '+ y', 'prompt:', '- p', '+ q']);
});

test.each([
  // How much is the same before the difference, where what is shown begins, and how many characters are left.
  [100, 60, 141],
  [41, 1, 141],
  [40, 0, 141],
  [3, 0, 104],
  [0, 0, 101],
])('of a long line with %i equal characters, what is around the difference is shown', (same, begin, rest) => {
  const [old, now] = ['a', 'b'].map((one) => 'x'.repeat(same) + one + 'y'.repeat(400)) as [string, string];
  const shown = (text: string): string =>
    `${begin > 0 ? '…' : ''}${text.slice(begin, begin + 300)}… ${rest} more characters`;
  expect(ofPrompts(old, now)).toEqual([`- ${shown(old)}`, `+ ${shown(now)}`]);
});

test('more lines than a screen has are counted', () => {
  const of = (word: string): string => Array.from({ length: 50 }, (_, n) => `${word}${n}`).join('\n');
  const drift = ofPrompts(of('a'), of('b'));
  expect(drift).toHaveLength(41);
  expect(drift.at(-1)).toBe('… 60 more lines');
});

test('what fits is shown whole', () => {
  const of = (sign: string, count: number): string => Array.from({ length: count }, (_, n) => sign + n).join('\n');
  expect(ofPrompts(of('a', 20), of('b', 20))).toHaveLength(40);
  expect(ofPrompts(`${'x'.repeat(297)}b`, `${'x'.repeat(297)}a`)[1]).toBe(`+ ${'x'.repeat(297)}a`);
  // With its sign, a line has 300 characters; of a longer one, the end that is left out is counted.
  const ended = (length: number): string | undefined => ofPrompts('b', 'a'.repeat(length))[1]?.slice(300);
  expect([298, 299, 300, 301].map(ended)).toEqual(['', 'a', 'aa', 'aa… 1 more characters']);
});

test('lines are aligned if there are not too many', () => {
  const of = (sign: string, count: number): string =>
    [...Array.from({ length: count - 1 }, (_, n) => sign + n), 'same', sign].join('\n');
  expect(differentLines(of('a', 1999), of('b', 1999))).toContain('  same');
  const many = differentLines(of('a', 2000), of('b', 2000));
  expect(many).not.toContain('  same');
  expect(many).toHaveLength(4002);
});

test('no other difference has fewer lines, and it is one of these texts', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(text, text, (old, now) => {
      const lines = differentLines(old.join('\n'), now.join('\n'));
      const common = mostCommon(old, now);
      const [removed, added] = ['-', '+'].map((sign) => lines.filter((line) => line.startsWith(sign)).length);
      expect([removed, added]).toEqual([old.length - common, now.length - common]);
      if (lines.includes('  …')) return;
      const without = (sign: string): string =>
        lines.flatMap((line) => (line.startsWith(sign) ? [] : [line.slice(2)])).join('');
      expect(old.join('')).toContain(without('+'));
      expect(now.join('')).toContain(without('-'));
    }),
  );
});

/** How many lines two texts can have in common, in their order. */
function mostCommon([old, ...before]: readonly string[], [now, ...after]: readonly string[]): number {
  if (old === undefined || now === undefined) return 0;
  if (old === now) return 1 + mostCommon(before, after);
  return Math.max(mostCommon(before, [now, ...after]), mostCommon([old, ...before], after));
}
