/** Where each character of a text that YAML folds, escapes or indents is in the file. */
import type { LocatedText } from '../../../syntax/tree/located-template.js';

type OffsetPair = { readonly at: number; readonly source: number };

/** `value` is the decoded text of the scalar that is written in `source` from `start` to `end`. */
export function locatedScalar(source: string, start: number, end: number, value: string): LocatedText {
  const first = source[start];
  const found =
    first === '|' || first === '>' ? blockPieces(source, start, end, value) : flowPieces(source, start, end, value);
  // If the spelling cannot be mapped, messages mark the whole scalar.
  return { text: value, pieces: found ?? [{ at: 0, source: start }] };
}

/**
 * Lines of `|` and `>`. Each is found in the text after the line ends and spaces that separate it from the previous
 * one.
 */
function blockPieces(source: string, start: number, end: number, value: string): OffsetPair[] | null {
  const pieces: OffsetPair[] = [];
  const header = source.indexOf('\n', start);
  if (header < 0 || header >= end) return null;
  const margin = marginOf(source, start, header, end);
  let at = 0;
  for (let line = header + 1; line < end && at < value.length; ) {
    const next = source.indexOf('\n', line);
    const stop = next < 0 || next > end ? end : next;
    const from = Math.min(line + margin, stop);
    const text = source.slice(from, stop).replace(/\r$/, '');
    if (text.trim() !== '') {
      while (at < value.length && !value.startsWith(text, at)) at++;
      if (at >= value.length) return null;
      pieces.push({ at, source: from });
      at += text.length;
    }
    line = next < 0 ? end : next + 1;
  }
  if (pieces[0]?.at !== 0) pieces.unshift({ at: 0, source: header + 1 });
  return pieces;
}

/** The indentation that a block loses: from its header, or from its first line. */
function marginOf(source: string, start: number, header: number, end: number): number {
  const line = /[^ \n\r]/g;
  line.lastIndex = header;
  const first = line.exec(source);
  const digit = /^[|>][+-]?([1-9])/.exec(source.slice(start, header))?.[1];
  if (first === null || first.index >= end) return 0;
  const own = first.index - (source.lastIndexOf('\n', first.index) + 1);
  if (digit === undefined) return own;
  // With a digit in the header, the first line may be indented deeper. The digit counts from the indentation of the
  // header's line.
  const outer = /^[ -]*/.exec(source.slice(source.lastIndexOf('\n', start) + 1, start))?.[0] ?? '';
  return Math.min(own, outer.length + Number(digit));
}

/** Plain and quoted text: line breaks are folded, escapes are one character. */
function flowPieces(source: string, start: number, end: number, value: string): OffsetPair[] | null {
  const quote = source[start] === '"' || source[start] === "'" ? source[start] : '';
  const stop = quote === '' ? end : end - 1;
  const pieces: OffsetPair[] = [{ at: 0, source: start + quote.length }];
  const fold = /[ \t]*\r?\n(?:[ \t]*\r?\n)*[ \t]*/y;
  let at = 0;
  for (let from = start + quote.length; from < stop; ) {
    const character = source[from] as string;
    let spelt = 1;
    let units = 1;
    if (character === '\\' && quote === '"') [spelt, units] = escapeLength(source, from);
    else if (character === "'" && quote === "'") spelt = 2;
    else if (character === ' ' || character === '\t' || character === '\n' || character === '\r') {
      fold.lastIndex = from;
      const folded = fold.exec(source)?.[0];
      if (folded !== undefined) {
        spelt = folded.length;
        units = Math.max(1, folded.split('\n').length - 2);
      }
    }
    from += spelt;
    at += units;
    if (spelt !== units || spelt > 1) pieces.push({ at, source: from });
  }
  return at === value.length ? pieces : null;
}

/** The length of an escape, and the number of code units that it represents. */
function escapeLength(source: string, from: number): [number, number] {
  const next = source[from + 1];
  if (next === 'x') return [4, 1];
  if (next === 'u') return [6, 1];
  if (next === 'U') return [10, Number.parseInt(source.slice(from + 2, from + 10), 16) > 0xffff ? 2 : 1];
  const joined = /\\\r?\n(?:[ \t]*\r?\n)*[ \t]*/y;
  joined.lastIndex = from;
  const line = joined.exec(source)?.[0];
  if (line !== undefined) return [line.length, Math.max(0, line.split('\n').length - 2)];
  return [2, 1];
}
