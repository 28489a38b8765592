/**
 * The source text of a tree, for facts that the tree does not contain: notes in parentheses, brackets around a single
 * operand, optional colons, and the author's line breaks.
 */
import type { Span } from '../source/diagnostic.js';

export interface SourceText {
  readonly text: string;
  /**
   * The text between the parts of a line that continues after a `\`: a line end and an indentation. Set for each
   * printed line.
   */
  continuation: string;
}

export function slice(source: SourceText, span: Span): string {
  return source.text.slice(span.start, span.end);
}

/** A space, or a line break if the author wrote one here. */
export function gap(source: SourceText, from: number, to: number): string {
  return source.text.slice(from, to).includes('\n') ? ` \\${source.continuation}` : ' ';
}

/** Offset of the first character of the line that `at` is in. */
export function lineStart(source: SourceText, at: number): number {
  return at === 0 ? 0 : source.text.lastIndexOf('\n', at - 1) + 1;
}

/** Offset of the end of the line that `at` is in. */
export function lineEnd(source: SourceText, at: number): number {
  const end = source.text.indexOf('\n', at);
  return end < 0 ? source.text.length : end;
}

/** How many spaces are at the beginning of the line of `at`. */
export function indentationAt(source: SourceText, at: number): number {
  const start = lineStart(source, at);
  let end = start;
  while (source.text[end] === ' ' || source.text[end] === '\t') end++;
  return end - start;
}

/** Whether the line above the one of `at` is blank. */
export function blankAbove(source: SourceText, at: number): boolean {
  const end = lineStart(source, at) - 1;
  if (end <= 0) return false;
  return source.text.slice(lineStart(source, end), end).trim() === '';
}

/** Whether the line of `at` begins with the dash of a bullet. */
export function hasBullet(source: SourceText, at: number): boolean {
  return /^[ \t]*-[ \t]+$/.test(source.text.slice(lineStart(source, at), at));
}

/** Whether a colon follows at `at`, after spaces and options in brackets. */
export function colonFollows(source: SourceText, at: number): boolean {
  let end = skipBlanks(source, at);
  if (source.text[end] === '[') end = skipBlanks(source, closingBracket(source.text, end) + 1);
  return source.text[end] === ':';
}

function skipBlanks(source: SourceText, at: number): number {
  let end = at;
  while (source.text[end] === ' ' || source.text[end] === '\t') end++;
  return end;
}

/** The offset of the bracket that closes the one at `at`, ignoring brackets in quotes; `at` itself if there is none. */
function closingBracket(text: string, at: number): number {
  let quoted = false;
  for (let i = at + 1; i < text.length && text[i] !== '\n'; i++) {
    if (text[i] === '"') quoted = !quoted;
    else if (text[i] === ']' && !quoted) return i;
  }
  return at;
}

export interface Note {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The notes in `(…)`, with `brackets` also in `[…]`. The range must contain only notes, words and signs. */
export function notesBetween(source: SourceText, from: number, to: number, brackets = false): Note[] {
  const notes: Note[] = [];
  for (let at = from; at < to; at++) {
    const open = source.text[at];
    const close = open === '(' ? ')' : open === '[' && brackets ? ']' : undefined;
    if (close === undefined) continue;
    const end = balancedEnd(source.text, at, to, open as string, close);
    notes.push({ text: tidy(source.text.slice(at, end)), start: at, end });
    at = end - 1;
  }
  return notes;
}

/** A note without superfluous spaces. Spaces inside quotes are kept, because they may matter. */
function tidy(note: string): string {
  if (/["']/.test(note)) return note;
  return `${note[0]}${note
    .slice(1, -1)
    .trim()
    .replace(/[ \t]+/g, ' ')}${note.slice(-1)}`;
}

/** Only brackets count in a note. It is prose, so apostrophes are not quotes. */
function balancedEnd(text: string, at: number, limit: number, open: string, close: string): number {
  let depth = 0;
  for (let i = at; i < limit; i++) {
    if (text[i] === open) depth++;
    else if (text[i] === close && --depth === 0) return i + 1;
  }
  return limit;
}
