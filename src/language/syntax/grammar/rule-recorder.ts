/**
 * The grammar in Chevrotain's form, for what happens once: its validation, the decisions of its lookahead, and the
 * published EBNF. The rules themselves are those that parse. The bundle contains the decisions and not this file.
 */
import {
  type CstNode,
  CstParser,
  createToken,
  Lexer,
  type Rule as RecordedRule,
  type TokenType as RecordedType,
} from 'chevrotain';
import { allTokens } from '../tokens/lexer.js';
import type { Token, TokenType } from '../tokens/token.js';
import { StatedslParser } from './grammar.js';
import { type Lookahead, lazyLookahead } from './lookahead.js';
import { type GrammarMethods, type ParserRule, type part, slots, type Table } from './rule-parser.js';

/** Occurrence numbers from here on mark parts that the language requires but the parser does not. */
export const firstForgivenIndex = 100;

const types = new Map<TokenType, RecordedType>();

function typeOf(type: TokenType): RecordedType {
  let recorded = types.get(type);
  if (recorded === undefined) {
    const categories = type.category === null ? [] : [typeOf(type.category)];
    recorded = createToken({ name: type.name, pattern: Lexer.NA, categories });
    types.set(type, recorded);
  }
  return recorded;
}

/** The member in which a parser keeps its analysis. Its types leave it out. */
interface Analysed {
  readonly lookAheadFuncsCache: ReadonlyMap<number, Lookahead>;
}

class RuleRecorder extends CstParser {
  /** The rules in the order of their declaration. */
  private readonly rules: ParserRule[] = [];
  private readonly recorded: ((index?: number) => unknown)[] = [];

  constructor(validate: boolean) {
    super(allTokens.map(typeOf), { lookaheadStrategy: lazyLookahead(), skipValidations: !validate });
    new StatedslParser(() => new Int8Array(), this.methods());
    this.performSelfAnalysis();
  }

  /** Every method records what it is called with. */
  private methods(): GrammarMethods {
    const options = (label: string | undefined) => (label === undefined ? {} : { LABEL: label });
    const consume = (at: number) => (type: TokenType, label?: typeof part) =>
      void this.consume(at, typeOf(type), options(label));
    const subrule = (at: number) => (rule: ParserRule, label?: typeof part) =>
      void this.subrule(at, this.recorded[rule.index] as Parameters<CstParser['SUBRULE']>[0], options(label));
    return {
      RULE: (name, body) => {
        const rule: ParserRule = { name, index: this.rules.length, body, tables: [] };
        this.rules.push(rule);
        this.recorded.push(this.RULE(name, body));
        return rule;
      },
      ...{ CONSUME: consume(0), CONSUME1: consume(1), CONSUME2: consume(2) },
      ...{ SUBRULE: subrule(0), SUBRULE1: subrule(1), SUBRULE2: subrule(2) },
      choose: (at, alternatives) =>
        void this.or(
          at,
          alternatives.map((ALT) => ({ ALT })),
        ),
      option: (at, action) => void this.option(at, action),
      many: (at, action) => this.many(at, action),
      atLeastOne: (at, action) => this.atLeastOne(at, action),
      may: (at, action) => void this.option(firstForgivenIndex + at, action),
    };
  }

  /** Parses with Chevrotain's own parser. Null if it does not accept the tokens. */
  parse(tokens: readonly Token[]): CstNode | null {
    this.input = tokens.map((token) => ({
      ...token,
      tokenType: typeOf(token.tokenType),
      tokenTypeIdx: typeOf(token.tokenType).tokenTypeIdx as number,
    }));
    const program = this.recorded[this.rules.findIndex(({ name }) => name === 'program')] as (
      this: RuleRecorder,
    ) => CstNode;
    const tree = program.call(this);
    return this.errors.length === 0 ? tree : null;
  }

  /** Every decision of the analysis: the number of its rule, its slot, and the alternatives. */
  decisions(): { readonly rule: number; readonly slot: number; readonly table: () => Table }[] {
    const { lookAheadFuncsCache } = this as unknown as Analysed;
    return [...lookAheadFuncsCache].map(([key, { table }]) => ({
      ...decodeKey(key),
      table: () => inOwnNumbers(table()),
    }));
  }
}

/** The first number that Chevrotain gives to a rule. */
const FIRST_RULE = 256;
/** Chevrotain's number of each kind of production, from 1 on. */
const kinds = [slots.choice, slots.option, slots.repetition, slots.mandatoryRepetition];

/** A key consists of the number of the rule, four bits for the kind of production, and eight for its occurrence. */
function decodeKey(key: number): { readonly rule: number; readonly slot: number } {
  const occurrence = key & 0xff;
  const rule = (key >> 12) - FIRST_RULE;
  if (occurrence >= firstForgivenIndex) return { rule, slot: slots.forgivenOption + occurrence - firstForgivenIndex };
  return { rule, slot: (kinds[((key >> 8) & 0xf) - 1] as number) + occurrence };
}

/** Chevrotain numbers types in another way. Types that a table leaves out are like the end of the text. */
function inOwnNumbers(table: Int16Array): Table {
  const others = table[0] ?? -1;
  const own = new Int8Array(1 + Math.max(...allTokens.map(({ index }) => index))).fill(others);
  for (const type of allTokens) own[type.index] = table[typeOf(type).tokenTypeIdx as number] ?? others;
  return own;
}

let analysed: RuleRecorder | undefined;

/** The recorded grammar, without validation. Created once. */
function analysedGrammar(): RuleRecorder {
  analysed ??= new RuleRecorder(false);
  return analysed;
}

/** The decisions of all rules, straight from the analysis. */
export function analysedDecisions(): ReturnType<RuleRecorder['decisions']> {
  return analysedGrammar().decisions();
}

/** The rules of the grammar by name. Throws if the grammar is ambiguous. */
export function validatedRules(): Readonly<Record<string, RecordedRule>> {
  return new RuleRecorder(true).getGAstProductions();
}

/** The tree that Chevrotain's own parser makes of a program, for tests; null if it does not accept the tokens. */
export function parseWithChevrotain(tokens: readonly Token[]): CstNode | null {
  return analysedGrammar().parse(tokens);
}
