/**
 * Columns of a terminal: how many a text takes (two for wide characters, none for combining ones), and tables in them.
 */
import stringWidth from 'string-width';

export function columns(text: string): number {
  // Nearly all source text is ASCII, where a column is a code unit and no segmenting is needed.
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}

/** The beginning of a text that fits into the given number of columns, with a mark if the rest is missing. */
export function fitToWidth(text: string, width: number): string {
  if (columns(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const character of text) {
    used += columns(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept}…`;
}

export interface Column {
  readonly title: string;
  /** Numbers are easier to compare when they are aligned at the right. */
  readonly right?: true;
}

/** A text, and how to paint it after its width is known, because escape sequences of colors take no columns. */
export type Cell = string | { readonly text: string; readonly paint: (text: string) => string };

/** The lines of a table below its titles: columns as wide as their contents, separated by two spaces, without trailing spaces. */
export function alignedLines(
  head: readonly Column[],
  rows: readonly (readonly Cell[])[],
  paintTitle: (text: string) => string = (text) => text,
): string[] {
  const titles = head.map(({ title }) => ({ text: title, paint: paintTitle }));
  const all = [titles, ...rows];
  const widths = head.map((_, at) => Math.max(...all.map((row) => columns(textOf(row[at] ?? '')))));
  return all.map((row) => {
    const cells = head.map(({ right }, at) => {
      const cell = row[at] ?? '';
      const gap = ' '.repeat((widths[at] as number) - columns(textOf(cell)));
      return right === true ? gap + paintCell(cell) : paintCell(cell) + gap;
    });
    return cells.join('  ').trimEnd();
  });
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

function paintCell(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.paint(cell.text);
}
