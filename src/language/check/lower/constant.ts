/** Values of expressions that are known when the program is compiled, and arguments, which need not be. */
import type { Expr, Json } from '../../../machine/expression.js';
import type { EntryArgument } from '../../../machine/machine.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Argument, ArgumentValue } from '../../syntax/ast.js';
import type { Expression, Name } from '../../syntax/expression-nodes.js';
import { type ConstantExpr, constantOr, constantText, lowerExpression, numberConstant } from './lower-expression.js';
import type { StateLowering } from './state-lowering.js';

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

/** The value of one argument. `x` alone is the variable `x`. */
export function lowerArgument(l: StateLowering, name: Name, value: ArgumentValue | undefined): Expr {
  if (value === undefined) return lowerExpression({ kind: 'name', name: name.text, span: name.span }, l);
  if (value.kind === 'expression') return lowerExpression(value.expression, l);
  const word = value.word.text;
  if (l.scope.has(word)) {
    l.diagnostics.push(say.ambiguousWord(value.span, { word }));
    return lowerExpression({ kind: 'name', name: word, span: value.span }, l);
  }
  l.explain(value.span, `the text \`${word}\``, true);
  return { op: 'const', value: word };
}

export function lowerArguments(l: StateLowering, args: readonly Argument[]): EntryArgument[] {
  // Only a second argument can repeat a name.
  const seen = args.length > 1 ? new Set<string>() : null;
  const lowered: EntryArgument[] = [];
  for (const argument of args) {
    if (seen?.has(argument.name.text)) {
      l.diagnostics.push(say.duplicateArgument(argument.name.span, { name: argument.name.text }));
      continue;
    }
    seen?.add(argument.name.text);
    lowered.push({ name: argument.name.text, value: lowerArgument(l, argument.name, argument.value) });
  }
  return lowered;
}
