/** Finds the STEP, and the list of a section, to which a line belongs, by its indentation. */
import { type SectionFrame, scan } from './token.js';

const tabWidth = 2;

/** The indentation of the line that begins at `start`. */
function columnOf(text: string, start: number): number {
  let column = 0;
  for (let at = start; ; at++) {
    if (text[at] === ' ') column++;
    else if (text[at] === '\t') column += tabWidth;
    else return column;
  }
}

/** Opens a frame: lines below the line of `at` with deeper indentation belong to a `kind`. */
export function openFrame(kind: SectionFrame['kind'], text: string, at: number): void {
  const start = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
  scan.frame = { kind, column: columnOf(text, start), outer: scan.frame };
}

/** Closes the frames to which the next line after `at` does not belong. Comments do not count. */
export function closeFrames(text: string, at: number): void {
  for (let start = at; start < text.length; ) {
    const end = skipBlanks(text, start);
    if (end >= text.length) return;
    if (text[end] === '#' || text[end] === '\n') {
      start = text.indexOf('\n', end) + 1;
      if (start === 0) return;
      continue;
    }
    const column = columnOf(text, start);
    while (scan.frame !== null && scan.frame.column >= column) scan.frame = scan.frame.outer;
    return;
  }
}

function skipBlanks(text: string, at: number): number {
  let end = at;
  while (text[end] === ' ' || text[end] === '\t' || text[end] === '\r') end++;
  return end;
}
