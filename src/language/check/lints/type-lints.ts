/**
 * Reports comparisons that can only fail: two scalars of different types, or an input without a type, which the command
 * line passes as text, with a number or boolean.
 */
import type { Expr } from '../../../machine/expression.js';
import type { Input } from '../../../machine/machine.js';
import { typeMessages as say } from '../../source/catalogue/expressions.js';
import type { Diagnostic, Fix, SourceSet } from '../../source/diagnostic.js';
import type { LoweredMachine } from '../lower/lower-machine.js';
import type { TypedOperand, TypeUse } from '../scope.js';
import { BOOLEAN, LIST, NULL, NUMBER, OBJECT, TEXT, type Types, type TypesOf, valueTypes } from './value-types.js';

export function lintTypes({ machine, states }: LoweredMachine, sources: SourceSet, diagnostics: Diagnostic[]): void {
  if (states.every(({ typeUses }) => typeUses.length === 0)) return;
  const types = valueTypes(machine);
  // One declaration corrects all uses of an input.
  const reported = new Set<string>();
  states.forEach(({ typeUses }, state) => {
    for (const use of typeUses) {
      const diagnostic =
        checkComparison(use, state, types, sources) ?? untypedInput(use, state, types, machine.inputs, reported);
      if (diagnostic !== null) diagnostics.push(diagnostic);
    }
  });
}

const STRUCTURE = LIST | OBJECT;
const SCALAR = TEXT | NUMBER | BOOLEAN;

function checkComparison(use: TypeUse, state: number, types: TypesOf, sources: SourceSet): Diagnostic | null {
  if (use.operator !== '==' && use.operator !== '!=') return null;
  const left = types(use.left.expr, state) & ~NULL;
  const right = types(use.right.expr, state) & ~NULL;
  const isAlike = (left & right & SCALAR) !== 0 || ((left & STRUCTURE) !== 0 && (right & STRUCTURE) !== 0);
  if (isAlike || (left & SCALAR) === 0 || (right & SCALAR) === 0) return null;
  const fix =
    mendComparison(use.left, use.right, left, right, sources) ??
    mendComparison(use.right, use.left, right, left, sources);
  return say.comparesUnlike(use.span, {
    operator: use.operator,
    left: words(use.left, left, sources),
    right: words(use.right, right, sources),
    printed: [left, right].some((one) => (one & TEXT) !== 0 && (one & STRUCTURE) !== 0),
    name: convertibleName(use.left, left, sources) ?? convertibleName(use.right, right, sources),
    fix: fix?.fix,
    after: fix?.after,
  });
}

interface Mend {
  readonly fix: Fix;
  /** The comparison after the correction. */
  readonly after: string;
}

/** An edit that makes a variable and a literal comparable. */
function mendComparison(
  value: TypedOperand,
  literal: TypedOperand,
  is: Types,
  as: Types,
  sources: SourceSet,
): Mend | null {
  if (literal.expr.op !== 'const' || value.expr.op === 'const') return null;
  const { value: constant } = literal.expr;
  const source = sources[literal.span.file]?.text;
  if (source === undefined) return null;
  const textOf = ({ span }: TypedOperand) => source.slice(span.start, span.end);
  const change = (one: TypedOperand, text: string, then: string): Mend => ({
    fix: { span: one.span, text },
    after: then,
  });
  if ((is & TEXT) !== 0 && as === NUMBER && isWord(textOf(value))) {
    const converted = `${Number.isInteger(constant) ? 'int' : 'float'}(${textOf(value)})`;
    return change(value, converted, `${converted} == ${textOf(literal)}`);
  }
  if ((is & TEXT) !== 0 && as !== TEXT) {
    const quoted = `"${textOf(literal)}"`;
    return /["\\{}\n]/.test(textOf(literal)) ? null : change(literal, quoted, `${textOf(value)} == ${quoted}`);
  }
  if (as !== TEXT || typeof constant !== 'string') return null;
  const bare = constant.trim();
  const fits = is === NUMBER ? /^-?\d+(?:\.\d+)?$/.test(bare) : is === BOOLEAN && /^(?:true|false)$/.test(bare);
  return fits ? change(literal, bare, `${textOf(value)} == ${bare}`) : null;
}

/** The name of an operand that `string(…)` makes comparable with a text. */
function convertibleName({ expr, span }: TypedOperand, types: Types, sources: SourceSet): string | undefined {
  const text = sources[span.file]?.text.slice(span.start, span.end) ?? '';
  return expr.op !== 'const' && (types & TEXT) === 0 && isWord(text) ? text : undefined;
}

const isWord = (text: string): boolean => /^[A-Za-z_][\w.]*$/.test(text);

/** The description of an operand in a message: its name as written, with its type. */
function words({ expr, span }: TypedOperand, types: Types, sources: SourceSet): string {
  const text = sources[span.file]?.text.slice(span.start, span.end).replace(/\s+/g, ' ') ?? '';
  const what =
    types & TEXT
      ? types & STRUCTURE
        ? 'text that a command printed'
        : 'text'
      : types & NUMBER
        ? 'a number'
        : 'a boolean';
  return expr.op === 'const' || text.length > 40 || text === '' ? what : `\`${text}\`, which is ${what},`;
}

const WANTS: Readonly<Record<string, Types>> = { '-': NUMBER, '*': NUMBER, '/': NUMBER, '%': NUMBER, is: BOOLEAN };

/** Reports an input without a type in a position that needs a number or boolean. */
function untypedInput(
  use: TypeUse,
  state: number,
  types: TypesOf,
  inputs: readonly Input[],
  reported: Set<string>,
): Diagnostic | null {
  for (let side = 0; side < 2; side++) {
    const one = side === 0 ? use.left : use.right;
    const input = inputOf(one.expr, inputs);
    if (input === null || reported.has(input.name)) continue;
    const needed = WANTS[use.operator] ?? types((side === 0 ? use.right : use.left).expr, state);
    if (needed !== NUMBER && needed !== BOOLEAN) continue;
    reported.add(input.name);
    const type = needed === NUMBER ? 'number' : 'boolean';
    return say.untypedInput(one.span, { name: input.name, type });
  }
  return null;
}

/** The input that an expression reads, if the input has no type and the name can refer to nothing else. */
function inputOf(expr: Expr, inputs: readonly Input[]): Input | null {
  if (expr.op !== 'read') return null;
  const [slot] = expr.places;
  const input = slot?.in === 'input' && expr.places.length === 1 ? inputs[slot.slot] : undefined;
  if (input === undefined || input.type !== undefined) return null;
  return input.value === undefined || input.value === null || typeof input.value === 'string' ? input : null;
}
