/**
 * From text to tree, through tokens, layout and the concrete tree. Parsing never fails: all mistakes are in the
 * diagnostics, and a program with mistakes still has a tree.
 */
import { badCharacter, unexpectedText, unreadableCharacter } from '../source/catalogue/syntax.js';
import type { Diagnostic } from '../source/diagnostic.js';
import { positionAt, type SourceFile } from '../source/diagnostic.js';
import type { Comment, Program } from './ast.js';
import { rebase, rebaseDeclaration } from './child-blocks.js';
import { children, type ParseContext, report, span, tokenSpan } from './grammar/cst.js';
import { parseTokens } from './grammar/parser.js';
import { layOut } from './tokens/layout.js';
import { tokenize } from './tokens/lexer.js';
import type { Token } from './tokens/token.js';
import { readVerb } from './tokens/verbs.js';
import { buildItems } from './tree/build-block.js';

export { type ParsedExpression, parseExpressionText } from './tree/build-expression.js';

interface ParsedProgram {
  readonly program: Program;
  readonly diagnostics: Diagnostic[];
  /** The parts that the program consists of. They are never modified. */
  readonly parts: readonly ParsedPart[];
}

/** A parsed part of a text, with its position. */
export interface ParsedPart {
  readonly text: string;
  /** The offset of the first character in the file. */
  readonly start: number;
  readonly file: number;
  readonly items: Program['items'];
  readonly comments: readonly Comment[];
  readonly diagnostics: readonly Diagnostic[];
  /** The part as it was parsed, if it has moved: moves are counted from there. */
  readonly home?: ParsedPart;
}

/** A part of a file that is a program: a fence of a document. */
export interface Region {
  readonly start: number;
  readonly end: number;
  /**
   * The text to parse instead of the file's own text, with the same length as the region. The prefixes of a quote or a
   * list in the document are replaced by spaces.
   */
  readonly text?: string;
}

/**
 * Parses a file, or a region of it. Never throws. Parts that already occur in `previous`, an earlier state of the file,
 * are not parsed again; the result is the same.
 */
export function parseProgram(
  file: SourceFile,
  fileIndex: number,
  region?: Region,
  previous: readonly ParsedPart[] = [],
): ParsedProgram {
  const whole = region === undefined ? file.text : (region.text ?? file.text.slice(region.start, region.end));
  const texts = region === undefined ? parts(whole) : [whole];
  const known = new Map(previous.map((part) => [part.text, part]));
  let start = region?.start ?? 0;
  const read = texts.map((text): ParsedPart => {
    const same = known.get(text);
    const at = start;
    start += text.length;
    if (same !== undefined) return partAt(same, fileIndex, at);
    // A slice keeps the whole text in memory, so text that outlives many edits must be a copy.
    const own = previous.length > 0 ? ` ${text}`.slice(1) : text;
    return readPart(own, at, file, fileIndex, region !== undefined);
  });
  const items = read.flatMap((part) => part.items);
  const comments = read.flatMap((part) => part.comments);
  const diagnostics = read.flatMap((part) => part.diagnostics);
  return { program: { file: fileIndex, items, comments }, diagnostics, parts: read };
}

function partAt(part: ParsedPart, file: number, start: number): ParsedPart {
  if (part.start === start && part.file === file) return part;
  const home = part.home ?? part;
  if (home.start === start && home.file === file) return home;
  const { text, items, comments, diagnostics } = home;
  const by = start - home.start;
  const move = (item: Program['items'][number]) =>
    item.kind === 'state' && home.file === file ? rebaseDeclaration(item, by) : rebase(item, file, by);
  return { text, start, file, items: items.map(move), ...rebase({ comments, diagnostics }, file, by), home };
}

function readPart(text: string, start: number, file: SourceFile, fileIndex: number, nested: boolean): ParsedPart {
  const diagnostics: Diagnostic[] = [];
  const context: ParseContext = { text, base: start, file: fileIndex, diagnostics, blamed: false };
  const lexed = tokenize(text);
  const { tree, stuck } = parseTokens(layOut(context, lexed.tokens, nested));
  if (stuck !== undefined) report(context, unexpectedText(tokenSpan(context, stuck), { text: stuck.image }));
  const items = tree === undefined ? [] : buildItems(context, children(tree, 'line'));
  const comments = lexed.comments.map((token) => comment(context, token));
  reportCharacters(context, file, lexed.errors);
  return { text, start, file: fileIndex, items, comments, diagnostics };
}

