/**
 * A source file and its locations. All positions are offsets in UTF-16 code units. Lines and columns are only for
 * people, and are computed here from one table per file.
 */

/** Offsets into a source text, in UTF-16 code units; `end` is after the last one. */
export interface Span {
  /** The index in `sources`; -1 if there is no location, for example for the checkout. */
  readonly file: number;
  readonly start: number;
  readonly end: number;
}

/** A one-based line and column, as editors count them. The column counts code units. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/** One text and its line table. */
export interface SourceFile {
  /** The name in messages: the path as the user wrote it, or `<stdin>`. */
  readonly name: string;
  /** The text without a byte order mark. CRLF is kept, so offsets match what an editor shows. */
  readonly text: string;
  /** The offset of the first character of every line. */
  readonly lineStarts: readonly number[];
}

/** All files of one compilation: the program, then its imports in the order of reading. */
export type SourceSet = SourceFile[];

export function sourceFile(name: string, text: string): SourceFile {
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return { name, text, lineStarts };
}

/** The position of an offset, found by binary search. An offset after the end gives the end. */
export function positionAt(file: SourceFile, offset: number): Position {
  const bounded = Math.max(0, Math.min(offset, file.text.length));
  let low = 0;
  let high = file.lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((file.lineStarts[middle] as number) <= bounded) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: bounded - (file.lineStarts[low] as number) + 1 };
}

/** The text of a one-based line, without its line end. */
export function lineText(file: SourceFile, line: number): string {
  const start = file.lineStarts[line - 1];
  if (start === undefined) return '';
  const next = file.lineStarts[line];
  const end = next === undefined ? file.text.length : next - 1;
  const text = file.text.slice(start, end);
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}
