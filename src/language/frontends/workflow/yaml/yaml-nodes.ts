/**
 * YAML with the location of every value and of every character of its texts. Never throws: nesting is limited before
 * the library, which recurses, parses the text, and so is the number of values, which aliases could multiply.
 */
import yaml, { type Document } from 'yaml';
import { workflowMessages as words } from '../../../source/catalogue/workflow.js';
import type { Diagnostic } from '../../../source/diagnostic.js';
import { lineText, positionAt, type SourceFile, type Span } from '../../../source/diagnostic.js';
import type { Comment } from '../../../syntax/ast.js';
import type { Name } from '../../../syntax/expression-nodes.js';
import type { LocatedText } from '../../../syntax/tree/located-template.js';
import { locatedScalar } from './located-scalar.js';

/** The maximum number of values, including those that aliases repeat. */
const DEEPEST = 250;
export const MAX_VALUES = 50_000;
export const MAX_CHARACTERS = 16 * 1024 * 1024;

export type YamlNode = YamlScalar | YamlList | YamlMap;

export interface YamlScalar {
  readonly kind: 'scalar';
  readonly span: Span;
  readonly value: string | number | boolean | null;
  /** The decoded value of a text; any other scalar as written. */
  readonly located: LocatedText;
}

interface YamlList {
  readonly kind: 'list';
  readonly span: Span;
  readonly items: readonly YamlNode[];
}

export interface YamlMap {
  readonly kind: 'map';
  readonly span: Span;
  readonly members: readonly YamlMember[];
  /** The source text if it is written in braces. */
  readonly flow: string | null;
}

export interface YamlMember {
  readonly key: Name;
  readonly value: YamlNode;
}

interface ParsedYaml {
  /** Null for a text without a value, and for invalid YAML. */
  readonly root: YamlNode | null;
  readonly comments: readonly Comment[];
  readonly diagnostics: Diagnostic[];
  /** How many values it has, with those that aliases repeat. */
  readonly values: number;
}

/** The mistake is all that is known of the file. */
export function brokenYaml(mistake: Diagnostic): ParsedYaml {
  return { root: null, comments: [], diagnostics: [mistake], values: 0 };
}

export function readYaml(file: SourceFile, index: number): ParsedYaml {
  const spanOf = (start: number, end: number): Span => ({ file: index, start, end });
  if (file.text.length > MAX_CHARACTERS)
    return brokenYaml(words.tooLarge(spanOf(0, 0), { what: 'characters', limit: MAX_CHARACTERS }));
  const scan = scanYaml(file.text);
  if (scan.tooDeep !== null) return brokenYaml(words.tooDeep(spanOf(scan.tooDeep, scan.tooDeep + 1), {}));
  const document = documentOf(scan);
  const comments = scan.comments.map(
    ({ start, text }): Comment => ({
      text,
      span: spanOf(start, start + text.length),
      position: /^[ \t]*$/.test(file.text.slice(file.text.lastIndexOf('\n', start - 1) + 1, start)) ? 'line' : 'end',
    }),
  );
  const [error] = document.errors;
  if (error !== undefined) return brokenYaml(yamlProblem(file, index, error));
  return { ...new Nodes(file, index, document).read(), comments };
}

/** What the library says about a mistake. */
type YamlError = Pick<Document['errors'][number], 'code' | 'message' | 'pos'>;

function yamlProblem(file: SourceFile, index: number, { code, message, pos }: YamlError): Diagnostic {
  const [start, end] = pos;
  const at = (from: number, to: number): Span => ({ file: index, start: from, end: to });
  const lost = lostIndentation(file, start);
  if (lost !== null) return words.lostIndentation(at(lost.start, lost.end), { under: lost.under });
  const where = at(Math.min(start, file.text.length), Math.min(Math.max(end, start + 1), file.text.length));
  const line = lineText(file, positionAt(file, where.start).line);
  return words.yaml(where, { code, problem: message, line });
}

/**
 * The first mistake in a piece of a file, an item of a list with the line `above`, where nothing else in the file is wrong. Null if
 * the mistake may concern what follows: the item after it is not read as one.
 */
