/**
 * Finds steps that have lost their indentation, for example because the text was copied from a web page. YAML only
 * reports something unexpected. The message says which line has to be indented, and nothing is guessed.
 */
import { lineText, positionAt, type SourceFile } from '../../../source/source-file.js';

interface LostIndentation {
  /** The line that needs more indentation. */
  readonly start: number;
  readonly end: number;
  /** The line to which it belongs: `run:` or `- name: a`. */
  readonly under: string;
}

const ITEM = /^([ ]*)- \S/;
const KEY = /^([ ]*)(?:- )?([A-Za-z_]+):(?:[ ]+\S.*)?$/;
const OPENER = /^([ ]*)(?:- )?(get|run|with|guard|each|steps|prompt): ?(?:[|>][+-]?)?$/;

/** Examines the lines around the offset of a YAML error, and returns the first line that has lost its indentation. */
export function lostIndentation(file: SourceFile, offset: number): LostIndentation | null {
  const { line: last } = positionAt(file, offset);
  const first = Math.max(2, last - 40);
  for (let line = first; line <= Math.min(last + 1, file.lineStarts.length); line++) {
    const above = lineText(file, line - 1).trimEnd();
    const here = lineText(file, line).trimEnd();
    if (here.trim() === '' || !hasLostIndentation(above, here)) continue;
    const start = file.lineStarts[line - 1] as number;
    return { start, end: start + Math.max(1, here.length), under: above.trim() };
  }
  return null;
}

function hasLostIndentation(above: string, here: string): boolean {
  const indentation = /^ */.exec(here)?.[0].length ?? 0;
  const item = ITEM.exec(above);
  // A key directly below an item, in the column of its dash: it belongs to the item.
  if (item !== null && KEY.test(above) && KEY.test(here) && !ITEM.test(here))
    return indentation === (item[1] as string).length;
  const opener = OPENER.exec(above);
  if (opener === null) return false;
  const column = (opener[1] as string).length;
  // The lines below `run:` must be deeper. A list may be in the same column, and so may the next key after an empty
  // value.
  return indentation === column && !ITEM.test(here) && opener[2] !== 'each' && opener[2] !== 'steps';
}
