/** The concrete trees of programs and expressions. */
import { allTokens } from '../tokens/lexer.js';
import type { Token } from '../tokens/token.js';
import { StatedslParser } from './grammar.js';
import type { ParsedTokens, ParserRule, Table } from './rule-parser.js';
import { analysedDecisions } from './rule-recorder.js';

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

/** Inserted by the build. Unbundled sources analyze the grammar themselves. */
declare const LOOKAHEAD: string | undefined;

const DIGITS = 2;

/** All decisions as text, one on each line. Tokens are their positions in the list of all tokens. */
export function writtenDecisions(): string {
  return analysedDecisions()
    .map(({ rule, slot, table }) => {
      const decision = table();
      const tokens: string[] = [];
      const others = decision[0] as number;
      for (const [position, type] of allTokens.entries()) {
        const chosen = decision[type.index] as number;
        if (chosen !== others) tokens[chosen] = (tokens[chosen] ?? '') + position.toString(36).padStart(DIGITS, '0');
      }
      return [keyOf(rule, slot), others, ...Array.from(tokens, (some) => some ?? '')].join(' ');
    })
    .join('\n');
}

/** Finds the decision of a rule in a slot. */
type FindTable = (rule: ParserRule, slot: number) => Table;

function findTable(): FindTable {
  return typeof LOOKAHEAD === 'undefined' ? analysedTables() : readTables(LOOKAHEAD);
}

function analysedTables(): FindTable {
  const tables = new Map(analysedDecisions().map(({ rule, slot, table }) => [keyOf(rule, slot), table]));
  return ({ index }, slot) => (tables.get(keyOf(index, slot)) as () => Table)();
}

/** The decisions of a text. Each is decoded when it is first needed. */
export function readTables(written: string): FindTable {
  const lines = new Map(written.split('\n').map((line) => [line.slice(0, line.indexOf(' ')), line]));
  return ({ index }, slot) => readTable(lines.get(keyOf(index, slot)) as string);
}

function keyOf(rule: number, slot: number): string {
  return `${rule}.${slot}`;
}

function readTable(line: string): Table {
  const [, others, ...alternatives] = line.split(' ');
  const table = new Int8Array(1 + Math.max(...allTokens.map(({ index }) => index))).fill(Number(others));
  for (const [chosen, tokens] of alternatives.entries()) {
    for (let at = 0; at < tokens.length; at += DIGITS) {
      const type = allTokens[Number.parseInt(tokens.slice(at, at + DIGITS), 36)];
      if (type !== undefined) table[type.index] = chosen;
    }
  }
  return table;
}