export function mistakeInItem(
  file: SourceFile,
  index: number,
  { above, start, end, column }: { above: string; start: number; end: number; column: number },
): Diagnostic | null {
  const piece = above + file.text.slice(start, end);
  const text =
    end === file.text.length ? piece : `${piece}${' '.repeat(column)}- ${NEXT} # ${quotesFrom(file.text, end)}\n`;
  const scan = scanYaml(text);
  if (scan.tooDeep !== null) return null;
  const { errors, contents } = documentOf(scan);
  const [error] = errors;
  if (error === undefined) return null;
  if (end < file.text.length) {
    const list = yaml.isMap(contents) && contents.items.length === 1 ? contents.items[0]?.value : null;
    const next = yaml.isSeq(list) && list.items.length === 2 ? list.items[1] : null;
    if (!yaml.isScalar(next) || next.value !== NEXT || next.range?.[0] !== piece.length + column + 2) return null;
  }
  const by = start - above.length;
  return yamlProblem(file, index, { ...error, message: error.message, pos: [error.pos[0] + by, error.pos[1] + by] });
}

const NEXT = 'next';

/** Quotes in the rest of the file: a text without its end continues until the indentation changes only if there is one. */
function quotesFrom(text: string, at: number): string {
  return [/(?<!\\)"/g, /(?<!')'(?!')/g]
    .flatMap((quote) => {
      quote.lastIndex = at;
      return quote.exec(text)?.[0] ?? [];
    })
    .join(' ');
}

const OPTIONS = {
  prettyErrors: false,
  version: '1.2',
  logLevel: 'error',
  // The library would compare each key with all previous ones. `collection` does this faster.
  uniqueKeys: false,
} as const;

/** Reading the tokens again would take about as long as what is done with them here. */
function documentOf({ text, tokens }: ScannedYaml): Document {
  if (tokens === null) return yaml.parseDocument(text, OPTIONS);
  const documents = new yaml.Composer(OPTIONS).compose(syntaxOf(tokens), true, text.length);
  const first = documents.next();
  // An error of several documents has the words of the library.
  const isOnly = first.done !== true && documents.next().done === true;
  return isOnly ? first.value : yaml.parseDocument(text, OPTIONS);
}

function* syntaxOf(tokens: readonly string[]): Generator<yaml.CST.Token> {
  const parser = new yaml.Parser();
  for (const token of tokens) yield* parser.next(token);
  yield* parser.end();
}

class Nodes {
  private readonly diagnostics: Diagnostic[] = [];
  private readonly anchors = new Map<string, unknown>();
  /** The nodes that are being read. A value that contains itself is reported and not followed. */
  private readonly open = new Set<unknown>();
  private tooDeep: Span | null = null;
  private left = MAX_VALUES;

  constructor(
    private readonly file: SourceFile,
    private readonly index: number,
    private readonly document: Document,
  ) {}

  read(): Omit<ParsedYaml, 'comments'> {
    const { contents } = this.document;
    if (contents === null) return { root: null, diagnostics: this.diagnostics, values: 0 };
    const root = this.node(contents, { file: this.index, start: 0, end: 0 });
    const values = MAX_VALUES - this.left;
    if (this.tooDeep !== null) return { root: null, diagnostics: [words.tooDeep(this.tooDeep, {})], values };
    if (this.left >= 0) return { root, diagnostics: this.diagnostics, values };
    const diagnostic = words.tooLarge(this.span(contents, 0), { what: 'values', limit: MAX_VALUES });
    return { root: null, diagnostics: [diagnostic], values };
  }

  /** `otherwise` is the location of a missing value. */
  private node(node: unknown, otherwise: Span): YamlNode {
    const span = this.span(node, otherwise.start);
    if (this.open.size > DEEPEST) this.tooDeep = span;
    if (--this.left < 0 || this.tooDeep !== null) return emptyScalar(otherwise);
    if (yaml.isAlias(node)) {
      const target = this.anchors.get(node.source);
      if (target !== undefined && !this.open.has(target)) return this.node(target, span);
      this.diagnostics.push(words.alias(span, { name: node.source, itself: target !== undefined }));
      return emptyScalar(span);
    }
    if (yaml.isNode(node) && 'anchor' in node && typeof node.anchor === 'string') this.anchors.set(node.anchor, node);
    if (yaml.isScalar(node)) return this.scalar(node.value, span);
    this.open.add(node);
    const read = this.collection(node, span);
    this.open.delete(node);
    return read ?? emptyScalar(otherwise);
  }

  private collection(node: unknown, span: Span): YamlNode | null {
    if (yaml.isSeq(node)) return { kind: 'list', span, items: node.items.map((item) => this.node(item, atEnd(span))) };
    if (!yaml.isMap(node)) return null;
    const flow = this.file.text[span.start] === '{' ? this.file.text.slice(span.start, span.end) : null;
    const members: YamlMember[] = [];
    const seen = new Set<string>();
    for (const pair of node.items) {
      const key = this.key(pair.key, span);
      if (key === null) continue;
      if (seen.has(key.text)) {
        this.reportDuplicate(key);
        continue;
      }
      seen.add(key.text);
      const value = this.node(pair.value, atEnd(key.span));
      if (key.text === '<<') this.merge(members, value, key);
      else members.push({ key, value });
    }
    return { kind: 'map', span, members: withoutMerged(members), flow };
  }

  private key(node: unknown, map: Span): Name | null {
    const where = this.span(node, map.start);
    if (yaml.isScalar(node) && node.value !== null && typeof node.value !== 'object')
      return { text: String(node.value), span: where };
    this.diagnostics.push(words.keyIsNotText(where, {}));
    return null;
  }

  private reportDuplicate({ text, span }: Name): void {
    const lost = lostIndentation(this.file, span.start);
    const where = lost === null ? span : { ...span, start: lost.start, end: lost.end };
    this.diagnostics.push(
      lost === null
        ? words.yaml(where, {
            code: 'DUPLICATE_KEY',
            problem: `the key \`${text}\` appears twice in one mapping`,
            line: '',
          })
        : words.lostIndentation(where, { under: lost.under }),
    );
  }

  /** `<<: *other`: members that the mapping itself does not have. */
  private merge(members: YamlMember[], value: YamlNode, key: Name): void {
    const sources = value.kind === 'list' ? value.items : [value];
    for (const source of sources) {
      if (source.kind === 'map') members.push(...source.members.map((member) => ({ ...member, merged: true })));
      else this.diagnostics.push(words.shape(key.span, { what: '`<<`', wanted: 'a mapping, as `<<: *name`' }));
    }
  }

  private scalar(value: unknown, span: Span): YamlScalar {
    const { text } = this.file;
    if (typeof value === 'string')
      return { kind: 'scalar', span, value, located: locatedScalar(text, span.start, span.end, value) };
    const written = text.slice(span.start, span.end);
    const located = { text: written, pieces: [{ at: 0, source: span.start }] };
    const plain = typeof value === 'number' || typeof value === 'boolean' ? value : null;
    return { kind: 'scalar', span, value: typeof value === 'bigint' ? Number(value) : plain, located: located };
  }

  private span(node: unknown, otherwise: number): Span {
    const range = yaml.isNode(node) ? node.range : undefined;
    const start = range?.[0] ?? otherwise;
    const end = range?.[1] ?? otherwise;
    return {
      file: this.index,
      start,
      end: trimmedEnd(this.file.text, start, end),
    };
  }
}

function emptyScalar(span: Span): YamlScalar {
  return { kind: 'scalar', span, value: null, located: { text: '', pieces: [{ at: 0, source: span.start }] } };
}

function atEnd({ file, end }: Span): Span {
  return { file, start: end, end };
}

/** Written members come before merged ones, wherever `<<` is. */
function withoutMerged(members: readonly (YamlMember & { readonly merged?: boolean })[]): YamlMember[] {
  if (!members.some(({ merged }) => merged)) return [...members];
  const own = new Set(members.filter(({ merged }) => !merged).map(({ key }) => key.text));
  return members.flatMap(({ key, value, merged }) => {
    if (merged && own.has(key.text)) return [];
    own.add(key.text);
    return [{ key, value }];
  });
}

/**
 * A block ends after its last line end, or, if a comment stands below it, after the spaces of the next line. Its span ends
 * before them, whatever follows.
 */
function trimmedEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && ' \t\r\n'.includes(text[at - 1] as string)) at--;
  return at;
}

