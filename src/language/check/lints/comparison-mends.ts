/** What to write for a comparison of two values of different types, which can only fail. */
import type { Correction, SourceSet } from '../../source/diagnostic.js';
import type { TypedOperand, TypeUse } from '../scope.js';
import { BOOLEAN, isOutput, isWord, NUMBER, TEXT, type Types } from './value-types.js';

interface Mend {
  readonly fix: Correction | undefined;
  /** The comparison after the correction. */
  readonly after: string;
}

/** An edit that makes the operands comparable. */
export function mendComparison(use: TypeUse, left: Types, right: Types, sources: SourceSet): Mend | null {
  const textOf = ({ span }: TypedOperand) => sources[span.file]?.text.slice(span.start, span.end) ?? '';
  const sides = [
    { value: use.left, other: use.right, is: left, as: right },
    { value: use.right, other: use.left, is: right, as: left },
  ];
  for (const { value, other, is, as } of sides) {
    const [isLiteral, isOrder] = [value.expr.op === 'const', /^[<>]/.test(use.operator)];
    const change = mendOperand(textOf(value), other, textOf(other), { is, as, isLiteral, isOrder });
    if (change === null) continue;
    const { isOther, text } = change;
    const changed = isOther ? other : value;
    const textAfter = (one: TypedOperand) => (one === changed ? text : textOf(one));
    const after = `${textAfter(use.left)} ${use.operator} ${textAfter(use.right)}`;
    return { fix: other.expr.op === 'const' ? { span: changed.span, text } : undefined, after };
  }
  return null;
}

/** What `value`, which is `is`, or the operand that it is compared with becomes. */
function mendOperand(
  value: string,
  { expr }: TypedOperand,
  other: string,
  {
    is,
    as,
    isLiteral,
    isOrder,
  }: { readonly is: Types; readonly as: Types; readonly isLiteral: boolean; readonly isOrder: boolean },
): { readonly isOther: boolean; readonly text: string } | null {
  if (isLiteral) return null;
  const constant = expr.op === 'const' ? expr.value : undefined;
  // Outside of a text, `{n}` is `n`.
  const inner = /^\{([^{}]*)\}$/.exec(value)?.[1] ?? value;
  const isShort = isWord(inner) || (isOrder && /^\w+\([^"{}]{1,60}\)$/.test(inner));
  if ((is & TEXT) !== 0 && as === NUMBER && isShort && (constant !== undefined || isOutput(is)))
    return {
      isOther: false,
      text: `${constant === undefined || Number.isInteger(constant) ? 'int' : 'float'}(${inner})`,
    };
  // As a text the number would be in another order.
  if (isOrder && as === NUMBER) return null;
  if (constant === undefined) return null;
  if ((is & TEXT) !== 0 && as !== TEXT) return /["\\{}\n]/.test(other) ? null : { isOther: true, text: `"${other}"` };
  if (as !== TEXT || typeof constant !== 'string') return null;
  const bare = constant.trim();
  const fits = is === NUMBER ? /^-?\d+(?:\.\d+)?$/.test(bare) : is === BOOLEAN && /^(?:true|false)$/.test(bare);
  return fits ? { isOther: true, text: bare } : null;
}
