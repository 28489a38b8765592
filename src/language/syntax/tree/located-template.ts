/** Templates of text that differs from the text of its file: prompts and values of a workflow file. */
import type { Interpolation, Template } from '../expression-nodes.js';
import { readBrace } from './interpolation.js';

/**
 * Builds a template. With `doubled`, text such as `{{"a": 1}}` that closes on its own line loses a pair of braces,
 * because the second pair only marks the first as text.
 */
export function locatedTemplate(located: LocatedText, file: number, doubled = false): Template {
  const { text } = located;
  const base = (offset: number): number => sourceOffset(located, offset);
  const dropped = doubled ? doubledBraces(text) : none;
  const parts: (string | Interpolation)[] = [];
  let plain = '';
  let at = 0;
  const flush = (): void => {
    if (plain !== '') parts.push(plain);
    plain = '';
  };
  while (at < text.length) {
    const character = text[at] as string;
    if (character === '{') {
      const brace = readBrace(text, at, file, base);
      plain += brace.before;
      if (brace.found !== undefined) {
        flush();
        parts.push(brace.found);
        plain = brace.after;
      }
      // A doubled brace that stands for a single one: removes the second.
      at = brace.end === at + 1 && dropped.has(at) ? at + 2 : brace.end;
    } else if (character === '}' && dropped.has(at)) {
      plain += '}';
      at += 2;
    } else {
      const next = nextBrace(text, at + 1);
      plain += text.slice(at, next);
      at = next;
    }
  }
  flush();
  const end = text.length === 0 ? base(0) : base(text.length - 1) + 1;
  return { parts, quote: 'none', raw: text, span: { file, start: base(0), end: Math.max(base(0), end) } };
}

const none: ReadonlySet<number> = new Set();
const braces = /[{}]/g;

function nextBrace(text: string, from: number): number {
  braces.lastIndex = from;
  return braces.exec(text)?.index ?? text.length;
}

/** The offsets of the `{{` and `}}` that form a pair on one line. */
function doubledBraces(text: string): ReadonlySet<number> {
  const found = new Set<number>();
  if (!text.includes('{{')) return found;
  const stack: number[] = [];
  const closes = new Map<number, number>();
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '\n') stack.length = 0;
    else if (character === '{') stack.push(at);
    else if (character === '}') {
      const open = stack.pop();
      if (open !== undefined) closes.set(open, at);
    }
  }
  const twins = new Set<number>();
  for (const open of [...closes.keys()].sort((a, b) => a - b)) {
    const close = closes.get(open) as number;
    if (twins.has(open) || text[open + 1] !== '{' || closes.get(open + 1) !== close - 1) continue;
    twins.add(open + 1);
    found.add(open);
    found.add(close - 1);
  }
  return found;
}

/**
 * Text that differs from the text of its file: lines of a block without their indentation, folded lines, quoted text
 * without its escapes. Nodes that are parsed from it still have their locations in the file.
 */
export interface LocatedText {
  readonly text: string;
  /**
   * The pieces in order; the first begins at offset 0. From `at` on, each character of `text` is one character of the
   * file from `source` on.
   */
  readonly pieces: readonly { readonly at: number; readonly source: number }[];
}

/** Maps an offset in the text to the file. */
export function sourceOffset({ pieces }: LocatedText, offset: number): number {
  let low = 0;
  let high = pieces.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((pieces[middle]?.at ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  const piece = pieces[low];
  return piece === undefined ? 0 : piece.source + offset - piece.at;
}

/**
 * A copy of a tree that was parsed at offset 0 of the text, with its spans in the file. An end is mapped by the
 * character before it, because the text after it may be elsewhere.
 */
export function relocate<T>(tree: T, located: LocatedText, file: number): T {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    if ('start' in value && 'end' in value && 'file' in value) {
      const { start, end } = value as { start: number; end: number };
      const from = sourceOffset(located, start);
      return { file, start: from, end: end > start ? Math.max(from, sourceOffset(located, end - 1) + 1) : from };
    }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]));
  };
  return walk(tree) as T;
}
