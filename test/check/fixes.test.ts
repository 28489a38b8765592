/** Every fix that a message offers mends what the message is about, whatever program it is in. */
import { describe, expect, test } from 'vitest';
import { type Compilation, type CompileOptions, compile } from '../../src/language/check/compile.js';
import { parseFile } from '../../src/language/frontends/markdown.js';
import type { Diagnostic } from '../../src/language/source/diagnostic.js';
import { applyEdits, editsOf } from '../../src/language/source/fix-text.js';
import { isLong } from '../amount.js';
import { type Case, casesOf, programOf, sectionText } from '../corpus/case-file.js';
import { compileOptions } from '../corpus/compile-case.js';

const cases = (['check', 'syntax', 'workflows'] as const).flatMap((kind) => casesOf(kind));
const mended = new Set<string>();
const safe = new Set<string>();
/** Expanding these takes a second each. */
const LARGE = 20_000;
const EXPANDED = /expansion-(?:of-many-states|too-large)/;

function errors({ diagnostics }: Compilation): number {
  return diagnostics.filter(({ severity }) => severity === 'error').length;
}

/** How often the same is said about the same words. */
function said({ diagnostics }: Compilation, { code, message }: Diagnostic): number {
  return diagnostics.filter((other) => other.code === code && other.message === message).length;
}

function textOf(the: Case): string {
  return the.kind === 'workflows' ? (sectionText(the, 'workflow') ?? '') : programOf(the).text;
}

function optionsOf(the: Case): CompileOptions {
  return the.kind === 'workflows' ? { name: 'flow.yaml', parse: parseFile } : compileOptions(the);
}

function problems(the: Case): string[] {
  const text = textOf(the);
  const options = optionsOf(the);
  const before = compile(text, options);
  return before.diagnostics.flatMap((diagnostic): string[] => {
    const { fix, code } = diagnostic;
    if (fix === undefined || fix.span.file !== 0) return [];
    mended.add(code);
    if (fix.guess !== true) safe.add(`${diagnostic.severity} ${code}`);
    const edited = applyEdits(text, editsOf(fix));
    const after = compile(edited, options);
    const what = `${the.path}: ${code}: ${diagnostic.message}\n${edited}`;
    if (said(after, diagnostic) >= said(before, diagnostic)) return [`still there: ${what}`];
    // A safe fix of a warning leaves a valid program valid.
    if (fix.guess !== true && errors(before) === 0 && errors(after) > 0) return [`breaks: ${what}`];
    return [];
  });
}

describe('a fix', () => {
  test.each(cases.filter((the) => textOf(the).length < LARGE && (isLong || !EXPANDED.test(the.path))))(
    'mends its mistake in $name',
    (the) => {
      expect(problems(the)).toEqual([]);
    },
  );

  /** Words of the language, punctuation, quotes, indentation, and declarations in the wrong place. */
  test('is safe only for errors that can have meant one thing', () => {
    const codes = `ambiguous-braces bad-character bad-input-note bad-note bad-option chained-comparison indented-declaration missing-arrow
      missing-colon missing-part not-a-command not-an-instruction operator-spelling shell-variable tab-indentation triple-quotes
      unexpected-text unknown-entry unknown-function unknown-key unknown-kind unknown-name unknown-option unknown-verb
      unquoted-path unquoted-prompt`;
    expect([...safe].sort()).toEqual(codes.split(/\s+/).map((code) => `error ${code}`));
  });

  test('is there for most of what an edit can mend', () => {
    expect(mended.size, [...mended].sort().join(' ')).toBeGreaterThanOrEqual(57);
  });
});
