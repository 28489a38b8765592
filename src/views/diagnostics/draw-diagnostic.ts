/**
 * Draws a diagnostic: the problem, its location, its cause, and the next step. All locations in one file share one
 * picture, so that the reader sees cause and effect together; a gap between them is a `⋮`.
 */
import type { Diagnostic, Severity } from '../../language/source/diagnostic.js';
import { lineText, positionAt, type SourceFile, type SourceSet, type Span } from '../../language/source/diagnostic.js';
import { columns } from '../drawing/columns.js';
import { type Paint, plain } from '../drawing/paint.js';
import { escapeControls, pictureControls, visibleLine } from '../drawing/visible-text.js';

/** A location in the picture before its columns are known. */
interface MarkedSpan {
  readonly span: Span;
  readonly text: string;
  readonly primary: boolean;
}

/** One line of a picture with the locations on it. */
interface DrawnRow {
  readonly line: number;
  readonly spans: readonly MarkedSpan[];
}

/** The picture of one diagnostic, without a final line end. */
export function drawDiagnostic(diagnostic: Diagnostic, sources: SourceSet, paint: Paint = plain): string {
  const spans: MarkedSpan[] = [
    { span: diagnostic.span, text: diagnostic.label ?? '', primary: true },
    ...(diagnostic.labels ?? []).map((label) => ({ ...label, primary: false })),
  ].filter(({ span }) => sources[span.file] !== undefined);
  const files = [...new Set(spans.map(({ span }) => span.file))];
  const rowsOf = new Map(files.map((file) => [file, rowsIn(sources[file] as SourceFile, file, spans)]));
  const last = Math.max(0, ...[...rowsOf.values()].flat().map(({ line }) => line));
  const width = String(last).length;
  const out = [heading(diagnostic, paint)];
  const tinted = diagnostic.severity === 'error' ? paint : { ...paint, error: paint.warning };
  for (const file of files) {
    const source = sources[file] as SourceFile;
    out.push(...drawFile(source, rowsOf.get(file) as DrawnRow[], { width, first: file === files[0], paint: tinted }));
  }
  const pad = ' '.repeat(files.length === 0 ? 2 : width + 1);
  for (const note of diagnostic.notes ?? []) out.push(footer(pad, 'note', note, paint));
  if (diagnostic.help !== undefined) out.push(footer(pad, 'help', diagnostic.help, paint));
  return out.join('\n');
}

/** All pictures in the given order, separated by blank lines, with a final count; empty if there are none. */
export function drawDiagnostics(list: readonly Diagnostic[], sources: SourceSet, paint: Paint = plain): string {
  if (list.length === 0) return '';
  const pictures = list.map((diagnostic) => drawDiagnostic(diagnostic, sources, paint));
  return `${pictures.join('\n\n')}\n\n${countOf(list)}\n`;
}

/** `2 errors, 1 warning`. */
function countOf(list: readonly Diagnostic[]): string {
  const countText = (severity: Severity): string | null => {
    const count = list.filter((diagnostic) => diagnostic.severity === severity).length;
    return count === 0 ? null : `${count} ${severity}${count === 1 ? '' : 's'}`;
  };
  const parts = [countText('error'), countText('warning'), countText('note')].filter((part) => part !== null);
  return parts.length === 0 ? 'no errors' : parts.join(', ');
}

function heading(diagnostic: Diagnostic, paint: Paint): string {
  const tint = diagnostic.severity === 'error' ? paint.error : paint.warning;
  const kind = tint(`${diagnostic.severity}[${diagnostic.code}]`);
  return `${kind}${paint.strong(`: ${visibleLine(diagnostic.message)}`)}`;
}

/** A note or help, with its further lines below the first. */
function footer(pad: string, kind: 'note' | 'help', text: string, paint: Paint): string {
  const lines = text.split('\n').map(escapeControls);
  const indent = `\n${pad}${' '.repeat(kind.length + 4)}`;
  return `${pad}${paint.frame('=')} ${paint.strong(`${kind}:`)} ${lines.join(indent)}`;
}

function rowsIn(source: SourceFile, file: number, spans: readonly MarkedSpan[]): DrawnRow[] {
  const byLine = new Map<number, MarkedSpan[]>();
  for (const span of spans) {
    if (span.span.file !== file) continue;
    const { line } = positionAt(source, span.span.start);
    byLine.set(line, [...(byLine.get(line) ?? []), span]);
  }
  return [...byLine].map(([line, list]) => ({ line, spans: list })).sort((a, b) => a.line - b.line);
}

function drawFile(
  source: SourceFile,
  rows: readonly DrawnRow[],
  { width, first, paint }: { width: number; first: boolean; paint: Paint },
): string[] {
  const pad = ' '.repeat(width + 1);
  const bar = paint.frame('|');
  const all = rows.flatMap((row) => row.spans);
  const span = all.find((one) => one.primary) ?? (all[0] as MarkedSpan);
  const { line, column } = positionAt(source, span.span.start);
  const name = visibleLine(source.name);
  const out = [`${pad}${paint.frame(first ? '-->' : ':::')} ${name}:${line}:${column}`, `${pad}${bar}`];
  let previous: number | null = null;
  for (const row of rows) {
    if (previous !== null && row.line === previous + 2) out.push(...drawRow(source, previous + 1, [], width, paint));
    else if (previous !== null && row.line > previous + 1) out.push(`${pad}${paint.frame('⋮')}`);
    out.push(...drawRow(source, row.line, row.spans, width, paint));
    previous = row.line;
  }
  return out;
}

