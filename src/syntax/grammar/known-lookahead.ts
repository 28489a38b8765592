/**
 * The result of the grammar analysis, as text. The analysis takes longer than parsing a small program and always has
 * the same result, so the build performs it and the bundle contains the result. Tokens are identified by their index in
 * the list of all tokens, because the numbers that the parser assigns depend on what else is loaded.
 */
import type { CstParser } from 'chevrotain';
import { allTokens } from '../tokens/lexer.js';
import { type Lookahead, lookahead } from './lookahead.js';

/** Inserted by the build. Unbundled sources analyse the grammar themselves. */
declare const LOOKAHEAD: string | undefined;

export const knownLookahead = typeof LOOKAHEAD === 'undefined' ? undefined : LOOKAHEAD;

/**
 * The internal members in which a parser keeps its analysis. Its types leave them out, so a test compares both ways of
 * creating a parser.
 */
interface Analysed {
  selfAnalysisDone: boolean;
  readonly lookAheadFuncsCache: Map<number, Lookahead>;
}

const DIGITS = 2;

/** The lookahead of an analysed parser: for each production its key, its kind, and the alternative for each token. */
export function writtenLookahead(parser: CstParser): string {
  const { lookAheadFuncsCache } = parser as unknown as Analysed;
  return [...lookAheadFuncsCache]
    .map(([key, { kind, table }]) => {
      const tokens: string[] = [];
      const others = table()[0] as number;
      for (const [index, token] of allTokens.entries()) {
        const chosen = table()[token.tokenTypeIdx as number] ?? others;
        if (chosen !== others) tokens[chosen] = (tokens[chosen] ?? '') + index.toString(36).padStart(DIGITS, '0');
      }
      return [key, kind, others, ...Array.from(tokens, (some) => some ?? '')].join(' ');
    })
    .join('\n');
}

/** Replaces the analysis: the data of each production is decoded when it is first reached. */
export function takeLookahead(parser: CstParser, written: string): void {
  const analysed = parser as unknown as Analysed;
  for (const line of written.split('\n')) {
    const [key, kind, ...rest] = line.split(' ');
    analysed.lookAheadFuncsCache.set(
      Number(key),
      lookahead(kind as Lookahead['kind'], () => readTable(rest)),
    );
  }
  analysed.selfAnalysisDone = true;
}

function readTable([others, ...alternatives]: readonly string[]): Int16Array {
  const size = Math.max(...allTokens.map((token) => token.tokenTypeIdx as number)) + 1;
  const table = new Int16Array(size).fill(Number(others));
  for (const [chosen, tokens] of alternatives.entries()) {
    for (let at = 0; at < tokens.length; at += DIGITS) {
      const token = allTokens[Number.parseInt(tokens.slice(at, at + DIGITS), 36)];
      table[token?.tokenTypeIdx as number] = chosen;
    }
  }
  return table;
}