interface LostIndentation {
  /** The line that needs more indentation. */
  readonly start: number;
  readonly end: number;
  /** The line to which it belongs: `run:` or `- name: a`. */
  readonly under: string;
}

const ITEM = /^([ ]*)- \S/;
const KEY = /^([ ]*)(?:- )?([A-Za-z_]+):(?:[ ]+\S.*)?$/;
const OPENER = /^([ ]*)(?:- )?(get|run|with|guard|each|steps|prompt): ?(?:[|>][+-]?)?$/;

/** Examines the lines around the offset of a YAML error, and returns the first line that has lost its indentation. */
function lostIndentation(file: SourceFile, offset: number): LostIndentation | null {
  const { line: last } = positionAt(file, offset);
  const first = Math.max(2, last - 40);
  for (let line = first; line <= Math.min(last + 1, file.lineStarts.length); line++) {
    const above = lineText(file, line - 1).trimEnd();
    const here = lineText(file, line).trimEnd();
    if (here.trim() === '' || !hasLostIndentation(above, here)) continue;
    const start = file.lineStarts[line - 1] as number;
    return { start, end: start + Math.max(1, here.length), under: above.trim() };
  }
  return null;
}

function hasLostIndentation(above: string, here: string): boolean {
  const indentation = /^ */.exec(here)?.[0].length ?? 0;
  const item = ITEM.exec(above);
  // A key directly below an item, in the column of its dash: it belongs to the item.
  if (item !== null && KEY.test(above) && KEY.test(here) && !ITEM.test(here))
    return indentation === (item[1] as string).length;
  const opener = OPENER.exec(above);
  if (opener === null) return false;
  const column = (opener[1] as string).length;
  // The lines below `run:` must be deeper. A list may be in the same column, and so may the next key after an empty
  // value.
  return indentation === column && !ITEM.test(here) && opener[2] !== 'each' && opener[2] !== 'steps';
}