/** A source line and, under it, its carets and labels. */
function drawRow(
  source: SourceFile,
  line: number,
  spans: readonly MarkedSpan[],
  width: number,
  paint: Paint,
): string[] {
  const text = lineText(source, line);
  const start = source.lineStarts[line - 1] as number;
  const focus = spans.find((span) => span.primary) ?? spans[0];
  const shown = excerpt(text, focus === undefined ? 0 : focus.span.start - start);
  const number = paint.frame(`${String(line).padStart(width)} |`);
  const marks = spans.map((span): Mark => {
    const from = shown.columnOf(span.span.start - start);
    // A span over several lines is marked only on its first line.
    const to = shown.columnOf(Math.min(span.span.end - start, text.length));
    const label = visibleLine(span.text);
    return { from, to: Math.max(to, from + 1), text: label, primary: span.primary };
  });
  const gutter = `${' '.repeat(width + 1)}${paint.frame('|')}`;
  return [`${number} ${shown.text}`.trimEnd(), ...markRows(marks, paint).map((row) => `${gutter} ${row}`)];
}

/** The longest drawn piece of a line, and how much of it comes before the focus. */
const WINDOW = 140;
const BEFORE = 50;

interface Excerpt {
  readonly text: string;
  /** Zero-based display column of an offset in the line; offsets outside the window give its nearest edge. */
  readonly columnOf: (offset: number) => number;
}

/** `focus` is the offset in the line that must be visible. */
function excerpt(line: string, focus: number): Excerpt {
  const [from, to] = line.length <= WINDOW ? [0, line.length] : windowAround(line, focus);
  const before = from > 0 ? '…' : '';
  const after = to < line.length ? '…' : '';
  return {
    text: before + display(line.slice(from, to)) + after,
    columnOf: (offset) => before.length + columns(display(line.slice(from, Math.max(from, Math.min(offset, to))))),
  };
}

function windowAround(line: string, focus: number): [number, number] {
  let from = Math.max(0, Math.min(focus - BEFORE, line.length - WINDOW));
  let to = Math.min(line.length, from + WINDOW);
  // A window never begins or ends inside a surrogate pair.
  if (isLowSurrogate(line.charCodeAt(from))) from += 1;
  if (to < line.length && isLowSurrogate(line.charCodeAt(to))) to -= 1;
  return [from, to];
}

function display(text: string): string {
  return pictureControls(text).replaceAll('\t', '    ');
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Half-open range of display columns. */
interface Mark {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly primary: boolean;
}

function markRows(marks: readonly Mark[], paint: Paint): string[] {
  const rows: string[] = [];
  let left = [...marks].sort((a, b) => Number(b.primary) - Number(a.primary) || a.from - b.from);
  while (left.length > 0) {
    // Overlapping marks cannot share a row: the primary one goes first, the covered ones go on rows below.
    const layer: Mark[] = [];
    const rest: Mark[] = [];
    for (const mark of left) {
      const free = layer.every((other) => mark.to <= other.from || mark.from >= other.to);
      (free ? layer : rest).push(mark);
    }
    rows.push(
      ...layerRows(
        [...layer].sort((a, b) => a.from - b.from),
        paint,
      ),
    );
    left = rest;
  }
  return rows;
}

function layerRows(layer: readonly Mark[], paint: Paint): string[] {
  const last = layer[layer.length - 1] as Mark;
  const line = new RowText();
  for (const mark of layer)
    line.put(mark.from, (mark.primary ? '^' : '-').repeat(mark.to - mark.from), tint(mark, paint));
  if (last.text !== '') line.put(last.to + 1, last.text, tint(last, paint));
  const rows = [line.toString()];
  const open = layer.slice(0, -1).filter((mark) => mark.text !== '');
  if (open.length > 0) rows.push(bars(open, paint).toString());
  for (let mark = open.pop(); mark !== undefined; mark = open.pop()) {
    const row = bars(open, paint);
    row.put(mark.from, mark.text, tint(mark, paint));
    rows.push(row.toString());
  }
  return rows;
}

function bars(marks: readonly Mark[], paint: Paint): RowText {
  const row = new RowText();
  for (const mark of marks) row.put(mark.from, '|', tint(mark, paint));
  return row;
}

function tint(mark: Mark, paint: Paint): (text: string) => string {
  return mark.primary ? paint.error : paint.frame;
}

/**
 * A row that is written from left to right. It counts its own columns, because escape sequences of colors take none.
 */
class RowText {
  #text = '';
  #column = 0;

  put(column: number, text: string, color: (text: string) => string): void {
    const gap = Math.max(0, column - this.#column);
    this.#text += ' '.repeat(gap) + color(text);
    this.#column += gap + text.length;
  }

  toString(): string {
    return this.#text;
  }
}
