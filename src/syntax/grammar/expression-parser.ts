/**
 * The grammar of expressions, and rules that the rest of the grammar shares with it: parts that may be missing, and
 * children that keep their order.
 */
import { type CstNode, CstParser, EOF, type IToken } from 'chevrotain';
import { allTokens } from '../tokens/lexer.js';
import * as t from '../tokens/tokens.js';
import { lazyLookahead } from './lookahead.js';

/** Occurrence numbers from here on mark parts that the language requires but the parser does not. */
export const firstForgivenIndex = 100;

/** Children that share one label, so that their order in the text is kept. */
export const part = { LABEL: 'part' };

/**
 * The alternatives of one choice, created once. Creating them at each step, as the parser allows, would be most of what
 * parsing allocates.
 */
export function alternatives(...actions: readonly (() => unknown)[]): { ALT: () => unknown }[] {
  return actions.map((ALT) => ({ ALT }));
}

/** Children without a prototype, as the parser creates them, but in an object that V8 reads and fills quickly. */
const Children = function Children() {} as unknown as new () => CstNode['children'];
Children.prototype = Object.create(null);

/** Internal members of the parser, which its types leave out. */
interface ParserState {
  readonly CST_STACK: CstNode[];
  readonly tokVector: IToken[];
  readonly currIdx: number;
  readonly _errors: Stuck[];
}

/**
 * Thrown where the parser cannot continue. It is recognized by its name. Creating a stack trace would take longer than
 * parsing.
 */
class Stuck {
  readonly name = 'NoViableAltException';
  constructor(readonly token: IToken) {}
}

export class ExpressionParser extends CstParser {
  constructor(validate: boolean) {
    super(allTokens, {
      recoveryEnabled: false,
      lookaheadStrategy: lazyLookahead(),
      nodeLocationTracking: 'onlyOffset',
      skipValidations: !validate,
    });
  }

  /** The inherited method does the same, with children that are slow to read. */
  protected cstInvocationStateUpdate(name: string): void {
    const { CST_STACK, tokVector, currIdx } = this as unknown as ParserState;
    const startOffset = (tokVector[currIdx + 1] as IToken).startOffset;
    CST_STACK.push({ name, children: new Children(), location: { startOffset, endOffset: Number.NaN } });
  }

  /** The inherited method words an error message, which is never shown and requires an analysis of the grammar. */
  protected raiseNoAltException(): never {
    throw this.noteStuck();
  }

  /**
   * Called after a complete parse: records the remaining tokens, and removes the tokens that mark the end of the input.
   */
  protected onAfterParse(): void {
    const { tokVector } = this as unknown as ParserState;
    if (this.LA(1).tokenType !== EOF) this.noteStuck();
    while (tokVector[tokVector.length - 1]?.tokenType === EOF) tokVector.pop();
  }

  private noteStuck(): Stuck {
    const stuck = new Stuck(this.LA(1));
    (this as unknown as ParserState)._errors.push(stuck);
    return stuck;
  }

  /** A part that the language requires and the parser does not. */
  protected may(index: number, action: () => void): void {
    this.option(firstForgivenIndex + index, action);
  }

  private readonly firstOperands = alternatives(
    () => this.SUBRULE(this.operand, part),
    () => {
      this.AT_LEAST_ONE(() => this.OR1(this.prefixes));
      this.may(0, () => this.SUBRULE1(this.operand, part));
    },
  );

  private readonly prefixes = alternatives(
    () => this.CONSUME(t.Not, part),
    () => this.CONSUME(t.Sum, part),
  );

  private readonly continuations = alternatives(
    () => this.CONSUME(t.Test, part),
    () => {
      this.OR3(this.operators);
      this.MANY2(() => this.OR4(this.laterPrefixes));
      this.may(1, () => this.SUBRULE2(this.operand, part));
    },
  );

  private readonly operators = alternatives(
    () => this.CONSUME(t.And, part),
    () => this.CONSUME(t.Or, part),
    () => this.CONSUME(t.Compare, part),
    () => this.CONSUME(t.Relation, part),
    () => this.CONSUME(t.Assign, part),
    () => this.CONSUME1(t.Sum, part),
    () => this.CONSUME(t.Product, part),
  );

  private readonly laterPrefixes = alternatives(
    () => this.CONSUME1(t.Not, part),
    () => this.CONSUME2(t.Sum, part),
  );

  /**
   * Operands and operators in a row; `expression.ts` applies precedence. One rule for all levels keeps the tree small,
   * because most expressions are a single name.
   */
  readonly expression = this.RULE('expression', () => {
    this.OR(this.firstOperands);
    this.MANY1(() => {
      this.OR2(this.continuations);
    });
  });

  private readonly operands = alternatives(
    () => {
      this.CONSUME(t.Name, part);
      this.OPTION(() => this.SUBRULE(this.call, part));
    },
    () => this.CONSUME(t.Num, part),
    () => this.CONSUME(t.Quoted, part),
    () => this.CONSUME(t.Braced, part),
    () => this.CONSUME(t.DataReference, part),
    () => this.CONSUME(t.References, part),
    () => this.SUBRULE(this.group, part),
    () => this.SUBRULE(this.list, part),
    () => this.SUBRULE(this.object, part),
  );

  private readonly postfixes = alternatives(
    () => this.CONSUME(t.Field, part),
    () => this.CONSUME(t.Question, part),
    () => this.SUBRULE(this.index, part),
  );

  readonly operand = this.RULE('operand', () => {
    this.OR(this.operands);
    this.MANY(() => this.OR1(this.postfixes));
  });

  readonly call = this.RULE('call', () => {
    this.CONSUME(t.LParen);
    this.OPTION(() => this.SUBRULE(this.items));
    this.may(0, () => this.CONSUME(t.RParen));
  });

  readonly group = this.RULE('group', () => {
    this.CONSUME(t.LParen);
    this.may(0, () => this.SUBRULE(this.expression));
    this.may(1, () => this.CONSUME(t.RParen));
  });

  readonly index = this.RULE('index', () => {
    this.CONSUME(t.LBracket);
    this.may(0, () => this.SUBRULE(this.expression));
    this.may(1, () => this.CONSUME(t.RBracket));
  });

  readonly list = this.RULE('list', () => {
    this.CONSUME(t.LBracket);
    this.OPTION(() => this.SUBRULE(this.items));
    this.may(0, () => this.CONSUME(t.RBracket));
  });

  readonly items = this.RULE('items', () => {
    this.SUBRULE(this.expression);
    this.MANY(() => {
      this.CONSUME(t.Comma);
      this.may(0, () => this.SUBRULE1(this.expression));
    });
  });

  readonly object = this.RULE('object', () => {
    this.CONSUME(t.LBrace);
    this.OPTION(() => {
      this.SUBRULE(this.entry);
      this.MANY(() => {
        this.CONSUME(t.Comma);
        this.may(0, () => this.SUBRULE1(this.entry));
      });
    });
    this.may(1, () => this.CONSUME(t.RBrace));
  });

  private readonly keys = alternatives(
    () => this.CONSUME(t.Name),
    () => this.CONSUME(t.Quoted),
  );

  readonly entry = this.RULE('entry', () => {
    this.OR(this.keys);
    this.may(0, () => this.CONSUME(t.Colon));
    this.may(1, () => this.SUBRULE(this.expression));
  });
}
