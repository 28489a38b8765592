/**
 * One source line as it is drawn: tabs as spaces, control characters visible, and only a window of a very long line.
 * The rest works on the window, so a line of a megabyte costs no more than a short one.
 */
import { columns } from '../drawing/columns.js';
import { pictureControls } from '../drawing/visible-text.js';

/** The longest drawn piece of a line, and how much of it comes before the focus. */
const WINDOW = 140;
const BEFORE = 50;

interface Excerpt {
  readonly text: string;
  /** Zero-based display column of an offset in the line; offsets outside the window give its nearest edge. */
  readonly columnOf: (offset: number) => number;
}

/** `focus` is the offset in the line that must be visible. */
export function excerpt(line: string, focus: number): Excerpt {
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
