/**
 * Splits a text into parts that are parsed one by one: a line at the margin with everything below that belongs to it.
 * No part depends on another, so an edit changes only one, and the others can be reused. Small parts also make parsing
 * a long text faster, because the tokens and the concrete tree of one part are freed before the next begins.
 */
import { readVerb } from './tokens/verbs.js';

/** The texts of the parts, in order; together they are `text`. The end of a part depends only on the adjacent lines. */
export function parts(text: string): string[] {
  const found: string[] = [];
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) {
    if (!beginsPart(text, end + 1) || continuesBelow(text, end)) continue;
    found.push(text.slice(start, end + 1));
    start = end + 1;
  }
  found.push(start === 0 ? text : text.slice(start));
  return found;
}

/**
 * Lines at the margin that still belong to the block above: lines with unusual spaces, comments, a line that begins
 * with a continuation, and `ELSE`, which belongs to its `IF`.
 */
function beginsPart(text: string, at: number): boolean {
  const c = text[at];
  if (c === undefined || ' \t\r\n\uFEFF#\\'.includes(c)) return false;
  bullet.lastIndex = at;
  const verbAt = bullet.test(text) ? bullet.lastIndex : at;
  const verb = readVerb(text, verbAt, false)?.verb;
  return verb !== 'ELSE' && verb !== 'ELSE IF';
}

const bullet = /-[ \t]+/y;

/** Whether the line that ends at `end` continues below. */
function continuesBelow(text: string, end: number): boolean {
  let at = end - 1;
  while (text[at] === '\r' || text[at] === ' ' || text[at] === '\t') at--;
  return text[at] === '\\';
}
