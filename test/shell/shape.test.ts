/** What the compiler reports about a text: its commands, and whether it is one plain command. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell texts
import { describe, expect, it } from 'vitest';
import { amount } from '../amount.js';
import { compiled } from './run-script.js';

function commands(text: string): string[] {
  return compiled(text).commands.map(({ name, words, program, pipedInto, builtinOrKeyword, depth }) => {
    const marks = `${pipedInto ? '|' : ''}${'$'.repeat(depth)}${builtinOrKeyword ? '!' : ''}`;
    const shown = words.map(({ text: word }, at) => (at === program ? `<${word ?? '?'}>` : (word ?? '?')));
    return `${marks}${name === null ? '? ' : ''}${shown.join(' ')}`;
  });
}

describe('commands', () => {
  it.each<[string, string[]]>([
    ['git commit -m {v} "a b"', ['<git> commit -m ? a b']],
    ['a | b x && c; d', ['<a>', '|<b> x', '<c>', '<d>']],
    ['x=1 y={v} tool z > f 2>&1', ['<tool> z']],
    ['x={v}', []],
    ['if a b; then c; else d; fi', ['<a> b', '<c>', '<d>']],
    ['for i in a b; do c "$i"; done', ['!<for> i in a b', '<c> ?']],
    ['while read -r l; do a; done < f', ['!<read> -r l', '<a>']],
    ['case $x in a|b) c d ;; (e) f ;; esac; g', ['!<case> ? in', '<c> d', '<f>', '<g>']],
    ['echo $(a b | c) `d`', ['!<echo> ? ?', '$<a> b', '|$<c>', '$<d>']],
    ['f() { a; }; f x; function g { b; }', ['<a>', '!<f> x', '<b>']],
    ['sudo -u bob env X=1 timeout 5 make all', ['sudo -u bob env X=1 timeout 5 <make> all']],
    ['$cmd a; "{v}" b; ./x', ['? <?> a', '? <?> b', '<./x>']],
    ['[[ a == b ]] && (( 1 )) || [ x ]', ['!<[[> a == b ]]', '!<(())>', '!<[> x ]']],
    ['a=(b c); d', ['<d>']],
    ['cat <<EOF | b\nx y\nEOF\nc', ['<cat>', '|<b>', '<c>']],
    ['a \\\n  b', ['<a> b']],
    ["ec''ho \\a 'b c'd", ['!<echo> a b cd']],
    ['a &\nb |\n c', ['<a>', '<b>', '|<c>']],
    ['a # b\nc', ['<a>', '<c>']],
    ['', []],
  ])('%s', (text, expected) => expect(commands(text)).toEqual(expected));

  it('finds the position of the command word', () => {
    const [first, second] = compiled('ab  cd; "e f" g').commands;
    expect([first?.nameStart, first?.nameEnd, second?.nameStart, second?.nameEnd]).toEqual([0, 2, 8, 13]);
    expect(first?.words[1]).toEqual({ text: 'cd', start: 4, end: 6 });
  });
});

describe('plain commands', () => {
  it.each(['wait-explorers', 'a b {v} --x={v} "c {v} d" \'e\' {l*}', 'a \\$b "\\"c" {} %', '  a b  ', 'a \\\n b'])(
    '%s is one',
    (text) => expect(compiled(text).simple).toBe(true),
  );

  it.each([
    'a; b',
    'a | b',
    'a &',
    'a > f',
    'a < f',
    'x=1 a',
    'a $x',
    'a "$(b)"',
    'a `b`',
    'a *',
    'a ~/x',
    'a {b,c}',
    'a {1..3}',
    '! a',
    '(a)',
    '{ a; }',
    'if a; then b; fi',
    'a\nb',
    '[[ a ]]',
    'x={v}',
    'a <<E\nE',
    'a raw({v})',
    '',
  ])('%s is not', (text) => expect(compiled(text).simple).toBe(false));

  it('gives its words as templates', () => {
    const { functionWords } = compiled(`f a{x}b "c \\" {y}" 'd'"" '' {l*} e\\ f`);
    const shown = functionWords().map(({ template, list }) => [
      template.map((part) => (typeof part === 'string' ? part : part.source)),
      list === true,
    ]);
    expect(shown).toEqual([
      [['f'], false],
      [['a', '{x}', 'b'], false],
      [['c " ', '{y}'], false],
      [['d'], false],
      [[''], false],
      [['{l*}'], true],
      [['e f'], false],
    ]);
  });
});

/** How the time for these grows is measured in `bench/growth.ts`. */
describe('any text', () => {
  it.each([
    '$(',
    '{v}',
    "'{v}'",
    '{',
    '{a',
    '`',
    '((',
    '<<E ',
    '\\{a',
    'case x in a) ',
    'a|b',
    'env ',
    'sh -c {v} ',
    '[[ {v} -eq ',
    '"$(\'',
    'f() ',
  ])('%s, repeated, is read to its end', (piece) => {
    const text = piece.repeat(Math.ceil(amount(2500, 160_000) / piece.length));
    const { commands, findings } = compiled(text);
    const ends = [...commands.map(({ nameEnd }) => nameEnd), ...findings.map(({ end }) => end)];
    expect(ends.filter((end) => end > text.length)).toEqual([]);
  });
});
