/**
 * Turns repairs into edits. The catalogue has only words and facts, so it describes a repair without the text. This
 * file has the text and creates the edit, unless the text is not as expected.
 */
import type { Correction, Diagnostic, Edit, Repair } from './diagnostic.js';
import { positionAt, type SourceFile, type SourceSet, type Span } from './diagnostic.js';

/** The diagnostics for the outside: with fixes instead of corrections and repairs, and without facts. */
export function withFixes(diagnostics: readonly Diagnostic[], sources: SourceSet): Diagnostic[] {
  return diagnostics.map(({ correction, repair, otherRepairs = [], origin: _, ...diagnostic }) => {
    const { span, severity, help } = diagnostic;
    const source = sources[span.file];
    const editsFor = (one: Repair): readonly Correction[] => {
      const edit = source === undefined ? null : editOf(one, span, source);
      return edit === null ? [] : [one.guess === true ? { ...edit, guess: true } : edit];
    };
    const first = correction === undefined ? (repair === undefined ? [] : editsFor(repair)) : [correction];
    if (first.length === 0) return diagnostic;
    const all = [...first, ...otherRepairs.flatMap(editsFor)];
    // The help names all ways, so it is the title of the only one.
    const title = all.length === 1 && help !== undefined && help.length <= LONGEST_TITLE ? help : undefined;
    return {
      ...diagnostic,
      fixes: all.map(({ also = [], guess, ...edit }) => ({
        title: (title ?? titleOf(edit.text)).replaceAll('`', ''),
        edits: [{ span: edit.span, text: edit.text }, ...also],
        // A program that can run may be meant as it is.
        preferred: guess !== true && severity === 'error',
      })),
    };
  });
}

const LONGEST_TITLE = 100;

function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] as string;
  return line === '' ? 'remove it' : `write ${line.length > 60 ? `${line.slice(0, 59)}…` : line}`;
}

/** The diagnostic with fixes that are only offered. */
export function withoutPreference(diagnostic: Diagnostic): Diagnostic {
  const { fixes } = diagnostic;
  return fixes === undefined
    ? diagnostic
    : { ...diagnostic, fixes: fixes.map((fix) => ({ ...fix, preferred: false })) };
}

function editOf(repair: Repair, span: Span, source: SourceFile): Correction | null {
  const at = (start: number, end: number, text: string): Edit => ({ span: { file: span.file, start, end }, text });
  const line = lineAt(source, span.start);
  const newline = newlineOf(source);
  const indent = (text: string, by: string) =>
    text
      .split('\n')
      .map((one) => by + one)
      .join(newline);
  if ('instead' in repair) return at(span.start, span.end, repair.instead);
  if ('before' in repair) return at(span.start, span.start, repair.before);
  if ('after' in repair) return at(span.end, span.end, repair.after);
  if ('around' in repair) {
    const [before, after] = repair.around;
    return at(span.start, span.end, before + source.text.slice(span.start, span.end) + after);
  }
  if ('replace' in repair) {
    const found =
      wordIn(source.text, repair.replace, span.start, span.end) ??
      wordIn(source.text, repair.replace, span.end, line.end);
    return found === null ? null : at(found, found + repair.replace.length, repair.by);
  }
  if ('remove' in repair) {
    const range = removalRange(repair.remove, span, source, line);
    return at(range.start, range.end, '');
  }
  if ('above' in repair) return at(line.start, line.start, indent(repair.above, line.indentation) + newline);
  if ('below' in repair)
    return at(
      line.end,
      line.end,
      newline + indent(repair.below, line.indentation + (repair.deeper === true ? '  ' : '')),
    );
  if ('endOfLine' in repair) return at(line.textEnd, line.textEnd, repair.endOfLine);
  if ('close' in repair) {
    const end = clauseEnd(source.text.slice(span.end, line.textEnd), repair.close);
    return end === null ? null : at(span.end + end, span.end + end, repair.close);
  }
  const top = firstLine(source.text);
  return at(top, top, indent(repair.top, '') + newline);
}

