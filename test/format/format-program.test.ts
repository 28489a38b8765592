/** Laws of the formatter, tried with every program there is: nothing is lost, and nothing is left as it was by mistake. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { formatMarkdown } from '../../src/language/format/format-markdown.js';
import { formatProgram } from '../../src/language/format/format-program.js';
import { sameWords } from '../../src/language/format/print-step.js';
import { parseMarkdown } from '../../src/language/frontends/markdown.js';
import { hasErrors, sourceFile } from '../../src/language/source/diagnostic.js';
import { parseProgram } from '../../src/language/syntax/parse.js';
import { amount, longTest } from '../amount.js';
import { type CaseKind, casesOf, programOf } from '../corpus/case-file.js';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

function shipped(folder: string): { name: string; text: string }[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.dsl'))
    .map((name) => ({ name: join(folder, name), text: readFileSync(join(root, folder, name), 'utf8') }));
}

const kinds: readonly CaseKind[] = ['syntax', 'check', 'run', 'format'];

/** Programs without mistakes of syntax. */
const programs = [
  ...kinds
    .flatMap((kind) => casesOf(kind))
    .filter((the) => !programOf(the).markdown)
    .map((the) => ({ name: the.path, text: programOf(the).text.replaceAll('\r\n', '\n') })),
  ...shipped('examples'),
  ...shipped('patterns'),
].filter(({ text }) => text.length < 20_000 && !hasErrors(parse(text).diagnostics));

/** Every fourth of them, where each is read several times; some of them, where each is read many times. */
const half = programs.filter((_, at) => at % amount(4, 1) === 0);
const some = programs.filter((_, at) => at % amount(16, 1) === 0);

function parse(text: string) {
  return parseProgram(sourceFile('program.dsl', text), 0);
}

function formatted(text: string): string {
  const file = sourceFile('program.dsl', text);
  return formatProgram(parseProgram(file, 0).program, file);
}

/** Offsets of lines that begin with an instruction, a declaration or a branch and do not continue another line. */
function lineBeginnings(text: string): number[] {
  const starts = new Set<number>();
  const { items } = parse(text).program;
  for (const item of items) starts.add(item.span.start);
  JSON.stringify(items, (_, value) => {
    if (value?.verb !== undefined) starts.add(value.span.start);
    return value;
  });
  return [...starts]
    .map((at) => ({ at, line: text.lastIndexOf('\n', at - 1) + 1 }))
    .filter(({ at, line }) => /^[ ]*(?:- +)?$/.test(text.slice(line, at)) && !text.slice(0, line).endsWith('\\\n'))
    .map(({ line }) => line)
    .sort((a, b) => a - b);
}

/** The text with a numbered comment above every line that begins with an instruction. */
function commented(text: string): { text: string; count: number } {
  let out = '';
  let at = 0;
  const lines = lineBeginnings(text);
  lines.forEach((line, i) => {
    const indent = /^ */.exec(text.slice(line))?.[0] ?? '';
    out += `${text.slice(at, line)}${indent}# comment ${i}!\n`;
    at = line;
  });
  return { text: out + text.slice(at), count: lines.length };
}

describe('every program', () => {
  test('there are some', () => expect(programs.length).toBeGreaterThan(50));

  test('has one form, whatever blank lines and line ends it is written with', () => {
    for (const { name, text } of some) {
      const once = formatted(text);
      expect(formatted(`\n\n${text}\n\n`), name).toBe(once);
      expect(formatted(text.replaceAll('\n', '\r\n')), name).toBe(once);
      expect(formatted(once), name).toBe(once);
    }
  });

  longTest('keeps a comment above any of its lines', () => {
    for (const { name, text } of half) {
      const more = commented(text);
      expect(hasErrors(parse(more.text).diagnostics), `${name}:\n${more.text}`).toBe(false);
      const lines = formatted(more.text).split('\n');
      const comments = lines.filter((line) => /^ *# comment \d+!$/.test(line));
      expect(
        comments.map((line) => Number(/\d+/.exec(line)?.[0])),
        name,
      ).toEqual(Array.from({ length: more.count }, (_, i) => i));
      expect(lines.filter((line) => !/^ *# comment \d+!$/.test(line)).join('\n'), name).toBe(formatted(text));
    }
  });

  test('is formatted in a document as it is in a file', () => {
    for (const { name, text } of some) {
      if (text.includes('```') || text.includes('~~~') || text.trim() === '') continue;
      for (const margin of ['   ', '> ']) {
        const inFence = (program: string) =>
          ['```dsl', ...program.replace(/\n$/, '').split('\n'), '```']
            .map((line) => (line === '' ? margin.trimEnd() : margin + line))
            .join('\n');
        const start = margin === '   ' ? '1. list\n\n' : 'text\n\n';
        const file = sourceFile('program.md', `${start}${inFence(text)}\n`);
        expect(formatMarkdown(file, parseMarkdown(file, 0).regions), `${name} after \`${margin}\``).toBe(
          `${start}${inFence(formatted(text))}\n`,
        );
      }
    }
  });
});

test('a word that is lost, changed or doubled is noticed, in any order, but for words that the formatter writes its own way', () => {
  expect(sameWords('DO: make it, foreach x', 'for each x: it make DO')).toBe(true);
  for (const other of ['DO: make', 'DO: make them', 'DO: make it it', 'DO: make make']) {
    expect(sameWords('DO: make it', other), other).toBe(false);
    expect(sameWords(other, 'DO: make it'), other).toBe(false);
  }
});

describe('programs at the limits', () => {
  test('blocks and brackets as deep as they may be', () => {
    const depth = 150;
    const blocks = Array.from({ length: depth }, (_, i) => `${' '.repeat(i)}IF: a →\n`).join('');
    const text = formatted(`${blocks}${' '.repeat(depth)}EMIT: X\nSET: a = ${'('.repeat(150)}1${')'.repeat(150)}\n`);
    expect(text).toContain(`\n${'  '.repeat(depth)}EMIT: X\nSET: a = (1)\n`);
  });

  test('an empty text stays empty, and blanks are none', () => {
    expect(formatted('')).toBe('');
    expect(formatted('\n  \n\n')).toBe('');
  });

  longTest('a long line and many lines', () => {
    const line = `EMIT: "${'x'.repeat(1_000_000)}"\n`;
    const many = 'IF: a > 1 → EMIT: X a={a}  # why\nDO: echo {a}\n'.repeat(2000);
    const blanks = `SET: a = {b${' '.repeat(50_000)}: 1}\n`;
    expect(formatted(line)).toBe(line);
    expect(formatted(many)).toBe(many);
    expect(formatted(blanks)).toBe('SET: a = {b: 1}\n');
  });
});
