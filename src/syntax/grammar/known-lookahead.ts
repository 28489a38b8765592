/**
 * What the analysis of the grammar came to, as text. Analysing takes a small program longer than being parsed, and
 * always comes to the same: so the build does it, and the built program reads the result. Tokens are identified by their
 * place in the list of all tokens, since the numbers that the parser gives them depend on what else was loaded.
 */
import type { CstParser } from 'chevrotain';
import { allTokens } from '../tokens/lexer.js';
import { type Lookahead, lookahead } from './lookahead.js';

/** Put here by the build; sources that run as they are analyse the grammar themselves. */
declare const LOOKAHEAD: string | undefined;

export const knownLookahead = typeof LOOKAHEAD === 'undefined' ? undefined : LOOKAHEAD;

/** What a parser keeps of its analysis. Its types do not tell of it, so a test compares both ways of making one. */
interface Analysed {
  selfAnalysisDone: boolean;
  readonly lookAheadFuncsCache: Map<number, Lookahead>;
}

const DIGITS = 2;

/** The lookahead of an analysed parser: for each production its key, its kind, and which tokens lead where. */
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

/** Instead of an analysis: what each production needs is read when it is first reached. */
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
