/** The concrete trees of programs and expressions. */
import type { Token } from '../tokens/token.js';
import { findTable } from './decisions.js';
import { StatedslParser } from './grammar.js';
import type { ParsedTokens } from './rule-parser.js';

let shared: StatedslParser | undefined;

/** The parser. Created once, because creating it takes longer than parsing a small program. */
function parser(): StatedslParser {
  shared ??= new StatedslParser(findTable());
  return shared;
}

/** The concrete tree of a whole program. `stuck` never exists for the tokens of a complete program. */
export function parseTokens(tokens: readonly Token[]): ParsedTokens {
  return parser().parseProgram(tokens);
}

/** The concrete tree of one expression. */
export function parseExpressionTokens(tokens: readonly Token[]): ParsedTokens {
  return parser().parseExpression(tokens);
}
