/** Values of expressions that are known when the program is compiled. */
import type { Expr, Json } from '../../machine/expression.js';
import type { Expression } from '../../syntax/step-key.js';
import { type ConstantExpr, constantOr, constantText, numberConstant } from './expression.js';

/** The value of a literal, or undefined if it contains a name or a call. */
export function constantOf(e: Expression): Json | undefined {
  return constantExpr(e)?.value;
}

/** The same with the digits of its numbers. */
export function constantExpr(e: Expression): ConstantExpr | undefined {
  switch (e.kind) {
    case 'number':
      return numberConstant(e);
    case 'constant':
      return { op: 'const', value: e.value };
    case 'text': {
      const value = constantText(e.template);
      return value === null ? undefined : { op: 'const', value };
    }
    case 'negate': {
      const of = constantExpr(e.of);
      return typeof of?.value === 'number' ? fold({ op: 'negate', of }) : undefined;
    }
    case 'list': {
      const items = e.items.map(constantExpr);
      return items.every((item) => item !== undefined) ? fold({ op: 'list', items }) : undefined;
    }
    case 'object': {
      const entries = e.entries.map(({ key, value }) => [key, constantExpr(value)] as const);
      const isKnown = entries.every((entry): entry is readonly [string, ConstantExpr] => entry[1] !== undefined);
      return isKnown ? fold({ op: 'object', entries }) : undefined;
    }
    default:
      return undefined;
  }
}

const fold = (expr: Expr): ConstantExpr => constantOr(expr) as ConstantExpr;