const DEEPEST_BRACKETS = 60;
const DEEPEST_COLUMN = 240;
const MOST_DASHES = 60;

interface ScannedYaml {
  /** The text with `session: from: x` replaced. It has the length of the original. */
  readonly text: string;
  /** Those of the text; null if it is not the original. */
  readonly tokens: readonly string[] | null;
  readonly comments: readonly { readonly start: number; readonly text: string }[];
  /** The offset at which it is nested too deeply, or null. */
  readonly tooDeep: number | null;
}

/**
 * A first pass over YAML that uses only tokens, so that no nesting can break it. Finds comments, nesting that is too
 * deep to parse, and a common form that is not valid YAML.
 */
function scanYaml(source: string): ScannedYaml {
  const comments: { start: number; text: string }[] = [];
  const colons: number[] = [];
  const tokens: string[] = [];
  /** The tokens of this line without spaces, to find `session: from:`. */
  let line: { text: string; start: number }[] = [];
  let at = 0;
  let brackets = 0;
  let dashes = 0;
  let lineStart = 0;
  let scalar = false;
  for (const token of new yaml.Lexer().lex(source)) {
    tokens.push(token);
    // Tokens without characters, which only announce a document, the end of one in braces, or a scalar.
    if (token === '\u0002' || token === '\u0018' || token === '\u001f') {
      scalar = token === '\u001f';
      continue;
    }
    const text = scalar;
    scalar = false;
    const start = at;
    at += token.length;
    if (!text && (token === '\n' || token === '\r\n')) {
      line = [];
      dashes = 0;
      lineStart = at;
      continue;
    }
    if (!text && /^[ \t]*$/.test(token)) continue;
    if (!text && token[0] === '#') {
      comments.push({ start, text: token.trimEnd() });
      continue;
    }
    if (!text) {
      if (token === '{' || token === '[') brackets++;
      else if (token === '}' || token === ']') brackets--;
      else if (token === '-' || token === '?') dashes++;
    }
    const column = line.length === 0 && brackets === 0 ? start - lineStart : 0;
    if (brackets > DEEPEST_BRACKETS || dashes > MOST_DASHES || column > DEEPEST_COLUMN)
      return { text: source, tokens, comments, tooDeep: start };
    line.push({ text: token, start });
    if (line.length > 5) line.shift();
    const colon = twoKeys(line);
    if (colon !== null) colons.push(colon);
    // A block scalar ends after a line end that is not a separate token.
    if (text && token.endsWith('\n')) {
      line = [];
      dashes = 0;
      lineStart = at;
    }
  }
  return { text: withSigns(source, colons), tokens: colons.length === 0 ? tokens : null, comments, tooDeep: null };
}

/** The second colon of `session: from: x`, after its value was read. */
function twoKeys(line: readonly { readonly text: string; readonly start: number }[]): number | null {
  const [session, first, from, second, value] = line;
  const found =
    session?.text === 'session' &&
    first?.text === ':' &&
    (from?.text === 'from' || from?.text === 'reuse') &&
    second?.text === ':';
  return found && value !== undefined && /^[\w"'-]/.test(value.text) ? second.start : null;
}

/** `session: from= x` is a plain text, which the reader of sessions recognizes. All offsets stay the same. */
function withSigns(source: string, colons: readonly number[]): string {
  if (colons.length === 0) return source;
  const pieces: string[] = [];
  let at = 0;
  for (const colon of colons) {
    pieces.push(source.slice(at, colon), '=');
    at = colon + 1;
  }
  return pieces.join('') + source.slice(at);
}
