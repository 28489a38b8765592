/** The token patterns of CALL and PLAN: the called tool or plan, joined references, and output paths. */
import { dataReferenceEnd } from './interpolation-scan.js';
import { commentAhead, logicalEnd, trimmedEnd } from './line-patterns.js';
import type { Matcher } from './token.js';
import { fast, letters, matchTo, none, scan, starting } from './token.js';
import { actionFollows } from './verbs.js';

export function isCall(): boolean {
  return scan.verb === 'CALL' || scan.verb === 'PLAN';
}

export const bind = fast(letters, /[A-Za-z_]\w*[ \t]*=(?!=)/);

const name = /(?:(?!->)[^\s(){}[\],=+#"'→:†])+/y;

export const toolName: Matcher = (text, at) => {
  name.lastIndex = at;
  return name.test(text) ? matchTo(at, name.lastIndex) : none;
};

/** References joined by `||` or `&&`. A single one is an ordinary operand and not a match. */
export const references: Matcher = starting('†(', (text, at) => {
  if (!isCall()) return none;
  const { end, joined } = groupEnd(text, at, 0);
  return joined ? matchTo(at, end) : none;
});

const deepestGroup = 50;
const blanks = /(?:[ \t]|\\[ \t]*\r?\n)*/y;
const operator = /\|\||&&|<\|>|\*>/y;

/** The end of a row of references, and whether it contains operators; -1 if none begins here. */
function groupEnd(text: string, at: number, depth: number): { end: number; joined: boolean } {
  let end = termEnd(text, at, depth);
  let joined = end > 0 && text[at] === '(' && hasOperator(text, at, end);
  while (end > 0) {
    const sign = matchEnd(operator, text, matchEnd(blanks, text, end));
    if (sign < 0) break;
    const next = termEnd(text, matchEnd(blanks, text, sign), depth);
    if (next < 0) return { end: -1, joined: false };
    end = next;
    joined = true;
  }
  return { end, joined };
}

function termEnd(text: string, at: number, depth: number): number {
  if (text[at] !== '(') return dataReferenceEnd(text, at);
  if (depth >= deepestGroup) return -1;
  const { end } = groupEnd(text, matchEnd(blanks, text, at + 1), depth + 1);
  if (end < 0) return -1;
  const close = matchEnd(blanks, text, end);
  return text[close] === ')' ? close + 1 : -1;
}

function hasOperator(text: string, at: number, end: number): boolean {
  return /\|\||&&|<\|>|\*>/.test(text.slice(at, end));
}

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/**
 * Text after the arrow that begins like a reference: the rest of the line, or in a list the text up to a comma before a
 * verb.
 */
export const outputPath: Matcher = starting('†(', (text, at) => {
  if (!isCall() || !'†('.includes(text[at] ?? ' ')) return none;
  const limit = logicalEnd(text, at);
  let end = at;
  while (end < limit) {
    const c = text[end];
    if (c === '"') end = quoteEnd(text, end, limit);
    else if (c === ',' && scan.inList && actionFollows(text, end + 1)) break;
    else if (c === ' ' && commentAhead(text, end)) break;
    end++;
  }
  return matchTo(at, trimmedEnd(text, at, Math.min(end, limit)));
});

/** The offset of the closing quote, or of the last character if there is none. */
function quoteEnd(text: string, at: number, limit: number): number {
  for (let i = at + 1; i < limit; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i;
  }
  return limit - 1;
}
