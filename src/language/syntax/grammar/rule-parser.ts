/**
 * Runs the rules of the grammar. The rules are written in Chevrotain's language, and Chevrotain records, validates and
 * analyzes them (`recorder.ts`). To parse, it would do much that this grammar does not need: it recovers from errors,
 * backtracks, and keeps a child list for each label. Here a rule is a function, and one token decides every choice.
 */
import { type Token, TokenType } from '../tokens/token.js';
import { noElements, type SyntaxElement, SyntaxNode } from './cst.js';

export interface ParserRule {
  readonly name: string;
  /** Rules are numbered from 0 in the order of their declaration. */
  readonly index: number;
  readonly body: () => void;
  /** The decisions of this rule by their slot, decoded when they are first needed. */
  readonly tables: Table[];
}

/** The alternative for each type of token, by its index; -1 for none. An optional part is alternative 0. */
export type Table = Int8Array;

/** The slot of the first production of each kind. The occurrence number is added. */
export const slots = { choice: 0, option: 8, repetition: 16, mandatoryRepetition: 24, forgivenOption: 32 } as const;

/** Marks children whose order counts. */
export const part = 'part';
type PartLabel = typeof part;

type Alternatives = readonly (() => unknown)[];

/** The methods that rules are made of. They are Chevrotain's; the number at the end tells occurrences in a rule apart. */
export interface GrammarMethods {
  RULE(name: string, body: () => void): ParserRule;
  CONSUME(type: TokenType, label?: PartLabel): void;
  CONSUME1(type: TokenType, label?: PartLabel): void;
  CONSUME2(type: TokenType, label?: PartLabel): void;
  SUBRULE(rule: ParserRule, label?: PartLabel): void;
  SUBRULE1(rule: ParserRule, label?: PartLabel): void;
  SUBRULE2(rule: ParserRule, label?: PartLabel): void;
  choose(occurrence: number, alternatives: Alternatives): void;
  option(occurrence: number, action: () => void): void;
  many(occurrence: number, action: () => void): void;
  atLeastOne(occurrence: number, action: () => void): void;
  may(occurrence: number, action: () => void): void;
}

/** Thrown where the next token does not fit. It has no stack trace: making one would take longer than parsing. */
const stuck = { name: 'Stuck' };

const END: Token = {
  tokenType: Object.assign(Object.create(TokenType.prototype), { index: 0, name: 'End', category: null }),
  image: '',
  startOffset: 0,
  endOffset: -1,
};

/**
 * The result of parsing. `stuck` is the first token that the grammar does not accept. The tree is then undefined,
 * unless only the end is missing.
 */
export interface ParsedTokens {
  readonly tree: SyntaxNode | undefined;
  readonly stuck?: Token;
}

export class RuleParser implements GrammarMethods {
  private rules = 0;
  private tokens: readonly Token[] = [];
  private at = 0;
  private next = END;
  private rule: ParserRule = { name: '', index: -1, body() {}, tables: [] };
  /** The children of all unfinished nodes. A node takes those above the height at which it began. */
  private readonly elements: SyntaxElement[] = [];
  private elementCount = 0;
  private readonly parts: SyntaxElement[] = [];
  private partCount = 0;

  /** `tables` finds the decision of a rule in a slot. `recorder` replaces all methods: the rules then do not parse. */
  constructor(
    private readonly tables: (rule: ParserRule, slot: number) => Table,
    recorder?: GrammarMethods,
  ) {
    if (recorder !== undefined) Object.assign(this, recorder);
  }

  /** Parses all tokens as one `rule`. */
  protected parse(rule: ParserRule, tokens: readonly Token[]): ParsedTokens {
    this.tokens = tokens;
    this.at = -1;
    this.elementCount = 0;
    this.partCount = 0;
    this.advance();
    try {
      const tree = this.run(rule);
      return this.next === END ? { tree } : { tree, stuck: this.next };
    } catch (error) {
      if (error !== stuck) throw error;
      return { tree: undefined, stuck: this.next };
    } finally {
      this.tokens = [];
      this.elements.length = 0;
      this.parts.length = 0;
    }
  }

  private advance(): void {
    const at = ++this.at;
    this.next = at < this.tokens.length ? (this.tokens[at] as Token) : END;
  }

  private run(rule: ParserRule): SyntaxNode {
    const node = new SyntaxNode(rule.name, this.next.startOffset);
    const { rule: outer, elementCount, partCount, at } = this;
    this.rule = rule;
    rule.body();
    this.rule = outer;
    if (this.elementCount > elementCount) {
      node.elements = slice(this.elements, elementCount, this.elementCount);
      this.elementCount = elementCount;
    }
    if (this.partCount > partCount) {
      node.parts = slice(this.parts, partCount, this.partCount);
      this.partCount = partCount;
    }
    if (this.at > at) node.endOffset = (this.tokens[this.at - 1] as Token).endOffset;
    return node;
  }

