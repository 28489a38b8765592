/** One message for a text of several lines as other languages write it, instead of one for each of its lines. */
import { heredocPrompt, textBelow, tripleQuotes } from '../../source/catalogue/syntax.js';
import type { Diagnostic, SourceSet, Span } from '../../source/diagnostic.js';

/** What is said of lines that are meant as text, and of the one in which they begin. No line of a prompt or a script has the first. */
const OF_LINES = /^(?:test-line|not-an-instruction|unexpected-indentation|unknown-verb)$/;
const OF_BEGINNING = /^(?:unexpected-text|unclosed-quote|missing-part)$/;
const OPENED =
  /^([ \t]*(?:-[ \t]+)?(?:[A-Z]+(?: [A-Z]+)?\b|[A-Za-z_]\w*[ \t]*=)(?:[^"'\n]|"[^"\n]+"|'[^'\n]+')*?)("{3}|'{3})(.*)$/;
const HEREDOC =
  /^([ \t]*(?:-[ \t]+)?(?:(?:DO|CHECK)\b.*?Task\([^()\n]*\).*?|PROMPT)):?[ \t]*(<<-?[ \t]*(["']?)(\w+)\3)[ \t]*$/;
const EMPTY = /^([ \t]*)(ASK[ \t]+[\w-]+|RETURN|FAIL|TITLE):?[ \t]*[|>]?[ \t]*$/;
const SCRIPT = /^[ \t]*(?:DO|CHECK)\b[^=]*:[ \t]*$/;
const LONGEST_LINE = 120;
/** A longer line begins no such text: the patterns look at each of its characters more than once. */
const LONGEST_BEGINNING = 500;

interface QuotedLines {
  /** Offsets: of the line in which they begin, where it ends, and where the line ends in which they end. */
  readonly from: number;
  readonly end: number;
  readonly to: number;
  /** What is bound behind the text, as in `ASK user: "…" → ok`. */
  readonly bound: string | undefined;
  readonly say: (file: number) => Diagnostic;
}

/** Leaves out what is said of the lines of such texts. `list` is sorted by location. */
export function withoutQuotedLines(list: readonly Diagnostic[], sources: SourceSet): readonly Diagnostic[] {
  const mayFollow = ({ code }: Diagnostic): boolean => OF_LINES.test(code) || OF_BEGINNING.test(code);
  const files = new Set(list.filter(mayFollow).map(({ span }) => span.file));
  const texts = new Map([...files].map((file) => [file, quotedLinesOf(sources[file]?.text ?? '')]));
  const around = ({ span }: Diagnostic): QuotedLines | undefined => lastFrom(texts.get(span.file) ?? [], span.start);
  const misread = new Map<QuotedLines, number>();
  for (const one of list) {
    const quoted = mayFollow(one) ? around(one) : undefined;
    if (quoted !== undefined && (OF_LINES.test(one.code) || one.span.start < quoted.end))
      misread.set(quoted, one.span.file);
  }
  if (misread.size === 0) return list;
  const bound = new Set([...misread.keys()].flatMap((one) => one.bound ?? []));
  const kept = list.filter((one) => {
    const quoted = around(one);
    if (quoted !== undefined && misread.has(quoted)) return one.code === 'triple-quotes';
    return !one.code.startsWith('unknown-name') || !bound.has(/`([^`]*)`/.exec(one.message)?.[1] ?? '');
  });
  for (const one of kept) misread.delete(around(one) as QuotedLines);
  const said = [...misread].map(([{ say }, file]) => say(file));
  return [...kept, ...said].sort((a, b) => a.span.file - b.span.file || a.span.start - b.span.start);
}

/** The text that contains an offset. `texts` are sorted. */
function lastFrom(texts: readonly QuotedLines[], offset: number): QuotedLines | undefined {
  let [low, high] = [0, texts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((texts[middle] as QuotedLines).from <= offset) low = middle + 1;
    else high = middle;
  }
  const found = texts[low - 1];
  return found !== undefined && offset < found.to ? found : undefined;
}

function quotedLinesOf(text: string): QuotedLines[] {
  const found: QuotedLines[] = [];
  /** Words with which no further line ends a here-document. */
  const unclosed = new Set<string>();
  for (let from = 0; from < text.length; ) {
    const end = endOfLine(text, from);
    if (end - from > LONGEST_BEGINNING) {
      from = end + 1;
      continue;
    }
    const [, head = '', quotes = '', first = ''] = OPENED.exec(text.slice(from, end)) ?? [];
    const begin = from + head.length + 3;
    const close = quotes === '' ? -1 : text.indexOf(quotes, begin);
    const other = close < 0 ? (heredocAt(text, from, end, unclosed) ?? linesBelow(text, from, end)) : null;
    if (other !== null) {
      found.push(other);
      from = other.to + 1;
    } else if (close < 0) from = end + 1;
    else {
      const to = endOfLine(text, close);
      const lines = close < end ? [first.slice(0, close - begin)] : text.slice(begin, close).split(/\r?\n/);
      const rest = text.slice(close + 3, to).trimEnd();
      const [, bound] = /^\s*(?:→|->)\s*([A-Za-z_]\w*)/.exec(rest) ?? [];
      const help = helpFor(head, lines, rest);
      const at = { start: begin - 3, end: begin };
      found.push({ from, end, to, bound, say: (file) => tripleQuotes({ file, ...at }, { block: true, help }) });
      from = to + 1;
    }
  }
  return found;
}

/** A prompt that begins as a here-document of the shell. */
function heredocAt(text: string, from: number, end: number, unclosed: Set<string>): QuotedLines | null {
  const [, head = '', opening = '', , word] = HEREDOC.exec(text.slice(from, end)) ?? [];
  if (word === undefined || unclosed.has(word)) return null;
  const close = new RegExp(`\\n[ \\t]*${word}[ \\t]*(?:\\r?\\n|$)`).exec(text.slice(end));
  if (close === null) {
    unclosed.add(word);
    return null;
  }
  const start = text.indexOf(opening, from + head.length);
  const span = (file: number): Span => ({ file, start, end: start + opening.length });
  const say = (file: number): Diagnostic => heredocPrompt(span(file), { head: `${head.trim()}:` });
  return { from, end, to: end + close.index + close[0].trimEnd().length, bound: undefined, say };
}

/** A text below its verb, as a prompt may be. */
function linesBelow(text: string, from: number, end: number): QuotedLines | null {
  const [, margin = '', verb] = EMPTY.exec(text.slice(from, end)) ?? [];
  if (verb === undefined) return null;
  const lines: string[] = [];
  let to = end;
  for (let at = end + 1; at <= text.length; at = endOfLine(text, at) + 1) {
    const line = text.slice(at, endOfLine(text, at));
    if (line.trim() !== '' && (/^[ \t]*/.exec(line) as RegExpExecArray)[0].length <= margin.length) break;
    if (line.trim() !== '') to = endOfLine(text, at);
    lines.push(line);
    if (at >= text.length) break;
  }
  const inner = lines.join('\n').trim();
  if (inner === '') return null;
  const [, words = inner, rest = '', bound] = /^(.*?)([ \t]*(?:→|->)[ \t]*([A-Za-z_]\w*).*)?$/s.exec(inner) ?? [];
  const isValue = /^(?:\[.*\]|\{\s*(?:"|\w+\s*:).*\})$/s.test(inner);
  const value = `write it on one line: \`${verb}: ${inner.replace(/\s*\n\s*/g, ' ')}\``;
  const help = isValue ? value : helpFor(`${verb}:`, words.replace(/^(["'])(.*)\1$/s, '$2').split('\n'), rest);
  const start = from + margin.length;
  return { from, end, to, bound, say: (file) => textBelow({ file, start, end: start + verb.length }, { verb, help }) };
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at < 0 ? text.length : at;
}

function helpFor(head: string, lines: readonly string[], rest: string): string {
  if (SCRIPT.test(head)) return `write \`${head.trim()}\` alone, and its lines below without quotes, indented deeper`;
  const inner = lines
    .map((line) => line.trim())
    .join('\n')
    .trim();
  const line = `${head.trim()} "${inner.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"${rest}`.replace(
    /= "/,
    '="',
  );
  const written = /\w=$/.test(head) ? line : line.replace(/="/, '= "');
  return written.length <= LONGEST_LINE && inner !== ''
    ? `write it on one line: \`${written}\``
    : 'write it on one line in one quote on each side, with `\\n` where a new line begins';
}
