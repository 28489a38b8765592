/**
 * From text to tree: tokens, layout, concrete tree, tree. Parsing never fails; whatever is wrong is in the
 * diagnostics, and a program with mistakes still has a tree.
 */
import type { IToken } from 'chevrotain';
import { badCharacter, unexpectedText, unreadableCharacter } from '../source/catalogue/syntax.js';
import type { Diagnostic } from '../source/diagnostic.js';
import { positionAt, type SourceFile } from '../source/source-file.js';
import type { Comment, Program } from './ast.js';
import { type BlockList, blockList, buildItems } from './build-block.js';
import { children, type Reading, report, span, tokenSpan } from './cst.js';
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
  const whole = region === undefined ? file.text : (region.text ?? file.text.slice(region.start, region.end));
  const base = region?.start ?? 0;
  const diagnostics: Diagnostic[] = [];
  const comments: Comment[] = [];
  const list = blockList(diagnostics);
  const ends = region === undefined ? partEnds(whole) : [whole.length];
  let start = 0;
  for (const end of ends) {
    const text = start === 0 && end === whole.length ? whole : whole.slice(start, end);
    const reading: Reading = { text, base: base + start, file: fileIndex, diagnostics, blamed: false };
    parsePart(reading, file, region !== undefined, list, comments);
    start = end;
  }
  return { program: { file: fileIndex, items: list.items, comments }, diagnostics };
}

function parsePart(reading: Reading, file: SourceFile, nested: boolean, list: BlockList, comments: Comment[]): void {
  const before = reading.diagnostics.length;
  const lexed = tokenize(reading.text);
  const { tree, stuck } = parseTokens(layOut(reading, lexed.tokens, nested));
  if (stuck !== undefined) report(reading, unexpectedText(tokenSpan(reading, stuck), { text: stuck.image }));
  if (tree !== undefined) buildItems(reading, children(tree, 'line'), list);
  for (const token of lexed.groups.comments ?? []) comments.push(comment(reading, token));
  reportCharacters(reading, file, lexed.errors, before);
}

/** The least a part holds: enough to make its costs count, little enough to be forgotten quickly. */
const partLength = 20_000;

/**
 * Cuts a long text at lines that begin at the margin, where every block above has ended: tokens and concrete
 * trees of one part are garbage when the next begins, which keeps long files as fast as short ones.
 */
function partEnds(text: string): number[] {
  const ends: number[] = [];
  let least = partLength;
  for (let at = text.indexOf('\n', least); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (at < least || !beginsAtMargin(text, at + 1) || continued(text, at)) continue;
    ends.push(at + 1);
    least = at + partLength;
    at = Math.min(least, text.length) - 1;
  }
  ends.push(text.length);
  return ends;
}

/** Comments at the margin may stand within a block. */
function beginsAtMargin(text: string, at: number): boolean {
  const c = text[at];
  return c !== undefined && c !== ' ' && c !== '\t' && c !== '\n' && c !== '\r' && c !== '#';
}

/** Does the line that ends at `end` go on below? */
function continued(text: string, end: number): boolean {
  let at = end - 1;
  while (text[at] === '\r' || text[at] === ' ' || text[at] === '\t') at--;
  return text[at] === '\\';
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
  before: number,
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
  const mine = reading.diagnostics.splice(before);
  for (const diagnostic of mine) {
    const blamedLine = blamed.has(positionAt(source, diagnostic.span.start).line);
    if (!blamedLine || !consequences.has(diagnostic.code)) report(reading, diagnostic);
  }
}

function firstOnLine(lines: Set<number>, source: SourceFile, offset: number): boolean {
  const { line } = positionAt(source, offset);
  if (lines.has(line)) return false;
  lines.add(line);
  return true;
}

const consequences: ReadonlySet<string> = new Set(['unexpected-text', 'missing-part', 'missing-arrow', 'bad-name']);