function comment(context: ParseContext, token: Token): Comment {
  const text = token.image.trim();
  const start = token.startOffset + token.image.indexOf('#');
  return {
    text,
    span: span(context, start, start + text.length),
    position: token.tokenType.name === 'LineComment' ? 'line' : 'end',
  };
}

/** A surrogate, paired or not. The search is fast, and usually finds none. */
const surrogate = /[\0\uD800-\uDFFF]/;
const unreadable = /[\0\uD800-\uDFFF]/gu;

/**
 * Reports characters that belong to no token, one per line. Other messages on that line are left out, because they are
 * consequences.
 */
function reportCharacters(
  context: ParseContext,
  source: SourceFile,
  errors: readonly { offset: number; length: number }[],
): void {
  const blamed = new Set<number>();
  if (errors.length === 0 && !surrogate.test(context.text)) return;
  for (const found of context.text.matchAll(unreadable)) {
    const where = span(context, found.index, found.index + 1);
    if (firstOnLine(blamed, source, where.start)) report(context, unreadableCharacter(where, { character: found[0] }));
  }
  for (const { offset, length } of errors) {
    const where = span(context, offset, offset + length);
    const character = String.fromCodePoint(context.text.codePointAt(offset) ?? 0);
    if (firstOnLine(blamed, source, where.start)) report(context, badCharacter(where, { character }));
  }
  if (blamed.size === 0) return;
  const mine = context.diagnostics.splice(0);
  for (const diagnostic of mine) {
    const blamedLine = blamed.has(positionAt(source, diagnostic.span.start).line);
    if (!blamedLine || !consequences.has(diagnostic.code)) report(context, diagnostic);
  }
}

function firstOnLine(lines: Set<number>, source: SourceFile, offset: number): boolean {
  const { line } = positionAt(source, offset);
  if (lines.has(line)) return false;
  lines.add(line);
  return true;
}

const consequences: ReadonlySet<string> = new Set(['unexpected-text', 'missing-part', 'missing-arrow', 'bad-name']);

/**
 * The texts of the parts, in order; together they are `text`. The end of a part depends only on the adjacent lines, or on
 * the three quotes that end a prompt.
 */
export function parts(text: string): string[] {
  const found: string[] = [];
  let start = 0;
  let line = 0;
  // Found once: a search from every line would take the square of the length.
  let quotes = nextQuotes(text, 0);
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) {
    if (quotes < line) quotes = nextQuotes(text, line);
    if (quotes < end) end = endOfPrompt(text, line, end);
    line = end + 1;
    if (!beginsPart(text, end + 1) || continuesBelow(text, end)) continue;
    found.push(text.slice(start, end + 1));
    start = end + 1;
  }
  found.push(start === 0 ? text : text.slice(start));
  return found;
}

/**
 * Lines at the margin that still belong to the block above: lines with unusual spaces, comments, a line that begins
 * with a continuation, the three quotes that end a prompt, and `ELSE`, which belongs to its `IF`.
 */
function beginsPart(text: string, at: number): boolean {
  const c = text[at];
  if (c === undefined || ' \t\r\n\uFEFF#\\'.includes(c)) return false;
  if (text.startsWith('"""', at) || text.startsWith("'''", at)) return false;
  bullet.lastIndex = at;
  const verbAt = bullet.test(text) ? bullet.lastIndex : at;
  const verb = readVerb(text, verbAt, false)?.verb;
  return verb !== 'ELSE' && verb !== 'ELSE IF';
}

const anyQuotes = /"{3}|'{3}/g;

/** Where three quotes are next; infinite: nowhere. */
function nextQuotes(text: string, from: number): number {
  anyQuotes.lastIndex = from;
  return anyQuotes.exec(text)?.index ?? Number.POSITIVE_INFINITY;
}

const tripleQuotes = /\b(?:Task\([^()\n]*\)[^"'\n]*|PROMPT[: \t]*)("{3}|'{3})/;

/** Where the line ends, with the lines of a prompt that three quotes begin in it. */
function endOfPrompt(text: string, line: number, end: number): number {
  const open = tripleQuotes.exec(text.slice(line, end));
  if (open === null) return end;
  const close = text.indexOf(open[1] as string, line + open.index + open[0].length);
  if (close < end) return end;
  const after = text.indexOf('\n', close);
  return after < 0 ? text.length - 1 : after;
}

const bullet = /-[ \t]+/y;

/** Whether the line that ends at `end` continues below. */
function continuesBelow(text: string, end: number): boolean {
  let at = end - 1;
  while (text[at] === '\r' || text[at] === ' ' || text[at] === '\t') at--;
  return text[at] === '\\';
}