  private add(element: SyntaxElement, label: PartLabel | undefined): void {
    if (label === undefined) this.elements[this.elementCount++] = element;
    else this.parts[this.partCount++] = element;
  }

  private decision(slot: number): Table {
    const { rule } = this;
    let table = rule.tables[slot];
    if (table === undefined) {
      table = this.tables(rule, slot);
      rule.tables[slot] = table;
    }
    return table;
  }

  RULE(name: string, body: () => void): ParserRule {
    return { name, index: this.rules++, body, tables: [] };
  }

  CONSUME(type: TokenType, label?: PartLabel): void {
    const token = this.next;
    if (token.tokenType !== type && token.tokenType.category !== type) throw stuck;
    this.add(token, label);
    this.advance();
  }

  SUBRULE(rule: ParserRule, label?: PartLabel): void {
    this.add(this.run(rule), label);
  }

  choose(occurrence: number, alternatives: Alternatives): void {
    const chosen = this.decision(slots.choice + occurrence)[this.next.tokenType.index] as number;
    if (chosen < 0) throw stuck;
    (alternatives[chosen] as () => unknown)();
  }

  option(occurrence: number, action: () => void): void {
    if (this.decision(slots.option + occurrence)[this.next.tokenType.index] === 0) action();
  }

  /** A part that the language requires and the parser does not. */
  may(occurrence: number, action: () => void): void {
    if (this.decision(slots.forgivenOption + occurrence)[this.next.tokenType.index] === 0) action();
  }

  many(occurrence: number, action: () => void): void {
    this.repeat(this.decision(slots.repetition + occurrence), action);
  }

  atLeastOne(occurrence: number, action: () => void): void {
    const table = this.decision(slots.mandatoryRepetition + occurrence);
    if (table[this.next.tokenType.index] !== 0) throw stuck;
    this.repeat(table, action);
  }

  private repeat(table: Table, action: () => void): void {
    while (table[this.next.tokenType.index] === 0) {
      const before = this.at;
      action();
      // An action that takes no token would be repeated forever.
      if (this.at === before) return;
    }
  }

  CONSUME1(type: TokenType, label?: PartLabel): void {
    this.CONSUME(type, label);
  }
  CONSUME2(type: TokenType, label?: PartLabel): void {
    this.CONSUME(type, label);
  }
  SUBRULE1(rule: ParserRule, label?: PartLabel): void {
    this.SUBRULE(rule, label);
  }
  SUBRULE2(rule: ParserRule, label?: PartLabel): void {
    this.SUBRULE(rule, label);
  }
  protected OR(alternatives: Alternatives): void {
    this.choose(0, alternatives);
  }
  protected OR1(alternatives: Alternatives): void {
    this.choose(1, alternatives);
  }
  protected OR2(alternatives: Alternatives): void {
    this.choose(2, alternatives);
  }
  protected OR3(alternatives: Alternatives): void {
    this.choose(3, alternatives);
  }
  protected OR4(alternatives: Alternatives): void {
    this.choose(4, alternatives);
  }
  protected OPTION(action: () => void): void {
    this.option(0, action);
  }
  protected OPTION1(action: () => void): void {
    this.option(1, action);
  }
  protected OPTION2(action: () => void): void {
    this.option(2, action);
  }
  protected OPTION3(action: () => void): void {
    this.option(3, action);
  }
  protected OPTION4(action: () => void): void {
    this.option(4, action);
  }
  protected MANY(action: () => void): void {
    this.many(0, action);
  }
  protected MANY1(action: () => void): void {
    this.many(1, action);
  }
  protected MANY2(action: () => void): void {
    this.many(2, action);
  }
  protected AT_LEAST_ONE(action: () => void): void {
    this.atLeastOne(0, action);
  }
}

/** The elements of `list` between two heights, in an array that is not larger than it needs to be. */
function slice(list: readonly SyntaxElement[], from: number, to: number): SyntaxElement[] {
  switch (to - from) {
    case 0:
      return noElements;
    case 1:
      return [list[from] as SyntaxElement];
    case 2:
      return [list[from] as SyntaxElement, list[from + 1] as SyntaxElement];
    case 3:
      return [list[from] as SyntaxElement, list[from + 1] as SyntaxElement, list[from + 2] as SyntaxElement];
    default:
      return list.slice(from, to);
  }
}
