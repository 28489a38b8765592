/**
 * The grammar of expressions, and what the rest of the grammar shares with it: parts that are forgiven when they
 * are missing, and children that keep their order.
 */
import { CstParser } from 'chevrotain';
import { lazyLookahead } from './lazy-lookahead.js';
import { allTokens } from './lexer.js';
import * as t from './tokens.js';

/** Occurrence numbers from here on mark parts the language wants but the parser can do without. */
export const firstForgivenIndex = 100;

/** Children that share one label, so that their order in the text is kept. */
export const part = { LABEL: 'part' };

export class ExpressionParser extends CstParser {
  constructor(validate: boolean) {
    super(allTokens, {
      recoveryEnabled: false,
      lookaheadStrategy: lazyLookahead(),
      nodeLocationTracking: 'onlyOffset',
      skipValidations: !validate,
    });
  }

  /** A part that is required by the language and forgiven by the parser. */
  protected may(index: number, action: () => void): void {
    this.option(firstForgivenIndex + index, action);
  }

  /**
   * Operands and operators in a row; `expression.ts` knows which operator binds how closely. One rule for all
   * levels keeps the tree small: most expressions are a single name.
   */
  readonly expression = this.RULE('expression', () => {
    this.OR([
      { ALT: () => this.SUBRULE(this.operand, part) },
      {
        ALT: () => {
          this.AT_LEAST_ONE(() =>
            this.OR1([{ ALT: () => this.CONSUME(t.Not, part) }, { ALT: () => this.CONSUME(t.Sum, part) }]),
          );
          this.may(0, () => this.SUBRULE1(this.operand, part));
        },
      },
    ]);
    this.MANY1(() => {
      this.OR2([
        { ALT: () => this.CONSUME(t.Test, part) },
        {
          ALT: () => {
            this.OR3([
              { ALT: () => this.CONSUME(t.And, part) },
              { ALT: () => this.CONSUME(t.Or, part) },
              { ALT: () => this.CONSUME(t.Compare, part) },
              { ALT: () => this.CONSUME(t.Relation, part) },
              { ALT: () => this.CONSUME(t.Assign, part) },
              { ALT: () => this.CONSUME1(t.Sum, part) },
              { ALT: () => this.CONSUME(t.Product, part) },
            ]);
            this.MANY2(() =>
              this.OR4([{ ALT: () => this.CONSUME1(t.Not, part) }, { ALT: () => this.CONSUME2(t.Sum, part) }]),
            );
            this.may(1, () => this.SUBRULE2(this.operand, part));
          },
        },
      ]);
    });
  });

  readonly operand = this.RULE('operand', () => {
    this.OR([
      {
        ALT: () => {
          this.CONSUME(t.Name, part);
          this.OPTION(() => this.SUBRULE(this.call, part));
        },
      },
      { ALT: () => this.CONSUME(t.Num, part) },
      { ALT: () => this.CONSUME(t.Quoted, part) },
      { ALT: () => this.CONSUME(t.Braced, part) },
      { ALT: () => this.CONSUME(t.Dagger, part) },
      { ALT: () => this.SUBRULE(this.group, part) },
      { ALT: () => this.SUBRULE(this.list, part) },
      { ALT: () => this.SUBRULE(this.object, part) },
    ]);
    this.MANY(() =>
      this.OR1([
        { ALT: () => this.CONSUME(t.Field, part) },
        { ALT: () => this.CONSUME(t.Question, part) },
        { ALT: () => this.SUBRULE(this.index, part) },
      ]),
    );
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

  readonly entry = this.RULE('entry', () => {
    this.OR([{ ALT: () => this.CONSUME(t.Name) }, { ALT: () => this.CONSUME(t.Quoted) }]);
    this.may(0, () => this.CONSUME(t.Colon));
    this.may(1, () => this.SUBRULE(this.expression));
  });
}
