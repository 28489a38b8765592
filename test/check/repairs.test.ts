/** Which characters each kind of repair changes, and how a fix is called: `«…»` is what the message is about. */
import { describe, expect, test } from 'vitest';
import { type Diagnostic, type Repair, sourceFile } from '../../src/language/source/diagnostic.js';
import { applyEdits } from '../../src/language/source/fix-text.js';
import { withFixes } from '../../src/language/source/repair.js';

const BASE: Diagnostic = { code: 'c', severity: 'error', message: 'm', span: { file: 0, start: 0, end: 0 } };

function fixed(marked: string, more: Partial<Diagnostic>): Diagnostic {
  const start = marked.indexOf('«');
  const end = marked.indexOf('»') - 1;
  const source = sourceFile('p.dsl', marked.replace(/[«»]/g, ''));
  return withFixes([{ ...BASE, span: { file: 0, start, end }, ...more }], [source])[0] as Diagnostic;
}

/** The text after the repair; null without a fix. */
function repaired(marked: string, repair: Repair): string | null {
  const { fixes } = fixed(marked, { repair });
  return fixes === undefined ? null : applyEdits(marked.replace(/[«»]/g, ''), fixes[0]?.edits ?? []);
}

test.each<[string, Repair, string | null]>([
  ['a «b» c', { instead: 'x' }, 'a x c'],
  ['a «b» c', { before: 'x' }, 'a xb c'],
  ['a «b» c', { after: 'x' }, 'a bx c'],
  ['a «b» c', { around: ['(', ')'] }, 'a (b) c'],
  ['DO: «ab b» b', { replace: 'b', by: 'x' }, 'DO: ab x b'],
  ['DO: b «ab» b_ b1 _b b\nb', { replace: 'b', by: 'x' }, 'DO: b ab b_ b1 _b x\nb'],
  ['DO: «ab» bä äb\nb', { replace: 'b', by: 'x' }, null],
  ['DO: «a==b» b', { replace: '==', by: '=' }, 'DO: a=b b'],
  ['DO: «ab»\nb', { replace: 'b', by: 'x' }, null],
])('%s: %o', (marked, repair, expected) => {
  expect(repaired(marked, repair)).toBe(expected);
});

describe('what is removed', () => {
  test.each([
    ['a «b» c', 'a c'],
    ['a «b»\nc', 'a\nc'],
    ['a\t«b»\r\nc', 'a\r\nc'],
    ['a «b»', 'a'],
    ['a «b»\tc', 'a\tc'],
    ['a «b»,c', 'a ,c'],
    ['a(«b» c)', 'a(c)'],
    ['a(«b»\tc)', 'a(\tc)'],
    ['«b» c', 'c'],
    ['«b»', ''],
    ['a(«b»)', 'a()'],
  ])('a span takes one of the spaces next to it: %o', (marked, expected) => {
    expect(repaired(marked, { remove: 'span' })).toBe(expected);
  });

  test.each([
    ['a\n  «b» c\nd\n', 'a\nd\n'],
    ['a\r\n  «b» c\r\nd\r\n', 'a\r\nd\r\n'],
    ['a\n  b «c»', 'a\n'],
    ['«a»\n', ''],
    ['«a\nb»\nc', 'b\nc'],
  ])('a line goes as a whole, with its end: %o', (marked, expected) => {
    expect(repaired(marked, { remove: 'line' })).toBe(expected);
  });

  test.each([
    ['[«a», b]', '[b]'],
    ['[a , «b» , c]', '[a , c]'],
    ['[a, «b»]', '[a]'],
    ['[a\t,\t«b»]', '[a]'],
    ['[«a»]', '[]'],
    ['[«a» b]', '[b]'],
    ['X «a»="1, \\" 2", b', 'X b'],
    ['X «a» = [1, 2], b', 'X b'],
    ['X «a»={p: 1, q: 2}, b', 'X b'],
    ['X «a»=word, b', 'X b'],
    ['X b, «a»=f"x"y, c', 'X b, c'],
    ['X b, «a» =\tword', 'X b'],
    ['X b,\n«a»=1\n,c', 'X b,\n\n,c'],
  ])('an item takes its value and one comma: %o', (marked, expected) => {
    expect(repaired(marked, { remove: 'item' })).toBe(expected);
  });
});

