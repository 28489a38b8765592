/** A text that is read in parts has the tree and the messages that it has when it is read as a whole. */
import { describe, expect, it } from 'vitest';
import { sourceFile } from '../../src/language/source/diagnostic.js';
import { parseProgram, parts } from '../../src/language/syntax/parse.js';
import { casesOf, programOf } from '../corpus/case-file.js';

const programs = (['syntax', 'check', 'run', 'format'] as const)
  .flatMap((kind) => casesOf(kind).map(programOf))
  .filter(({ markdown }) => !markdown);

function read(text: string, isWhole: boolean) {
  // A region is never cut, because it is short.
  const region = isWhole ? { start: 0, end: text.length } : undefined;
  const { program, diagnostics } = parseProgram(sourceFile('t', text), 0, region);
  // Of a part the characters are told first. Whoever shows messages sorts them by place.
  return { program, diagnostics: [...diagnostics].sort((a, b) => a.span.start - b.span.start) };
}

describe('parts of a text', () => {
  it('are the text, in order', () => {
    for (const { text } of programs) expect(parts(text).join('')).toBe(text);
  });

  it('change nothing', () => {
    let cut = 0;
    for (const { text } of programs) {
      // The margin of a region is where its first line begins; that of a file is where lines begin.
      if (/^(?:[ \t]*(?:#.*)?\r?\n)*[ \t]+[^\s#]/.test(text)) continue;
      cut += parts(text).length - 1;
      expect(read(text, false)).toStrictEqual(read(text, true));
    }
    expect(cut).toBeGreaterThan(500);
  });

  it('keep what belongs together', () => {
    const together = ['IF: a → EMIT: B\nELSE: EMIT: C\n', 'DO: a \\\nb\n', 'STATE: A\n# c\n  DO: a\n', 'DO:\n\n  a\n'];
    for (const text of together) expect(parts(text)).toStrictEqual([text]);
    expect(parts('DO: a\r\nDO: b')).toStrictEqual(['DO: a\r\n', 'DO: b']);
  });
});
