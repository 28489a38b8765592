/** Whatever the text, parsing ends soon, throws nothing, and reports locations that are in the text. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { sourceFile } from '../../src/language/source/diagnostic.js';
import { parseProgram } from '../../src/language/syntax/parse.js';
import { amount, tries } from '../amount.js';
import { randomNumbers, seed } from '../random.js';

function parse(text: string) {
  const parsed = parseProgram(sourceFile('t', text), 0);
  const outside = parsed.diagnostics.filter(
    ({ span }) => !(span.start >= 0 && span.start <= span.end && span.end <= text.length),
  );
  expect(outside).toEqual([]);
  return parsed;
}

const programs = fileURLToPath(new URL('../../patterns/', import.meta.url));
const texts = readdirSync(programs)
  .filter((name) => name.endsWith('.dsl'))
  .map((name) => readFileSync(programs + name, 'utf8'));

const pieces = [
  ...['→', '->', ',', '"', "'", '(', ')', '[', ']', '{', '}', '=', '==', ' with ', 'DO:', 'EMIT: ', 'IF: ', ' GOTO '],
  ...['in PARALLEL', 'FOR EACH', '\n', '  ', '\\\n', '\t', '#', '  # c', '|', '- ', ':', 'x', '{x}', '†', 'Task(a)'],
  ...['$(', 'WAIT: ', ' OR timeout=', ' every=', 'ELSE', 'NOT ', ' AND ', '1', '5s', '\0', 'é', '\u{1F4A5}', '\r\n'],
  ...[
    'STEP: a type=b\n',
    '  GATE: ',
    'RETRY:\n',
    '    ATTEMPT 2 → ',
    'PROMPT',
    ':\n',
    ' |\n',
    'EACH',
    ' as b',
    'bash "',
    'validate v',
  ],
  ...['CONTEXT: ', 'file=', 'workflow=w', 'AGENT: ', 'SESSION', 'NOT g', 'EXIT 3', '    ', 'coverage 8', 'touched '],
  ...['\ud800', 'RETURN', 'STATE: A', 'ASK user', 'ON ERROR [x]:', '.', '?', '*', '>', 'RETURN with ', 'LIMIT: '],
];

/** Every section and every kind of entry. */
const steps = `STEP: plan type=split
  CONTEXT: file=a.md, bash="git log", workflow=w with a={x}, b
  PROMPT: "Plan {spec}"
  AGENT: claude-opus with max_turns=3, no_write
  GATE: schema, coverage 80 as c, expr a > 1, touched "a", "b", validate v/x with d={diff}, test as review
  GATE:
    - compile
    DO: npm test
  EACH [parallel max=4]:
    STEP: b
      PROMPT: |
        # {x}
          more
      WORKFLOW: v/y with a=claude-opus
      RETRY:
        ATTEMPT 2 → PROMPT "x", SESSION new
        NOT gate.c, ATTEMPT 3 →
          PROMPT:
            words
          WORKTREE: reset
        EXIT 6
    STEP: c
      IF: x → DO: echo
      RETRY: EXIT 3
`;

describe('nothing throws', () => {
  test('every prefix of a step, and pieces at all of its lines', () => {
    for (let end = 0; end <= steps.length; end += amount(7, 1)) parse(steps.slice(0, end));
    const lines = [...steps.matchAll(/\n/g)].map(({ index }) => index + 1);
    const every = amount(16, 4);
    for (const [n, at] of lines.entries())
      for (let p = n % every; p < pieces.length; p += every) parse(steps.slice(0, at) + pieces[p] + steps.slice(at));
  });

  test('every prefix of a program', () => {
    const text = texts[0] as string;
    for (let end = 0; end <= text.length; end++) parse(text.slice(0, end));
  });

  test('a piece put anywhere, another piece of the text taken away', () => {
    const random = randomNumbers(seed);
    for (const text of [...texts, steps, steps, steps]) {
      for (let i = 0; i < tries(4, 60); i++) {
        const at = Math.floor(random() * text.length);
        const piece = pieces[Math.floor(random() * pieces.length)] as string;
        parse(text.slice(0, at) + piece + text.slice(at + Math.floor(random() * 6)));
      }
    }
  });

  test('pieces in any order', () => {
    const random = randomNumbers(seed + 1);
    for (let i = 0; i < tries(250, 5000); i++) {
      const length = 1 + Math.floor(random() * 12);
      const chosen = Array.from({ length }, () => pieces[Math.floor(random() * pieces.length)] as string);
      parse(chosen.join(random() < 0.5 ? ' ' : ''));
    }
  });
});

/** Characters of a very long line or text. What takes longer than its length is far too slow for these too. */
const LENGTH = amount(12_500, 300_000);
const codesOf = (text: string): string[] => [...new Set(parse(text).diagnostics.map((diagnostic) => diagnostic.code))];

