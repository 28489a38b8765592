/**
 * The grammar of expressions, and rules that the rest of the grammar shares with it: parts that may be missing, and
 * children that keep their order.
 */
import * as t from '../tokens/tokens.js';
import { part, RuleParser } from './rule-parser.js';

/**
 * The alternatives of one choice, created once. Creating them at each step would be most of what parsing allocates. For
 * the same reason, the parts of the rules that programs use most are members, too.
 */
export function alternatives(...actions: readonly (() => unknown)[]): readonly (() => unknown)[] {
  return actions;
}

export class ExpressionParser extends RuleParser {
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
    this.MANY1(this.continuation);
  });

  private readonly continuation = () => this.OR2(this.continuations);

  private readonly operands = alternatives(
    () => {
      this.CONSUME(t.Name, part);
      this.OPTION(this.callOfName);
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

  private readonly callOfName = () => this.SUBRULE(this.call, part);

  private readonly postfixes = alternatives(
    () => this.CONSUME(t.Field, part),
    () => this.CONSUME(t.Question, part),
    () => this.SUBRULE(this.index, part),
  );

  readonly operand = this.RULE('operand', () => {
    this.OR(this.operands);
    this.MANY(this.postfix);
  });

  private readonly postfix = () => this.OR1(this.postfixes);

  readonly call = this.RULE('call', () => {
    this.CONSUME(t.LParen);
    this.OPTION(this.inner);
    this.may(0, this.closing);
  });

  private readonly inner = () => this.SUBRULE(this.items);
  private readonly closing = () => this.CONSUME(t.RParen);

  readonly group = this.RULE('group', () => {
    this.CONSUME(t.LParen);
    this.may(0, this.whole);
    this.may(1, this.closing);
  });

  protected readonly whole = () => this.SUBRULE(this.expression);

  readonly index = this.RULE('index', () => {
    this.CONSUME(t.LBracket);
    this.may(0, () => this.SUBRULE(this.expression));
    this.may(1, () => this.CONSUME(t.RBracket));
  });

  readonly list = this.RULE('list', () => {
    this.CONSUME(t.LBracket);
    this.OPTION(this.inner);
    this.may(0, () => this.CONSUME(t.RBracket));
  });

  readonly items = this.RULE('items', () => {
    this.SUBRULE(this.expression);
    this.MANY(this.furtherItem);
  });

  private readonly furtherItem = () => {
    this.CONSUME(t.Comma);
    this.may(0, this.laterItem);
  };
  private readonly laterItem = () => this.SUBRULE1(this.expression);

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
