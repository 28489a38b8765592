/** Texts made at random from nested quotes, substitutions and compounds: each says what it has to print. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell texts
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../amount.js';
import { hostileValues } from './hostile.js';
import { findings, runText, type Shell } from './run-script.js';

/** A piece of shell text and what it becomes, by the value of `{v}`. */
interface Piece {
  readonly text: string;
  readonly value: (v: string) => string;
}

const piece = (text: string, value: (v: string) => string): Piece => ({ text, value });
const join = (pieces: readonly Piece[], open = '', close = ''): Piece =>
  piece(open + pieces.map(({ text }) => text).join('') + close, (v) => pieces.map(({ value }) => value(v)).join(''));

const hole = piece('{v}', (v) => v);
const plain = fc
  .constantFrom('a', 'B-c', '.', ':', '=', '+x', 'é', '%s', '--', '{}', '/x')
  .map((t) => piece(t, () => t));
const unquoted = fc.oneof(
  plain,
  fc.constant(hole),
  fc
    .constantFrom(['\\$', '$'], ['\\"', '"'], ["\\'", "'"], ['\\{v}', '{v}'], ['\\ ', ' '], ['\\\\', '\\'])
    .map(([t, r]) => piece(t as string, () => r as string)),
);
const doubled = fc.oneof(
  plain,
  fc.constant(hole),
  fc
    .constantFrom(
      ["'", "'"],
      ['\\"', '"'],
      ['\\$', '$'],
      ['\\`', '`'],
      [' # ', ' # '],
      ['\\{v}', '{v}'],
      ['; ( | ', '; ( | '],
    )
    .map(([t, r]) => piece(t as string, () => r as string)),
);
const single = fc.oneof(
  plain,
  fc.constant(hole),
  fc
    .constantFrom(
      ['"', '"'],
      ['$(x)', '$(x)'],
      ['`', '`'],
      ['\\ ', '\\ '],
      ['\\{v}', '{v}'],
      [' & ; ', ' & ; '],
      ['\n', '\n'],
    )
    .map(([t, r]) => piece(t as string, () => r as string)),
);

const { word } = fc.letrec<{ word: Piece; substitution: Piece }>((tie) => ({
  word: fc
    .array(
      fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        unquoted,
        fc.array(single, { maxLength: 4 }).map((all) => join(all, "'", "'")),
        fc
          .array(fc.oneof({ depthSize: 'small' }, doubled, doubled, tie('substitution')), { maxLength: 4 })
          .map((all) => join(all, '"', '"')),
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((all) => join(all)),
  // The mark behind the value keeps final newlines from being dropped.
  substitution: fc
    .tuple(tie('word'), fc.constantFrom('', ' # don\'t ) "\n:', '; : "a"'))
    .map(([inner, more]) => piece(`$(printf '%s' ${inner.text}${more}; printf x)`, (v) => `${inner.value(v)}x`)),
}));

const body = fc
  .array(
    fc.oneof(
      plain,
      fc.constant(hole),
      fc.constantFrom("'", '"', ' # ', '\n', '(').map((t) => piece(t, () => t)),
    ),
    {
      maxLength: 6,
    },
  )
  .map((all) => join(all));

const printed = (format: string) => (w: Piece) =>
  piece(
    format.replaceAll('@', () => w.text),
    w.value,
  );
const command = fc.oneof(
  word.map(printed("printf '%s' @")),
  word.map(printed(`x=@; printf '%s' "$x"`)),
  word.map(printed(`x=@ sh -c 'printf "%s" "$x"'`)),
  word.map(printed(`for i in @; do printf '%s' "$i"; done`)),
  word.map(printed(`f() { printf '%s' "$1"; }; f @`)),
  word.map(printed("if true; then printf '%s' @; fi")),
  word.map(printed("{ printf '%s' @; } | cat")),
  word.map(printed("(printf '%s' @) # it's")),
  word.map(printed("case y in x) : ;; y) printf '%s' @ ;; esac")),
  word.map((w) => piece(`case ${w.text} in x|${w.text}) printf yes ;; esac`, () => 'yes')),
  body.map((b) => piece(`cat <<EOF\n${b.text}\nEOF`, (v) => `${b.value(v)}\n`)),
  body.map((b) => piece(`cat <<'EOF'\n$a${b.text}\`\\\nEOF`, (v) => `$a${b.value(v)}\`\\\n`)),
  body.map((b) => piece(`x=$(cat <<EOF\n${b.text}x\nEOF\n); printf '%s' "$x"`, (v) => `${b.value(v)}x`)),
);

describe.each<Shell>(['bash', 'sh'])('random texts under %s', (shell) => {
  it('print what they say and execute nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(command, { minLength: 30, maxLength: 60 }),
        fc.constantFrom(...hostileValues),
        async (commands, value) => {
          // `{v}>` is ambiguous, and a `$` before the braces makes them the shell's, even an escaped one.
          const kept = commands.filter(({ text }) => !/\{v\}[<>]|\$\{v\}/.test(text));
          const text = kept.map((each) => `${each.text}\nprintf '\\000'\n`).join('');
          expect(findings(text).filter((line) => !line.startsWith('('))).toEqual([]);
          const ran = await runText(text, () => ({ text: value }), { shell });
          expect(ran.canary).toBe(false);
          const parts = ran.stdout.split('\0').slice(0, -1);
          const wrong = kept.findIndex((each, at) => each.value(value) !== parts[at]);
          expect(
            wrong < 0 ? null : { ...kept[wrong], got: parts[wrong], wanted: kept[wrong]?.value(value) },
          ).toBeNull();
        },
      ),
      { numRuns: tries(2, 100), endOnFailure: true },
    );
  });
});

it('reads any text without a throw', () => {
  const pieces = fc.constantFrom(
    ...[
      '{v}',
      '{v*}',
      '{{v}}',
      '{',
      '}',
      '(',
      ')',
      '((',
      '))',
      '[[',
      ']]',
      '$',
      '${',
      '$(',
      '`',
      '"',
      "'",
      '\\',
      '\n',
      ' ',
    ],
    ...[
      ';',
      ';;',
      '&',
      '|',
      '<',
      '>',
      '<<',
      '<<E',
      "<<-'E'",
      '\nE\n',
      '#',
      'case',
      'in',
      'esac',
      'for',
      'x=',
      'a',
      '-c',
    ],
    ...[
      'sh',
      'env',
      'eval',
      'raw({v})',
      'raw(',
      '=(',
      '[',
      ']',
      '!',
      '*',
      '~',
      '\u0000',
      '\u0001',
      '\ud800',
      'f()',
      'printf',
    ],
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), fc.boolean(), (all, bash) => {
      const text = all.join('');
      for (const line of findings(text, { shell: bash ? 'bash' : 'sh', strict: true })) expect(line).toMatch(/«.*»/s);
    }),
    { numRuns: tries(50, 5_000) },
  );
});
