/**
 * Builds templates from quoted and unquoted text. `{…}` is an interpolation if it contains a name, a path, a call or a
 * † reference. Texts contain expressions and expressions contain texts, so this file and `expression.ts` import each
 * other.
 */
import { badEscape } from '../../source/catalogue/syntax.js';
import type { Span } from '../../source/diagnostic.js';
import type { ShellText } from '../ast.js';
import type { DataReference, Expression, Interpolation, Name, Template } from '../expression-nodes.js';
import { type FoundKey, scanStepKey } from '../expression-nodes.js';
import { fixAt, type ParseContext, report, span } from '../grammar/cst.js';
import { dataReferenceEnd, interpolationEnd } from '../tokens/interpolation-scan.js';
import { shareText } from '../tokens/token.js';
import { parseExpressionText } from './build-expression.js';

interface FoundInterpolation {
  /** The offset after the `}`. */
  readonly end: number;
  readonly interpolation: Interpolation;
}

// A path with more segments is parsed like any other expression, which refuses it.
const simple = /\{([A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\]|\?){0,500})(\*)?(?::([A-Za-z_]\w*))?\}/y;
const segment = /\.([A-Za-z_]\w*)|\[(\d+)\]|\?/g;
const filterAtEnd = /:([A-Za-z_]\w*)$/;

/**
 * The interpolation that begins with the `{` at `at`, or null if the braces are plain text. `base` maps an offset of
 * `text` to the file; `shell` allows `{list*}`.
 */
export function scanInterpolation(
  text: string,
  at: number,
  fileIndex: number,
  base: (offset: number) => number,
  shell: boolean,
): FoundInterpolation | null {
  const spanOf = (start: number, end: number): Span => ({
    file: fileIndex,
    start: base(start),
    end: base(end - 1) + 1,
  });
  simple.lastIndex = at;
  const match = simple.exec(text);
  if (match !== null) return simpleInterpolation(match, at, spanOf, shell);
  const key = scanStepKey(text, at, spanOf);
  if (key !== null) return keyInterpolation(key, at, spanOf);
  const end = interpolationEnd(text, at);
  return end < 0 ? null : complexInterpolation(text, at, end, fileIndex, base, shell);
}

function keyInterpolation({ expression, filter, end }: FoundKey, at: number, spanOf: SpanOf): FoundInterpolation {
  const named =
    filter === undefined
      ? {}
      : { filter: { text: filter.text, span: spanOf(filter.start, filter.start + filter.text.length) } };
  return { end, interpolation: { expression, ...named, list: false, span: spanOf(at, end) } };
}

type SpanOf = (start: number, end: number) => Span;

function simpleInterpolation(
  match: RegExpExecArray,
  at: number,
  spanOf: SpanOf,
  shell: boolean,
): FoundInterpolation | null {
  const [whole, path = '', star, filter] = match;
  if (star !== undefined && !shell) return null;
  const start = at + 1;
  const constant = constants.get(path);
  const expression =
    constant === undefined
      ? pathExpression(path, start, spanOf)
      : constantExpression(constant, spanOf(start, start + path.length));
  const end = at + whole.length;
  const list = star !== undefined;
  const where = spanOf(at, end);
  if (filter === undefined) return { end, interpolation: { expression, list, span: where } };
  const named = { text: filter, span: spanOf(end - 1 - filter.length, end - 1) };
  return { end, interpolation: { expression, filter: named, list, span: where } };
}

export const constants: ReadonlyMap<string, true | false | null> = new Map<string, true | false | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

function constantExpression(value: true | false | null, where: Span): Expression {
  return { kind: 'constant', value, span: where };
}

