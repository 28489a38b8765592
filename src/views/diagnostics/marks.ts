/**
 * The rows under a source line: carets below the location of the problem, dashes below the locations that explain it,
 * and their labels. The rightmost label is on the same row, the others are below, connected to their location by a bar.
 */
import type { Paint } from '../drawing/paint.js';

/** Half-open range of display columns. */
export interface Mark {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly primary: boolean;
}

export function markRows(marks: readonly Mark[], paint: Paint): string[] {
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
