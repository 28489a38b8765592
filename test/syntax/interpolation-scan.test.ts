/** Where quoted text and interpolations end, without building anything. */
import { expect, test } from 'vitest';
import { interpolationEnd, quotedEnd } from '../../src/language/syntax/tokens/interpolation-scan.js';

test('an interpolation has at most 50 levels of brackets', () => {
  const nested = (levels: number): string => `{f${'('.repeat(levels - 1)}${')'.repeat(levels - 1)}} `;
  expect([interpolationEnd(nested(50), 0), interpolationEnd(nested(51), 0)]).toEqual([101, -1]);
});

test('an interpolation has at most 4096 characters', () => {
  const long = (length: number): string => `{f(${'a'.repeat(length - 5)})} `;
  expect([interpolationEnd(long(4096), 0), interpolationEnd(long(4097), 0)]).toEqual([4096, -1]);
});

test('brackets in quotes do not count, and a backslash escapes only in double quotes', () => {
  for (const text of [`{f('}')}`, `{f("}")}`, `{f('\\')}`, `{f("\\"}")}`])
    expect(interpolationEnd(text, 0)).toBe(text.length);
});

test('a backslash continues quoted text on the next line, whatever ends the line', () => {
  for (const text of ['"a\\\nb"', '"a\\\r\nb"']) expect(quotedEnd(text, 0)).toBe(text.length);
  expect(quotedEnd('"a\r\nb"', 0)).toBe(-1);
});
