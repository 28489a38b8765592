/** Whether two programs say the same: their trees without places and without the spellings that have no meaning. */
import type { Program } from '../syntax/ast.js';

const spelling: ReadonlySet<string> = new Set([
  ...['span', 'operatorSpan', 'lines', 'raw', 'verb', 'style', 'afterDo', 'inline', 'position'],
]);

export function sameProgram(a: Program, b: Program): boolean {
  if (a.comments.length !== b.comments.length) return false;
  return same(a.items, b.items) && a.comments.every((comment, i) => comment.text === b.comments[i]?.text);
}

function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => same(item, b[i]));
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const key of keys) {
    if (spelling.has(key)) continue;
    if (!same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key])) return false;
  }
  return true;
}
