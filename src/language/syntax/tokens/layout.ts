/**
 * Converts indentation to tokens: inserts `Indent` and `Dedent` where blocks begin and end, so that the grammar is
 * independent of columns. A tab counts as two spaces. It is an error, and the fix writes the spaces.
 */
import { badIndentation, nestedTooDeep, tabIndentation, unexpectedIndentation } from '../../source/catalogue/syntax.js';
import { fixAt, type ParseContext, report, span } from '../grammar/cst.js';
import { newToken, type Token } from './token.js';
import { Dedent, Indent, Newline, tokenOf } from './tokens.js';

/** The maximum depth. Deeper lines are left out, so that no later stage can overflow the stack. */
const deepestBlocks = 200;
const tabWidth = 2;

export function layOut(context: ParseContext, tokens: readonly Token[], nested: boolean): Token[] {
  const laid: Token[] = [];
  const levels = [tokens[0] === undefined ? 0 : firstLevel(context, tokens[0], nested)];
  let leftOut = false;
  let lineStarts = true;
  for (const token of tokens) {
    if (lineStarts) {
      const column = columnOf(context, token);
      const top = levels[levels.length - 1] as number;
      const wasLeftOut = leftOut;
      leftOut = column > top && levels.length > deepestBlocks;
      if (leftOut && !wasLeftOut) leaveOut(context, token, laid);
      else if (column > top && !leftOut) {
        levels.push(column);
        laid.push(newToken(Indent, '', token.startOffset));
      } else if (column < top) closeBlocks(context, levels, column, token, laid);
    }
    if (!leftOut) laid.push(token);
    lineStarts = token.tokenType === Newline;
  }
  const end = context.text.length;
  if (!lineStarts && !leftOut && laid.length > 0) laid.push(newToken(Newline, '', end));
  for (let i = levels.length; i > 1; i--) laid.push(newToken(Dedent, '', end));
  return laid;
}

/** Reports lines that are too deep. One PROCEED replaces them, so that the line above keeps its block. */
function leaveOut(context: ParseContext, token: Token, laid: Token[]): void {
  const at = token.startOffset;
  const where = span(context, at, at + token.image.length);
  report(context, nestedTooDeep(where, { what: 'blocks', limit: deepestBlocks }));
  laid.push(
    newToken(Indent, '', at),
    { ...newToken(tokenOf('PROCEED'), 'PROCEED', at), endOffset: at - 1 },
    newToken(Newline, '', at),
    newToken(Dedent, '', at),
  );
}

/** The margin of a fenced block is the column of its first line; the margin of a file is 0. */
function firstLevel(context: ParseContext, first: Token, nested: boolean): number {
  const column = columnOf(context, first, true);
  if (column > 0 && !nested) {
    const start = lineStart(context.text, first.startOffset);
    report(context, unexpectedIndentation(span(context, start, first.startOffset), {}));
  }
  return column;
}

function closeBlocks(context: ParseContext, levels: number[], column: number, token: Token, laid: Token[]): void {
  while (levels.length > 1 && (levels[levels.length - 2] as number) >= column) {
    levels.pop();
    laid.push(newToken(Dedent, '', token.startOffset));
  }
  const [outer, inner] = [levels[levels.length - 2], levels[levels.length - 1] as number];
  if (column >= inner) return;
  if (outer === undefined) levels[0] = column;
  // Between two levels: the line stays in the inner block, to which it most likely belongs.
  else report(context, badIndentation(span(context, token.startOffset, token.startOffset + 1), {}));
}

function lineStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && (text[start - 1] === ' ' || text[start - 1] === '\t')) start--;
  return start;
}

function columnOf(context: ParseContext, token: Token, silent = false): number {
  const { text } = context;
  let tab = false;
  let start = token.startOffset;
  for (; start > 0 && (text[start - 1] === ' ' || text[start - 1] === '\t'); start--) tab ||= text[start - 1] === '\t';
  if (!tab) return token.startOffset - start;
  const where = span(context, start, token.startOffset);
  const mended = text.slice(start, token.startOffset).replaceAll('\t', ' '.repeat(tabWidth));
  if (!silent) report(context, tabIndentation(where, { fix: fixAt(where, mended, !mixesIndentation(text)) }));
  return mended.length;
}

const mixed = new Map<string, boolean>();

/**
 * Whether some lines begin with a tab and others with spaces, and there is more than one level: then only the author knows
 * how wide a tab was.
 */
export function mixesIndentation(text: string): boolean {
  const known = mixed.get(text);
  if (known !== undefined) return known;
  mixed.clear();
  const isMixed = /^(?: +\t|\t+ )/m.test(text) || (/^\t/m.test(text) && /^ +\S/m.test(text));
  const mixes = isMixed && /^(?: {3}|[ \t]\t|\t ) *\S|^\t{2}/m.test(text);
  mixed.set(text, mixes);
  return mixes;
}