describe('limits have a name', () => {
  test.each([
    ['blocks', Array.from({ length: 1000 }, (_, i) => `${'  '.repeat(i)}IF: x == 1 →`).join('\n')],
    ['parentheses', `IF: ${'('.repeat(LENGTH / 4)}x → PROCEED`],
    ['lists', `SET: x = ${'['.repeat(LENGTH / 4)}`],
    ['objects', `SET: x = ${'{a: '.repeat(LENGTH / 4)}`],
    ['signs', `SET: x = ${'-'.repeat(LENGTH / 4)}1`],
    ['negations', `IF: ${'NOT '.repeat(LENGTH / 4)}x → PROCEED`],
    ['sums', `SET: x = 1${' + 1'.repeat(LENGTH / 4)}`],
    ['paths', `SET: x = a${'.b'.repeat(LENGTH / 4)}`],
    ['arrows', 'IF: a → '.repeat(LENGTH / 4)],
  ])('%s', (_, text) => {
    expect(codesOf(text)).toEqual(['nested-too-deep']);
  });

  test('what stays below the limits has no mistake', () => {
    expect(codesOf(`SET: x = ${'('.repeat(150)}1${')'.repeat(150)}`)).toEqual([]);
    expect(codesOf(`SET: x = 1${' + 1'.repeat(400)}`)).toEqual([]);
    const blocks = Array.from({ length: 150 }, (_, i) => `${'  '.repeat(i)}IF: x == 1 →`);
    expect(codesOf([...blocks, `${'  '.repeat(150)}PROCEED`].join('\n'))).toEqual([]);
  });
});

describe('a very long line', () => {
  test.each([
    ['shell text', `DO: echo ${'a'.repeat(LENGTH)}`],
    ['quoted text', `EMIT: "${'a'.repeat(LENGTH)}"`],
    ['an open quote', `EMIT: "${'a'.repeat(LENGTH)}`],
    ['values', `EMIT: "${'{a}'.repeat(LENGTH / 3)}"`],
    ['what looks like values', `EMIT: "${'{f('.repeat(LENGTH / 3)}"`],
    ['fields', `EMIT: A ${'a=b '.repeat(LENGTH / 4)}`],
    ['actions', `IF: a == 1 → ${'GOTO B, '.repeat(LENGTH / 8)}`],
    ['commas', `IF: a == 1 → ${','.repeat(LENGTH)}`],
    ['notes', `TRACK: a ${'(b) '.repeat(LENGTH / 4)}`],
    ['blanks', `GOTO: A${' '.repeat(LENGTH)}`],
    ['digits', `SET: x = ${'1'.repeat(LENGTH)}`],
    ['gates', `STEP: a\n  GATE: ${'compile, '.repeat(LENGTH / 9)}`],
    ['what is passed to a gate', `STEP: a\n  GATE: validate v with ${'a=1, '.repeat(LENGTH / 20)}`],
    ['names passed to a gate', `STEP: a\n  GATE: validate v with ${'a, '.repeat(LENGTH / 12)}`],
    ['what a retry changes', `STEP: a\n  RETRY:\n    ATTEMPT 2 → ${'AGENT x, '.repeat(LENGTH / 9)}`],
    ['guards', `STEP: a\n  AGENT: x with ${'a=1, '.repeat(LENGTH / 5)}`],
    ['files', `STEP: a\n  CONTEXT: ${'file=a, '.repeat(LENGTH / 8)}`],
    ['the name of an agent', `STEP: a\n  AGENT: ${'{'.repeat(LENGTH)}`],
    ['words with dashes', `STEP: a\n  WORKFLOW: w with a=${'a-b'.repeat(LENGTH / 3)}?`],
    ['in PARALLEL', `DO: ${'a in PARALLEL '.repeat(LENGTH / 14)}`],
  ])('%s', (_, text) => {
    parse(text);
  });
});

describe('very many lines below a step', () => {
  test.each([
    ['comments', `STEP: a\n  GATE:\n    compile\n${'    # c\n'.repeat(LENGTH / 8)}    test\n`],
    ['blank lines', `STEP: a\n  GATE:\n    compile\n${'\n'.repeat(LENGTH)}    test\n`],
    ['gates', `STEP: a\n  GATE:\n${'    compile\n'.repeat(LENGTH / 12)}`],
    ['entries of a retry', `STEP: a\n  RETRY:\n${'    NOT gate.a → PROMPT\n      x {y}\n'.repeat(LENGTH / 40)}`],
    ['a prompt', `STEP: a\n  PROMPT:\n${'    words {x} {{y}} {\n'.repeat(LENGTH / 22)}`],
    ['sections of no step', 'GATE: compile\n'.repeat(LENGTH / 14)],
    ['steps', 'STEP: a\n  PROMPT: "x"\n  AGENT: claude\n'.repeat(LENGTH / 40)],
  ])('%s', (_, text) => {
    parse(text);
  });

  test('steps within steps', () => {
    const text = Array.from({ length: 400 }, (_, i) => `${'  '.repeat(i)}STEP: a\n`).join('');
    expect(codesOf(text)).toContain('nested-too-deep');
  });
});