const newlines = new WeakMap<SourceFile, '\n' | '\r\n'>();

/** The line end of a file. Found once for each file, because a long program may have thousands of messages. */
function newlineOf(source: SourceFile): '\n' | '\r\n' {
  const known = newlines.get(source);
  if (known !== undefined) return known;
  const newline = source.text.includes('\r\n') ? '\r\n' : '\n';
  newlines.set(source, newline);
  return newline;
}

interface Line {
  readonly start: number;
  /** The offset before the line end. */
  readonly end: number;
  /** The same without trailing spaces. */
  readonly textEnd: number;
  readonly indentation: string;
}

function lineAt(source: SourceFile, offset: number): Line {
  const { line } = positionAt(source, offset);
  const start = source.lineStarts[line - 1] as number;
  const next = source.lineStarts[line];
  let end = next === undefined ? source.text.length : next - 1;
  if (next !== undefined && source.text[end - 1] === '\r') end--;
  const text = source.text.slice(start, end);
  return { start, end, textEnd: start + text.trimEnd().length, indentation: /^[ \t]*/.exec(text)?.[0] ?? '' };
}

/** The offset of a whole word between two offsets. */
function wordIn(text: string, word: string, from: number, to: number): number | null {
  const part = (c: string | undefined) => c !== undefined && /[\p{L}\p{N}_]/u.test(c);
  for (let at = text.indexOf(word, from); at >= 0 && at + word.length <= to; at = text.indexOf(word, at + 1)) {
    const isCut = (part(word[0]) && part(text[at - 1])) || (part(word.at(-1)) && part(text[at + word.length]));
    if (!isCut) return at;
  }
  return null;
}

function removalRange(
  what: 'span' | 'line' | 'item',
  span: Span,
  { text }: SourceFile,
  line: Line,
): Pick<Span, 'start' | 'end'> {
  if (what === 'line') {
    const next = text.indexOf('\n', line.end);
    return { start: line.start, end: next < 0 ? text.length : next + 1 };
  }
  let { start, end } = span;
  if (what === 'item') {
    // The name of an argument stands for all of it.
    end +=
      /^[ \t]*=[ \t]*(?:"(?:\\.|[^"\\])*"|\[[^\]]*\]|\{[^}]*\}|[^\s,])+/.exec(text.slice(end, line.end))?.[0].length ??
      0;
    const comma = /^[ \t]*,[ \t]*/.exec(text.slice(end, line.end))?.[0];
    const before = /[ \t]*,[ \t]*$/.exec(text.slice(line.start, start))?.[0];
    if (comma !== undefined) return { start, end: end + comma.length };
    if (before !== undefined) return { start: start - before.length, end };
  }
  // One of the adjacent spaces is removed with it.
  if (/[ \t]/.test(text.charAt(start - 1)) && /^[ \t\r\n]?$/.test(text.charAt(end))) start--;
  else if (text[end] === ' ') end++;
  return { start, end };
}

/** Null if another bracket already closes here: only the author knows which of the two is wrong. */
function clauseEnd(rest: string, close: string): number | null {
  // The colon after the options of a verb: `DO [timeout=5s: make`. One behind an arrow belongs to an action.
  const options = close === ']' ? /^(?:(?!->)[^\]"'{}():→])*(?=:(?:\s|$))/.exec(rest) : null;
  if (options !== null) return options[0].length;
  const arrow = rest.search(/[ \t]+(?:→|->)/);
  const clause = arrow < 0 ? rest : rest.slice(0, arrow);
  return /[)\]}]/.test(close) && /[)\]}]/.test(clause) ? null : clause.length;
}

function firstLine(text: string): number {
  const comments = /^(?:[ \t]*(?:#.*)?\r?\n)*/.exec(text)?.[0] ?? '';
  return comments.length;
}