describe('what is added', () => {
  test.each<[string, Repair, string]>([
    ['a\n  «b» c\nd', { above: 'x\n  y' }, 'a\n  x\n    y\n  b c\nd'],
    ['a\n\t«b» c\nd', { below: 'x' }, 'a\n\tb c\n\tx\nd'],
    ['a\r\n  «b» c  \r\nd', { below: 'x\ny', deeper: true }, 'a\r\n  b c  \r\n    x\r\n    y\r\nd'],
    ['  «b»', { below: 'x' }, '  b\n  x'],
    ['a\n  «b» c \t\nd', { endOfLine: ':' }, 'a\n  b c: \t\nd'],
    ['a «b» c', { endOfLine: ':' }, 'a b c:'],
    ['«a»\r\nb\r\n', { endOfLine: ':' }, 'a:\r\nb\r\n'],
    ['«a»\nb', { top: 'x\ny' }, 'x\ny\na\nb'],
    ['# c\n\n  # d\r\n  «a»\r\nb', { top: 'x\ny' }, '# c\n\n  # d\r\nx\r\ny\r\n  a\r\nb'],
  ])('%o: %o', (marked, repair, expected) => {
    expect(repaired(marked, repair)).toBe(expected);
  });

  test.each<[string, string, string | null]>([
    ['IF: «f(»x > 1 → A', ')', 'IF: f(x > 1) → A'],
    ['IF: «f(»x > 1\t-> A', ')', 'IF: f(x > 1)\t-> A'],
    ['IF: «f(»x > 1  \nB', ')', 'IF: f(x > 1)  \nB'],
    ['IF: «f(»x] → A', ')', null],
    ['IF: «f(»x → A)', ')', 'IF: f(x) → A)'],
    ['IF: «"»x] → A', '"', 'IF: "x]" → A'],
    ['DO «[»timeout=5s: make a:b', ']', 'DO [timeout=5s]: make a:b'],
    ['DO «[»timeout=5s:\n  make', ']', 'DO [timeout=5s]:\n  make'],
    ['DO «[»cwd="a: b"', ']', 'DO [cwd="a: b"]'],
    ['SET: x = «[»{a: 1}', ']', null],
    ['SET: x = «[»a:b → A', ']', 'SET: x = [a:b] → A'],
  ])('a bracket is closed before an arrow, unless another one closes there: %o', (marked, close, expected) => {
    expect(repaired(marked, { close })).toBe(expected);
  });
});

describe('a fix', () => {
  const LONG = `write ${'x'.repeat(95)}`;

  test('has the help as its title if there is no other and the help is short, or else what it writes', () => {
    const titles = (more: Partial<Diagnostic>) =>
      fixed('a «b» c', { repair: { instead: 'x' }, ...more }).fixes?.map(({ title }) => title);
    expect(titles({ help: 'write `x` here' })).toEqual(['write x here']);
    expect(titles({ help: LONG.slice(0, 100) })).toEqual([LONG.slice(0, 100)]);
    expect(titles({ help: LONG })).toEqual(['write x']);
    expect(titles({})).toEqual(['write x']);
    const otherRepairs: readonly Repair[] = [{ remove: 'span' }, { replace: 'nowhere', by: 'z' }, { after: '\n y\nz' }];
    expect(titles({ help: 'write `x` here', otherRepairs })).toEqual(['write x', 'remove it', 'write y']);
    const written = (length: number) => titles({ repair: { instead: 'y'.repeat(length) } });
    expect([written(60), written(61)]).toEqual([[`write ${'y'.repeat(60)}`], [`write ${'y'.repeat(59)}…`]]);
  });

  test('is made without asking only for an error, and only if it is no guess', () => {
    const preferred = (repair: Repair, severity: Diagnostic['severity']) =>
      fixed('a «b» c', { repair, severity, otherRepairs: [{ before: 'y' }] }).fixes?.map((fix) => fix.preferred);
    expect(preferred({ instead: 'x' }, 'error')).toEqual([true, true]);
    expect(preferred({ instead: 'x', guess: true }, 'error')).toEqual([false, true]);
    expect(preferred({ instead: 'x' }, 'warning')).toEqual([false, false]);
  });

  test('is what the message brings itself, with its other edits, and not its repair', () => {
    const span = { file: 0, start: 0, end: 1 };
    const also = [{ span: { file: 0, start: 4, end: 5 }, text: 'z' }];
    const { fixes } = fixed('a «b» c', { correction: { span, text: 'y', also }, repair: { instead: 'x' } });
    expect(fixes).toEqual([{ title: 'write y', edits: [{ span, text: 'y' }, ...also], preferred: true }]);
  });

  test('is absent without a way to mend it, and in a file that nobody has', () => {
    expect(fixed('a «b» c', {})).not.toHaveProperty('fixes');
    expect(fixed('a «b» c', { repair: { replace: 'q', by: 'r' } })).not.toHaveProperty('fixes');
    expect(fixed('a «b» c', { span: { file: 3, start: 0, end: 0 }, repair: { instead: 'x' } })).not.toHaveProperty(
      'fixes',
    );
  });
});
