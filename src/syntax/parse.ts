/**
 * From text to tree: tokens, layout, concrete tree, tree. Parsing never fails; whatever is wrong is in the
 * diagnostics, and a program with mistakes still has a tree.
 */
import type { IToken } from 'chevrotain';
import { badCharacter, unreadableCharacter } from '../source/catalogue/syntax.js';
import type { Diagnostic } from '../source/diagnostic.js';
import { positionAt, type SourceFile } from '../source/source-file.js';
import type { Comment, Program } from './ast.js';
import { buildItems } from './build-block.js';
import { children, type Reading, report, span } from './cst.js';
import { layOut } from './layout.js';
import { tokenize } from './lexer.js';
import { parseTokens } from './parser.js';

export { type ParsedExpression, parseExpressionText } from './expression.js';

export interface ParsedProgram {
  readonly program: Program;
  readonly diagnostics: Diagnostic[];
}

/** A part of a file that is a program: a fence of a document. */
export interface Region {
  readonly start: number;
  readonly end: number;
  /**
   * The text to read instead of the file's own, as long as the region: what a quote or a list of the document
   * puts before each line is blanked in it.
   */
  readonly text?: string;
}

/** Parses a file, or a region of it. Never throws. */
export function parseProgram(file: SourceFile, fileIndex: number, region?: Region): ParsedProgram {
  const text = region === undefined ? file.text : (region.text ?? file.text.slice(region.start, region.end));
  const reading: Reading = { text, base: region?.start ?? 0, file: fileIndex, diagnostics: [], blamed: false };
  const lexed = tokenize(text);
  const tree = parseTokens(layOut(reading, lexed.tokens, region !== undefined));
  const items = tree === undefined ? [] : buildItems(reading, children(tree, 'line'));
  const comments = (lexed.groups.comments ?? []).map((token: IToken) => comment(reading, token));
  reportCharacters(reading, file, lexed.errors);
  return { program: { file: fileIndex, items, comments }, diagnostics: reading.diagnostics };
}

function comment(reading: Reading, token: IToken): Comment {
  const text = token.image.trim();
  const start = token.startOffset + token.image.indexOf('#');
  return {
    text,
    span: span(reading, start, start + text.length),
    position: token.tokenType.name === 'LineComment' ? 'line' : 'end',
  };
}

const unreadable = /[\0\uD800-\uDFFF]/gu;

/**
 * Characters no token wanted, one a line. What such a character made incomprehensible on its line is not
 * reported again.
 */
function reportCharacters(
  reading: Reading,
  source: SourceFile,
  errors: readonly { offset: number; length: number }[],
): void {
  const blamed = new Set<number>();
  for (const found of reading.text.matchAll(unreadable)) {
    const where = span(reading, found.index, found.index + 1);
    if (firstOnLine(blamed, source, where.start)) report(reading, unreadableCharacter(where, { character: found[0] }));
  }
  for (const { offset, length } of errors) {
    const where = span(reading, offset, offset + length);
    const character = String.fromCodePoint(reading.text.codePointAt(offset) ?? 0);
    if (firstOnLine(blamed, source, where.start)) report(reading, badCharacter(where, { character }));
  }
  if (blamed.size === 0) return;
  const kept = reading.diagnostics.filter(
    (d) => !consequences.has(d.code) || !blamed.has(positionAt(source, d.span.start).line),
  );
  reading.diagnostics.length = 0;
  for (const diagnostic of kept) report(reading, diagnostic);
}

function firstOnLine(lines: Set<number>, source: SourceFile, offset: number): boolean {
  const { line } = positionAt(source, offset);
  if (lines.has(line)) return false;
  lines.add(line);
  return true;
}

const consequences: ReadonlySet<string> = new Set(['unexpected-text', 'missing-part', 'missing-arrow', 'bad-name']);
