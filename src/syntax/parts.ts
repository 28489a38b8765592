/**
 * A text in parts that are read one by one: a line at the margin with everything below that belongs to it. No part
 * depends on another, so an edit changes one, and what the others were read as can be kept. Small parts are also
 * the faster way to read a long text: tokens and concrete tree of one are garbage before the next begins.
 */
import { readVerb } from './tokens/verbs.js';

/** The texts of the parts, in order; together they are `text`. Where one ends depends on nothing but the lines around. */
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
 * What may be at the margin and still belong to the block above: spaces that only look like none, comments, a
 * line that begins with its own continuation. `ELSE` belongs to its `IF`.
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

/** Does the line that ends at `end` continue below? */
function continuesBelow(text: string, end: number): boolean {
  let at = end - 1;
  while (text[at] === '\r' || text[at] === ' ' || text[at] === '\t') at--;
  return text[at] === '\\';
}
