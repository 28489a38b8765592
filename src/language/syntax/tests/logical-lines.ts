/**
 * The lines of a test file. A line continues after a final backslash, and on deeper lines while a bracket is open. What is
 * left out (comments, backslashes, line ends) becomes spaces, so that offsets in a line are offsets in the file.
 */

export interface LogicalLine {
  /** Without indentation, comment and spaces at its end. */
  readonly text: string;
  /** The offset of its first character in the file. */
  readonly start: number;
  readonly indent: number;
}

/** A bracket that is never closed must not take the rest of the file. */
const MOST_LINES = 1000;
/** Lines of prose, in which quotes and brackets have no meaning. */
const PROSE = /^(?:TEST|SKIP|PROPERTY)\b/;

export function logicalLines(text: string): LogicalLine[] {
  const lines: LogicalLine[] = [];
  for (let at = 0; at < text.length; ) {
    let end = endOfLine(text, at);
    const indent = indentOf(text, at);
    const start = at + indent;
    const isProse = PROSE.test(text.slice(start, start + 9));
    let whole = withoutComment(text.slice(start, end), isProse);
    for (let count = 1; count < MOST_LINES && end < text.length && !isProse; count++) {
      if (!continues(whole, text, end + 1, indent)) break;
      const next = endOfLine(text, end + 1);
      const joined = `${whole.replace(/\\$/, ' ').padEnd(end + 1 - start)}${text.slice(end + 1, next)}`;
      whole = withoutComment(joined, false);
      end = next;
    }
    if (whole !== '') lines.push({ text: whole, start, indent });
    at = end + 1;
  }
  return lines;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function indentOf(text: string, at: number): number {
  return /^[ \t]*/.exec(text.slice(at, at + 1000))?.[0].length ?? 0;
}

function continues(line: string, text: string, next: number, indent: number): boolean {
  if (line.endsWith('\\')) return true;
  if (depthOf(line) <= 0) return false;
  const following = indentOf(text, next);
  return following > indent || (following === indent && /[\])}]/.test(text[next + following] ?? ''));
}

function depthOf(line: string): number {
  let depth = 0;
  for (const { character } of outsideQuotes(line)) {
    if ('[({'.includes(character)) depth++;
    else if ('])}'.includes(character)) depth--;
  }
  return depth;
}

/** A comment begins a line, or follows two spaces. */
function withoutComment(line: string, isProse: boolean): string {
  if (line.startsWith('#')) return '';
  if (isProse) return line.replace(/\s{2,}#.*$/, '').trimEnd();
  for (const { character, at } of outsideQuotes(line))
    if (character === '#' && /\s\s$/.test(line.slice(0, at))) return line.slice(0, at).trimEnd();
  return line.trimEnd();
}

/** The characters of a text that are in no quotes, with their offsets. */
export function* outsideQuotes(text: string): Generator<{ readonly character: string; readonly at: number }> {
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (character === '"' || character === "'") at = endOfQuote(text, at);
    else yield { character, at };
  }
}

/** The offset of the quote that closes the one at `at`; the end of the text if none does. */
export function endOfQuote(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === '\\') end++;
    else if (text[end] === text[at]) return end;
  }
  return text.length;
}
