/**
 * Finds the ends of quoted text and of `{expr}` without building anything. The lexer and the readers of text both use
 * this file, so they agree. Every search is bounded, so that hostile text takes linear time.
 */

import { stepKeyEnd } from '../expression-nodes.js';

/** The maximum length of an interpolation. The limit keeps scanning linear. */
const longestInterpolation = 4096;
const deepestInterpolation = 50;

const simplePath = /\{[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\]|\?)*\*?(?::[A-Za-z_]\w*)?\}/y;
const complexStart = /\{(?:†[\p{L}_]|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\]|\?)*[([])/uy;

/** The offset after the `}` of the interpolation-like text that opens at `at`, or -1. */
export function interpolationEnd(text: string, at: number): number {
  simplePath.lastIndex = at;
  if (simplePath.test(text)) return simplePath.lastIndex;
  complexStart.lastIndex = at;
  if (!complexStart.test(text)) return stepKeyEnd(text, at);
  const end = balancedEnd(text, at);
  return text[end - 1] === '}' ? end : -1;
}

const COMPUTED_START = /\{[ \t]*(?:NOT\b|[A-Za-z_(])/y;
/** An operator, outside of quotes, and no colon: that would be an object. */
const COMPUTED = /^(?:[^"':]|"[^"]*"|'[^']*')*$/;
const OPERATOR = /[-+*/%<>]|[=!]=|\b(?:AND|OR|NOT|in|is|contains|matches|exists|starts|ends)\b/;

/** The offset after the `}` of braces around an expression with operators, as `{n + 1}`, or -1. */
export function computedEnd(text: string, at: number): number {
  COMPUTED_START.lastIndex = at;
  if (!COMPUTED_START.test(text)) return -1;
  const end = balancedEnd(text, at);
  if (end < 0 || text[end - 1] !== '}') return -1;
  const inner = text.slice(at + 1, end - 1);
  return COMPUTED.test(inner) && OPERATOR.test(inner) ? end : -1;
}

/** The offset after the bracket that closes the one at `at` on the same line, or -1. Brackets in quotes are ignored. */
export function balancedEnd(text: string, at: number): number {
  const limit = Math.min(text.length, at + longestInterpolation);
  let depth = 0;
  for (let i = at; i < limit; i++) {
    const c = text[i];
    if (c === '\n') return -1;
    if (c === '"' || c === "'") {
      const end = plainQuoteEnd(text, i, limit);
      if (end < 0) return -1;
      i = end - 1;
    } else if (c === '(' || c === '[' || c === '{') {
      if (++depth > deepestInterpolation) return -1;
    } else if (c === ')' || c === ']' || c === '}') {
      if (--depth === 0) return i + 1;
    }
  }
  return -1;
}

function plainQuoteEnd(text: string, at: number, limit: number): number {
  const quote = text[at];
  for (let i = at + 1; i < limit; i++) {
    const c = text[i];
    if (c === '\n') return -1;
    if (c === '\\' && quote === '"') i++;
    else if (c === quote) return i + 1;
  }
  return -1;
}

/**
 * The offset after the closing quote of the text that opens at `at`, or -1 if its line ends first. In `"…"` a backslash
 * escapes, even a line end, and quotes inside `{call("x")}` do not close the text.
 */
export function quotedEnd(text: string, at: number): number {
  const quote = text[at];
  for (let i = at + 1; i < text.length; i++) {
    const c = text[i];
    if (c === quote) return i + 1;
    if (c === '\n') return -1;
    if (quote !== '"') continue;
    if (c === '\\') i += text[i + 1] === '\r' && text[i + 2] === '\n' ? 2 : 1;
    else if (c === '{') {
      const end = interpolationEnd(text, i);
      if (end > 0 && text.slice(i, end).includes('"')) i = end - 1;
    }
  }
  return -1;
}

/** Whether a text is one in quotes, and nothing else. */
export function isQuoted(text: string): boolean {
  return (text[0] === '"' || text[0] === "'") && quotedEnd(text, 0) === text.length;
}

/** A dash before a letter belongs to a name, as in plans. `†state.n-1` and `†state.n - x` are subtractions. */
const segment = '[\\p{L}\\p{M}\\p{N}_$]+(?:-+[\\p{L}_$][\\p{L}\\p{M}\\p{N}_$]*)*';
const dataPath = new RegExp(
  `†(?:${segment}(?:\\.(?:${segment})?|\\[\\d+\\]|\\["(?:[^"\\\\\\r\\n]|\\\\.)*"\\])*)?`,
  'uy',
);

/** The offset after the reference that begins at `at`, or -1. Mistakes in it are reported when it is parsed. */
export function dataReferenceEnd(text: string, at: number): number {
  if (text[at] !== '†') return -1;
  dataPath.lastIndex = at;
  return dataPath.test(text) ? dataPath.lastIndex : -1;
}
