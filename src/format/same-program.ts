/**
 * Decides whether two texts are the same program. Compares their trees without source locations and without spellings
 * that have no meaning, and their words, because a tree does not contain notes in parentheses.
 */
import type { Program } from '../syntax/ast.js';

const spelling: ReadonlySet<string> = new Set([
  ...['span', 'operatorSpan', 'lines', 'raw', 'verb', 'style', 'afterDo', 'inline', 'position'],
]);

export function sameProgram(a: Program, b: Program): boolean {
  if (a.comments.length !== b.comments.length) return false;
  return isSame(a.items, b.items) && a.comments.every((comment, i) => comment.text === b.comments[i]?.text);
}

/** Whether two parts of trees are the same apart from locations and spellings. */
export function samePlain(a: unknown, b: unknown): boolean {
  return isSame(a, b);
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => isSame(item, b[i]));
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const key of keys) {
    if (spelling.has(key)) continue;
    if (!isSame((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key])) return false;
  }
  return true;
}

/** Whether two texts have the same words, in any order. */
export function sameWords(a: string, b: string): boolean {
  const words = a.match(word) ?? [];
  const others = b.match(word) ?? [];
  if (words.length !== others.length) return false;
  const counts = new Map<string, number>();
  for (const one of words) counts.set(one, (counts.get(one) ?? 0) + 1);
  for (const one of others) {
    const count = counts.get(one) ?? 0;
    if (count === 0) return false;
    counts.set(one, count - 1);
  }
  return true;
}

const word = /[\p{L}\p{N}_]+/gu;
