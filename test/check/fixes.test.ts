/** Every fix that a message offers mends what the message is about, whatever program it is in. */
import { describe, expect, test } from 'vitest';
import { type Compilation, type CompileOptions, compile } from '../../src/language/check/compile.js';
import { parseFile } from '../../src/language/frontends/markdown.js';
import { type Diagnostic, sourceFile } from '../../src/language/source/diagnostic.js';
import { applyEdits, fixText } from '../../src/language/source/fix-text.js';
import { amount, isLong, share } from '../amount.js';
import { type Case, casesOf, programOf, sectionText } from '../corpus/case-file.js';
import { compileOptions } from '../corpus/compile-case.js';

const cases = (['check', 'syntax', 'workflows'] as const).flatMap((kind) => casesOf(kind));
const mended = new Set<string>();
const safe = new Set<string>();
/** Expanding these takes a second each. */
const LARGE = 20_000;
const EXPANDED = /expansion-(?:of-many-states|too-large)/;

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
  const times = new Map<string, number>();
  return before.diagnostics.flatMap((diagnostic): string[] => {
    const { fixes = [], code, severity } = diagnostic;
    const kind = `${severity} ${code} ${fixes.map(({ preferred }) => preferred)}`;
    const time = (times.get(kind) ?? 0) + 1;
    times.set(kind, time);
    // Each fix is another check of the whole text.
    if (time > amount(3, Number.POSITIVE_INFINITY)) return [];
    return fixes.flatMap(({ title, edits, preferred }): string[] => {
      if (edits[0]?.span.file !== 0) return [];
      mended.add(code);
      if (preferred) safe.add(`${diagnostic.severity} ${code}`);
      const edited = applyEdits(text, edits);
      const after = compile(edited, options);
      const what = `${the.path}: ${code}: ${diagnostic.message}\n${title}\n${edited}`;
      if (said(after, diagnostic) >= said(before, diagnostic)) return [`still there: ${what}`];
      const fresh = after.diagnostics.filter((one) => one.severity === 'error' && said(after, one) > said(before, one));
      for (const one of fresh) uncovered.add(`${code}>${one.code}`);
      if (fresh.some((one) => !UNCOVERED.has(`${code}>${one.code}`)))
        return [`breaks: ${what}\n${fresh.map((one) => `${one.code}: ${one.message}`).join('\n')}`];
      return [];
    });
  });
}

/** Errors that can only be seen after the fix of another one: what follows a verb, a bracket or a head that was not read. */
const UNCOVERED = new Set(
  `bad-coverage>gate-without-command bad-name>not-tracked bad-name>unknown-state bad-number>compares-unlike
  bad-number>never-contains compares-unlike>never-has-value literal-arithmetic>compares-unlike literal-arithmetic>wrong-type
  missing-arrow>missing-part missing-arrow>unknown-state reserved-name>missing-argument reserved-name>unknown-argument retry-gate>unknown-entry
  retry-gate>retry-override retry-gate>retry-condition retry-without-exit>entry-after-exit unbounded-cycle>leaves-step
  unclosed-bracket>unknown-name unexpected-text>instruction-outside-state unexpected-text>not-tracked
  unexpected-text>unknown-state unknown-argument>duplicate-argument unknown-argument>missing-argument
  unknown-entry>missing-context unknown-function>wrong-number-of-arguments unknown-key>duplicate-gate
  unknown-option>bad-option unknown-state>instruction-outside-state unknown-verb>bad-name unknown-verb>default-without-if
  unknown-verb>else-without-if unknown-verb>indented-declaration unknown-verb>two-runs unknown-verb>unexpected-text
  unknown-verb>unknown-pattern unknown-verb>unknown-state`.split(/\s+/),
);
const uncovered = new Set<string>();

describe('a fix', () => {
  const tried = share(cases);
  test.each(tried.filter((the) => textOf(the).length < LARGE && (isLong || !EXPANDED.test(the.path))))(
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
    const expected = codes.split(/\s+/).map((code) => `error ${code}`);
    const found = [...safe].sort();
    expect(found).toEqual(tried === cases ? expected : expected.filter((code) => safe.has(code)));
  });

  test('is there for most of what an edit can mend', () => {
    expect(mended.size, [...mended].sort().join(' ')).toBeGreaterThanOrEqual(tried === cases ? 60 : 20);
  });
});

describe('many fixes', () => {
  /** `bad` is corrected to `good`; `trap` to `worse`, which is wrong, too. */
  function checkWords(text: string, checks: { count: number }): ReturnType<Parameters<typeof fixText>[1]> {
    checks.count++;
    const sources = [sourceFile('words', text)];
    const diagnostics = [...text.matchAll(/bad|trap|worse/g)].map(({ 0: word, index: start }): Diagnostic => {
      const span = { file: 0, start, end: start + word.length };
      const fix = { title: 'it', preferred: true, edits: [{ span, text: word === 'bad' ? 'good\nline' : 'worse' }] };
      return { code: word, severity: 'error', message: word, span, ...(word === 'worse' ? {} : { fixes: [fix] }) };
    });
    return Promise.resolve({ diagnostics, sources });
  }

  test('take few checks, although some make something wrong', async () => {
    const words = Array.from({ length: 2000 }, (_, at) => (at % 600 === 50 ? 'trap' : 'bad'));
    const checks = { count: 0 };
    const fixed = await fixText(words.join('\n'), (text) => checkWords(text, checks));
    expect(fixed.text.match(/good/g)).toHaveLength(1996);
    expect(fixed.text.match(/trap/g)).toHaveLength(4);
    expect(checks.count).toBeLessThan(150);
  });

  test('are not all looked for in a text that takes long to check', async () => {
    const checks = { count: 0 };
    const long = `${'bad trap '.repeat(200)}${' '.repeat(4_000_000)}`;
    const fixed = await fixText(long, (text) => checkWords(text, checks));
    expect(checks.count).toBeLessThan(40);
    expect(fixed.text).not.toContain('worse');
  });

  test('are told as the lines that each changes, one after the other', async () => {
    const { fixes } = await fixText('a bad b bad\nc\nbad\nd\nbad', (text) => checkWords(text, { count: 0 }));
    expect(fixes.map(({ line, removed, added }) => [line, removed, added])).toEqual([
      [1, ['a bad b bad'], ['a good', 'line b bad']],
      [2, ['line b bad'], ['line b good', 'line']],
      [5, ['bad'], ['good', 'line']],
      [8, ['bad'], ['good', 'line']],
    ]);
  });
});