function pathExpression(path: string, start: number, spanOf: SpanOf): Expression {
  const rootEnd = path.search(/[.[?]/);
  const name = shareText(rootEnd < 0 ? path : path.slice(0, rootEnd));
  let expression: Expression = { kind: 'name', name, span: spanOf(start, start + name.length) };
  if (rootEnd < 0) return expression;
  segment.lastIndex = rootEnd;
  for (let found = segment.exec(path); found !== null; found = segment.exec(path)) {
    const end = start + segment.lastIndex;
    const where = spanOf(start, end);
    if (found[1] !== undefined) {
      const field: Name = { text: shareText(found[1]), span: spanOf(end - found[1].length, end) };
      expression = { kind: 'field', of: expression, name: field, span: where };
    } else if (found[2] !== undefined) {
      const inner = spanOf(end - 1 - found[2].length, end - 1);
      const index: Expression = { kind: 'number', value: Number(found[2]), text: found[2], span: inner };
      expression = { kind: 'index', of: expression, index, span: where };
    } else expression = { kind: 'maybe', of: expression, span: where };
  }
  return expression;
}

function complexInterpolation(
  text: string,
  at: number,
  end: number,
  fileIndex: number,
  base: (offset: number) => number,
  shell: boolean,
): FoundInterpolation | null {
  let inner = text.slice(at + 1, end - 1);
  let filter: Name | undefined;
  const found = filterAtEnd.exec(inner);
  if (found !== null) {
    const word = found[1] as string;
    const spanOf = { file: fileIndex, start: base(end - 1 - word.length), end: base(end - 2) + 1 };
    filter = { text: word, span: spanOf };
    inner = inner.slice(0, found.index);
  }
  const list = shell && inner.endsWith('*');
  if (list) inner = inner.slice(0, -1);
  const where = { file: fileIndex, start: base(at), end: base(end - 1) + 1 };
  const { expression, diagnostics, complete } = parseExpressionText(inner, base(at + 1), fileIndex);
  const named = filter === undefined ? {} : { filter };
  if (complete && diagnostics.length === 0 && isReference(expression))
    return { end, interpolation: { expression, ...named, list, span: where } };
  // A `†` in braces is never meant as text, and in a command its `||` would belong to the shell.
  if (!inner.startsWith('†')) return null;
  return { end, interpolation: { expression: unreadableReference(inner, where), ...named, list: false, span: where } };
}

/**
 * Braces that begin like a reference but are invalid: a reference with a mistake, which is reported when its value is
 * needed.
 */
function unreadableReference(inner: string, where: Span): DataReference {
  const first = inner.slice(0, Math.max(1, dataReferenceEnd(inner, 0)));
  const second = /^\s*(?:\|\||<\|>)\s*(†.+?)\s*$/.exec(inner.slice(first.length))?.[1];
  const message = `\`{${inner}}\` is not a single reference`;
  const help =
    second === undefined
      ? `write \`{${first}}\`, and compute what depends on it in a SET or a condition`
      : `write \`{default(${first}, ${second})}\``;
  return {
    kind: 'data-reference',
    root: { text: '', span: where },
    path: [],
    problem: { kind: 'syntax', message, help, span: where },
    span: where,
  };
}

/** Names, paths, calls and † references are interpolations; sums and comparisons in braces are text. */
function isReference(expression: Expression): boolean {
  switch (expression.kind) {
    case 'name':
    case 'call':
    case 'data-reference':
    case 'step-key':
      return true;
    case 'field':
    case 'index':
    case 'maybe':
      return isReference(expression.of);
    default:
      return false;
  }
}

// ---- templates --------------------------------------------------------------------------------------

/** The template of quoted text. `start` is the offset of the opening quote in the parsed text. */
export function quotedTemplate(context: ParseContext, raw: string, start: number): Template {
  const quote = raw[0] === "'" ? "'" : '"';
  const inner = raw.slice(1, -1);
  const list = templateParts(context, inner, start + 1, quote === '"');
  return { parts: list, quote, raw, span: span(context, start, start + raw.length) };
}

/** The template of unquoted text, which has no escapes. Text that is quoted as a whole is parsed as quoted text. */
export function plainTemplate(context: ParseContext, raw: string, start: number): Template {
  const list = templateParts(context, raw, start, false);
  return { parts: list, quote: 'none', raw, span: span(context, start, start + raw.length) };
}

/** The template of text on its own lines, without their indentation. It has no escapes. */
export function blockTemplate(context: ParseContext, { text, lines, span: where }: Omit<ShellText, 'block'>): Template {
  let line = 0;
  // Offsets are requested in ascending order, or close to each other.
  const spanOf = (offset: number): number => {
    if ((lines[line]?.at ?? 0) > offset) line = 0;
    while ((lines[line + 1]?.at ?? Number.POSITIVE_INFINITY) <= offset) line++;
    const { at, source } = lines[line] ?? { at: 0, source: where.start };
    return source + offset - at;
  };
  return { parts: templateParts(context, text, 0, false, spanOf), quote: 'none', raw: text, span: where };
}

function templateParts(
  context: ParseContext,
  text: string,
  start: number,
  escapes: boolean,
  base = (offset: number): number => context.base + start + offset,
): (string | Interpolation)[] {
  const list: (string | Interpolation)[] = [];
  let plain = '';
  let at = 0;
  const special = escapes ? braceOrEscape : openBrace;
  while (at < text.length) {
    special.lastIndex = at;
    const next = special.test(text) ? special.lastIndex - 1 : text.length;
    plain += text.slice(at, next);
    at = next;
    if (at >= text.length) break;
    if (text[at] === '\\') {
      const escaped = readEscape(context, text, at, start);
      plain += escaped.text;
      at = escaped.end;
      continue;
    }
    const brace = readBrace(text, at, context.file, base);
    plain += brace.before;
    if (brace.found !== undefined) {
      if (plain !== '') list.push(plain);
      list.push(brace.found);
      plain = brace.after;
    }
    at = brace.end;
  }
  if (plain !== '') list.push(plain);
  return list;
}

/** Each use sets `lastIndex` first, so that templates inside of templates can share them. */
const openBrace = /\{/g;
const braceOrEscape = /[{\\]/g;

interface Brace {
  readonly before: string;
  readonly found?: Interpolation;
  readonly after: string;
  readonly end: number;
}

/** `{x}` is a value, `{{x}}` is the text `{x}`, and `{{{x}}}` is a value in braces. Any other brace is text. */
export function readBrace(text: string, at: number, file: number, base: (offset: number) => number): Brace {
  const literal: Brace = { before: '{', after: '', end: at + 1 };
  if (text[at + 1] !== '{') {
    const found = scanInterpolation(text, at, file, base, false);
    return found === null ? literal : { before: '', found: found.interpolation, after: '', end: found.end };
  }
  if (text[at + 2] === '{') {
    const inner = scanInterpolation(text, at + 2, file, base, false);
    if (inner === null || !text.startsWith('}}', inner.end)) return literal;
    return { before: '{', found: inner.interpolation, after: '}', end: inner.end + 2 };
  }
  const doubled = scanInterpolation(text, at + 1, file, base, false);
  if (doubled === null || text[doubled.end] !== '}') return literal;
  return { before: text.slice(at + 1, doubled.end), after: '', end: doubled.end + 1 };
}

const plainEscapes: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', n: '\n', t: '\t', r: '\r' };
const unicodeEscape = /\\u\{([0-9A-Fa-f]{1,6})\}/y;
const joinedLines = /\\[ \t]*\r?\n[ \t]*/y;
const jsonEscape = /\\u([0-9A-Fa-f]{4})/y;

function readEscape(context: ParseContext, text: string, at: number, start: number): { text: string; end: number } {
  const next = text[at + 1] ?? '';
  const plain = plainEscapes[next];
  if (plain !== undefined) return { text: plain, end: at + 2 };
  joinedLines.lastIndex = at;
  if (joinedLines.test(text)) return { text: '', end: joinedLines.lastIndex };
  unicodeEscape.lastIndex = at;
  const unicode = unicodeEscape.exec(text);
  if (unicode !== null) {
    const code = Number.parseInt(unicode[1] as string, 16);
    if (code <= 0x10ffff && code !== 0 && (code < 0xd800 || code > 0xdfff))
      return { text: String.fromCodePoint(code), end: unicodeEscape.lastIndex };
  }
  jsonEscape.lastIndex = at;
  const json = jsonEscape.exec(text);
  const end = at + (unicode?.[0].length ?? json?.[0].length ?? 2);
  const written = text.slice(at, end);
  const where = span(context, start + at, start + end);
  const mended = json === null ? `\\${written}` : `\\u{${json[1]}}`;
  // In other languages `\\e` and `\\0` are characters, and `\\'` is a quote; `\\d` and `\\.` can only be meant for a regular expression.
  const isSure = (json !== null && !/^d[89a-f]/i.test(json[1] as string)) || /^\\[dDwWsS.+*?()|^[\]]$/.test(written);
  report(context, badEscape(where, { written, fix: fixAt(where, mended, isSure) }));
  return { text: written, end };
}
