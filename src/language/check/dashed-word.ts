/** A word with dashes, such as `dry-run`, which subtracts as an expression and is meant as one name or text. */
import type { SourceSet, Span } from '../source/diagnostic.js';

const DASHED = /[\p{L}\p{N}_.-]/u;
const DASHED_REST = /[\p{L}\p{N}_.-]*/uy;

/** The word with dashes around a name; undefined: there are none. */
export function dashedWord({ file, start, end }: Span, sources: SourceSet, isBound: (name: string) => boolean) {
  const text = sources[file]?.text ?? '';
  let from = start;
  while (DASHED.test(text[from - 1] ?? ' ')) from--;
  DASHED_REST.lastIndex = end;
  const to = end + (DASHED_REST.exec(text)?.[0].length ?? 0);
  const dashed = text.slice(from, to);
  if (!/^[\p{L}_][\p{L}\p{N}_.]*(?:-[\p{L}_][\p{L}\p{N}_.]*)+$/u.test(dashed)) return undefined;
  const compared = /[=!]=[ \t]*$/.test(text.slice(Math.max(0, from - 10), from));
  return { at: { start: from, end: to }, facts: { dashed, bound: isBound(dashed.replace(/[-.]/g, '_')), compared } };
}
