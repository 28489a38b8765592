/**
 * Lowers expressions and templates of the tree to those of a Machine. Names become slots, `now()` and similar functions
 * become values sampled beforehand, and certain failures are reported.
 */
import type { Expr, Filter, Hole, Template } from '../../../machine/expression.js';
import { unreachable } from '../../../prelude/unreachable.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Span } from '../../source/diagnostic.js';
import type { Expression, Interpolation, Template as TextTemplate } from '../../syntax/expression-nodes.js';
import { isTyped } from '../lints/value-types.js';
import { symbolKey } from '../program-index.js';
import type { StateScope, TypedOperand } from '../scope.js';
import { suggestName } from '../suggest-name.js';
import { lintEmbedded, lowerDataReference } from './calls/lower-reference.js';
import { partsOf } from './text-parts.js';

/** The minimum and maximum number of arguments. */
const FUNCTIONS: Readonly<Record<string, readonly [number, number]>> = {
  len: [1, 1],
  upper: [1, 1],
  lower: [1, 1],
  trim: [1, 1],
  split: [1, 2],
  join: [1, 2],
  lines: [1, 1],
  replace: [3, 3],
  keys: [1, 1],
  values: [1, 1],
  first: [1, 1],
  last: [1, 1],
  slice: [2, 3],
  sort: [1, 1],
  unique: [1, 1],
  sum: [1, 1],
  min: [1, Number.POSITIVE_INFINITY],
  max: [1, Number.POSITIVE_INFINITY],
  abs: [1, 1],
  round: [1, 2],
  floor: [1, 1],
  ceil: [1, 1],
  int: [1, 1],
  float: [1, 1],
  version: [1, 1],
  string: [1, 1],
  json: [1, 1],
  parse_json: [1, 1],
  base64_encode: [1, 1],
  base64_decode: [1, 1],
  default: [2, 2],
  range: [1, 2],
  sha256: [1, 1],
  now: [0, 0],
  uuid: [0, 0],
  random: [0, 0],
  exit_code: [1, 1],
  program_dir: [0, 0],
};

/** The names of all functions. */
export const functionNames: readonly string[] = Object.keys(FUNCTIONS);

const SAMPLES = new Set(['now', 'uuid', 'random']);

export function isFunction(name: string): boolean {
  return Object.hasOwn(FUNCTIONS, name);
}

/** The interface through which lowering an expression accesses its instruction. */
export interface ExpressionContext {
  readonly scope: StateScope;
  /** Adds the instruction that takes a sample, and returns the slot for it. */
  sample(source: 'now' | 'uuid' | 'random', span: Span): number;
  /** The slot of `exit_code(x)`, or null if no effect of this state binds x. */
  exitSlot(name: string): number | null;
  /** Called for each comparison of a name with a text, see `compares-whole-result`. */
  noteComparison(name: string, span: Span): void;
  /** Whether a name refers to the task of the current steps. */
  isTask(name: string): boolean;
  /** Whether braces can read a step with this name, or what a step knows of its last attempt. */
  isOfSteps(name: string): 'step' | 'attempt' | null;
  /** Called when a field or an element is read. */
  fieldRead(e: Extract<Expression, { kind: 'field' | 'index' }>): void;
  /** Called when the value of a name is needed. */
  nameRead(name: string, value: Expr, span: Span): void;
  /** Lowers an operand that may be missing. */
  sparing<T>(read: () => T): T;
  /** The key of a step that a name or a path refers to; null if there is none. */
  stepKey(e: Expression): Expr | null;
  /** `raw(x)` is allowed only in shell text, where it has been handled already. */
}

/**
 * How unknown names are treated: as an error (in shell text with a hint about literal braces), as a warning (in text
 * for people), or not at all (`[k={v}]`).
 */
export type UnknownNames = 'error' | 'text' | 'optional' | 'shell' | 'prompt';

export function lowerExpression(e: Expression, context: ExpressionContext, unknown: UnknownNames = 'error'): Expr {
  switch (e.kind) {
    case 'number':
      return numberConstant(e);
    case 'constant':
      return { op: 'const', value: e.value };
    case 'text': {
      const template = lowerTemplate(e.template, context, unknown);
      if (template.length === 0) return { op: 'const', value: '' };
      const [only] = template;
      return template.length === 1 && typeof only === 'string'
        ? { op: 'const', value: only }
        : { op: 'template', template };
    }
    case 'list':
      return constantOr({ op: 'list', items: e.items.map((item) => lowerExpression(item, context, unknown)) });
    case 'object':
      return constantOr({
        op: 'object',
        entries: e.entries.map(({ key, value }) => [key, lowerExpression(value, context, unknown)] as const),
      });
    case 'name':
      return context.stepKey(e) ?? lowerName(e, context, unknown);
    case 'field':
      return context.stepKey(e) ?? lowerField(e, context, unknown);
    case 'index': {
      context.fieldRead(e);
      const of = lowerExpression(e.of, context, unknown);
      const index = lowerExpression(e.index, context, unknown);
      noteSides('[]', e.span, { expr: of, span: e.of.span }, { expr: index, span: e.index.span }, context.scope);
      return { op: 'index', of, index };
    }
    case 'maybe':
      return { op: 'maybe', of: lowerSpared(e.of, context, unknown) };
    case 'call':
      return lowerCall(e, context, unknown);
    case 'step-key':
      return context.stepKey(e) ?? { op: 'const', value: null };
    case 'data-reference':
      return lowerDataReference(e, context.scope, unknown === 'optional');
    case 'references':
      return {
        op: e.operator,
        of: e.of.map((one) => (e.operator === 'any' ? lowerSpared : lowerExpression)(one, context, unknown)),
      };
    case 'negate': {
      const of = lowerExpression(e.of, context, unknown);
      noteValue('-', of, e.of.span, context.scope);
      return constantOr({ op: 'negate', of });
    }
    case 'not':
      return { op: 'not', of: lowerCondition(e.of, context, unknown) };
    case 'arithmetic': {
      const left = lowerExpression(e.left, context, unknown);
      const right = lowerExpression(e.right, context, unknown);
      noteOperands(e, e.operator, left, right, context.scope);
      return { op: 'arithmetic', operator: e.operator, left, right };
    }
    case 'logical': {
      const left = lowerCondition(e.left, context, unknown);
      return { op: e.operator, left, right: lowerCondition(e.right, context, unknown) };
    }
    case 'compare':
      return lowerCompare(e, context, unknown);
    case 'test': {
      if (e.test === 'exists' && e.of.kind === 'text')
        context.scope.shared.diagnostics.push(say.textIsNoFile(e.of.span, { text: e.of.template.raw }));
      const of = (e.test === 'exists' || e.test === 'empty' ? lowerSpared : lowerExpression)(e.of, context, unknown);
      noteAbsence(e.test, of, e.of.span, context.scope);
      return { op: 'test', test: e.test, negated: e.negated, of };
    }
    case 'broken':
      return { op: 'const', value: null };
    default:
      return unreachable(e);
  }
}

function lowerField(
  e: Extract<Expression, { kind: 'field' }>,
  context: ExpressionContext,
  unknown: UnknownNames,
): Expr {
  context.fieldRead(e);
  const { text: name, span } = e.name;
  const of = lowerExpression(e.of, context, unknown);
  const field = { expr: { op: 'const', value: name } as const, span };
  context.scope.typeUses.push({ operator: '.', span: e.span, left: { expr: of, span: e.of.span }, right: field });
  return { op: 'field', of, name };
}

function lowerName(
  e: Extract<Expression, { kind: 'name' }>,
  context: ExpressionContext,
  unknown: UnknownNames,
  isNeeded = unknown !== 'optional',
): Expr {
  const resolved = context.scope.read(e.name, e.span, isNeeded);
  if (resolved !== null) {
    if (isNeeded) context.nameRead(e.name, resolved.expr, e.span);
    return resolved.expr;
  }
  if (unknown !== 'optional') context.scope.reportUnknown(e.name, e.span, unknown);
  return { op: 'read', name: e.name, places: [] };
}

/** An operand that may be missing, such as in `x?`: a state that reads `x` in this way does not require it. */
function lowerSpared(e: Expression, context: ExpressionContext, unknown: UnknownNames): Expr {
  if (e.kind === 'data-reference') return lowerDataReference(e, context.scope, true);
  if (e.kind === 'name') return lowerName(e, context, unknown, false);
  return context.sparing(() => lowerExpression(e, context, unknown));
}

function lowerCall(e: Extract<Expression, { kind: 'call' }>, context: ExpressionContext, unknown: UnknownNames): Expr {
  const { diagnostics } = context.scope.shared;
  const name = e.name.text;
  const arity = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (arity === undefined) {
    diagnostics.push(
      say.unknownFunction(e.name.span, {
        name,
        known: Object.keys(FUNCTIONS),
        near: suggestName(diagnostics, name, () => Object.keys(FUNCTIONS)),
      }),
    );
    return { op: 'const', value: null };
  }
  context.scope.mention(e.name.span, 'use', symbolKey('function', '', name));
  const [least, most] = arity;
  if (e.args.length < least || e.args.length > most) {
    diagnostics.push(say.wrongArity(e.span, { name, least, most, has: e.args.length }));
    return { op: 'const', value: null };
  }
  if (SAMPLES.has(name)) {
    const slot = context.sample(name as 'now' | 'uuid' | 'random', e.span);
    return { op: 'read', name: `${name}()`, places: [{ in: 'local', slot }] };
  }
  if (name === 'exit_code') {
    const [of] = e.args;
    const slot = of?.kind === 'name' ? context.exitSlot(of.name) : null;
    if (slot === null) {
      const facts = of?.kind === 'name' ? { name: of.name, bound: context.scope.has(of.name) } : {};
      diagnostics.push(say.exitCodeOf(e.span, { ...facts, state: context.scope.state }));
      return { op: 'const', value: null };
    }
    const read = of?.kind === 'name' ? context.scope.read(of.name, of.span) : null;
    if (of?.kind === 'name' && read !== null) context.nameRead(of.name, read.expr, of.span);
    return { op: 'read', name: `exit_code(${of?.kind === 'name' ? of.name : ''})`, places: [{ in: 'local', slot }] };
  }
  const args = e.args.map((arg, at) =>
    name === 'default' && at === 0 ? lowerSpared(arg, context, unknown) : lowerExpression(arg, context, unknown),
  );
  const [arg] = args;
  const [written] = e.args;
  if (isTyped(name) && arg !== undefined && written !== undefined) noteValue(name, arg, written.span, context.scope);
  return { op: 'call', name, args };
}

/** Records a value of which an operator, a verb or a function needs a type. */
export function noteValue(operator: string, expr: Expr, span: Span, scope: StateScope): void {
  noteSides(operator, span, { expr, span }, { expr: { op: 'const', value: 0 }, span }, scope);
}

/** Records the sides of an operator for the lints about types, which know the possible types of every variable. */
export function noteSides(
  operator: string,
  span: Span,
  left: TypedOperand,
  right: TypedOperand,
  { typeUses }: StateScope,
): void {
  typeUses.push({ operator, span, left, right });
}

/** Records a value of which a condition asks whether there is none. */
function noteAbsence(test: string, expr: Expr, span: Span, { typeUses }: StateScope): void {
  const nothing = { expr: { op: 'const', value: null } as const, span };
  if (test === 'empty' || test === 'null')
    typeUses.push({ operator: test, span, left: { expr, span }, right: nothing });
}

function lowerCompare(
  e: Extract<Expression, { kind: 'compare' }>,
  context: ExpressionContext,
  unknown: UnknownNames,
): Expr {
  if (e.operator === '==' || e.operator === '!=') {
    if (e.left.kind === 'name' && e.right.kind === 'text') context.noteComparison(e.left.name, e.left.span);
    if (e.right.kind === 'name' && e.left.kind === 'text') context.noteComparison(e.right.name, e.right.span);
  }
  if (/^[<>]/.test(e.operator)) reportClock(e, context);
  const left = lowerExpression(e.left, context, unknown);
  // The braces of a quantifier such as `{3}` are not an interpolation, so a pattern is usually a constant.
  const right = lowerExpression(e.right, context, unknown);
  if (e.operator === 'matches' && right.op === 'const' && typeof right.value === 'string') {
    const reason = regexProblem(right.value);
    if (reason !== null) context.scope.shared.diagnostics.push(say.badRegex(e.right.span, { reason }));
  }
  noteOperands(e, e.operator, left, right, context.scope);
  return { op: 'compare', operator: e.operator, left, right };
}

/** `now() > "18:00"`: as texts, every date comes after every hour. */
function reportClock({ left, right }: Extract<Expression, { kind: 'compare' }>, { scope }: ExpressionContext): void {
  for (const [clock, other] of [
    [left, right],
    [right, left],
  ] as const) {
    if (clock.kind !== 'call' || clock.name.text !== 'now' || other.kind !== 'text') continue;
    const text = constantText(other.template);
    if (text !== null && !/^\d{4}(?:-|$)/.test(text))
      scope.shared.diagnostics.push(say.clockAsText(other.span, { text: other.template.raw }));
  }
}

function noteOperands(
  e: { readonly left: Expression; readonly right: Expression; readonly span: Span },
  operator: string,
  left: Expr,
  right: Expr,
  scope: StateScope,
): void {
  noteSides(operator, e.span, { expr: left, span: e.left.span }, { expr: right, span: e.right.span }, scope);
}

function lowerCondition(e: Expression, context: ExpressionContext, unknown: UnknownNames): Expr {
  return condition(lowerExpression(e, context, unknown), e.span, context.scope);
}

/** Lowers an expression that must be true or false. */
export function condition(expr: Expr, span: Span, scope: StateScope): Expr {
  if (!/^(?:read|arithmetic|negate|call|list|object)$/.test(expr.op)) return expr;
  const truth = { expr: { op: 'const', value: true } as const, span };
  scope.typeUses.push({ operator: 'is', span, left: { expr, span }, right: truth });
  return expr;
}

function regexProblem(source: string): string | null {
  try {
    new RegExp(source, 'u');
    return null;
  } catch (error) {
    return (error as Error).message.replace(/^Invalid regular expression: /, '');
  }
}

export type ConstantExpr = Extract<Expr, { op: 'const' }>;

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A number with its digits, if JavaScript would print others. A literal that is not JSON has been reported. */
export function numberConstant({ value, text }: { readonly value: number; readonly text: string }): ConstantExpr {
  const isPlain = (String(value) === text && Math.abs(value) <= Number.MAX_SAFE_INTEGER) || !JSON_NUMBER.test(text);
  return isPlain ? { op: 'const', value } : { op: 'const', value, printed: text };
}

const isConstant = (expr: Expr): expr is ConstantExpr => expr.op === 'const';
const printedOf = ({ value, printed }: ConstantExpr): string => printed ?? JSON.stringify(value);

/** A list, object or negation of constants as one constant, so that defaults and arguments stay plain. */
export function constantOr(expr: Expr): Expr {
  if (expr.op === 'list' && expr.items.every(isConstant)) {
    const value = expr.items.map((item) => item.value);
    const hasPrinted = expr.items.some(({ printed }) => printed !== undefined);
    return { op: 'const', value, ...(hasPrinted ? { printed: `[${expr.items.map(printedOf).join(',')}]` } : {}) };
  }
  if (expr.op === 'object' && expr.entries.every(([, value]) => isConstant(value))) {
    const entries = expr.entries as readonly (readonly [string, ConstantExpr])[];
    const value = Object.fromEntries(entries.map(([key, inner]) => [key, inner.value]));
    const hasPrinted = entries.some(([, { printed }]) => printed !== undefined);
    const members = () => entries.map(([key, inner]) => `${JSON.stringify(key)}:${printedOf(inner)}`).join(',');
    return { op: 'const', value, ...(hasPrinted ? { printed: `{${members()}}` } : {}) };
  }
  if (expr.op === 'negate' && expr.of.op === 'const' && typeof expr.of.value === 'number') {
    const { value, printed } = expr.of;
    return { op: 'const', value: -value, ...(printed === undefined ? {} : { printed: negate(printed) }) };
  }
  return expr;
}

const negate = (literal: string): string => (literal.startsWith('-') ? literal.slice(1) : `-${literal}`);

// ---- templates --------------------------------------------------------------------------------------

export function lowerTemplate(
  template: TextTemplate,
  context: ExpressionContext,
  unknown: UnknownNames = 'error',
): Template {
  const parts: (string | Hole)[] = [];
  for (const part of partsOf(template, context.scope, context)) {
    if (typeof part !== 'string') parts.push(lowerHole(part, context, unknown, false));
    else if (part !== '') parts.push(part);
  }
  lintEmbedded(template, context.scope.shared.diagnostics);
  return parts;
}

export function lowerHole(
  part: Interpolation,
  context: ExpressionContext,
  unknown: UnknownNames,
  shell: boolean,
): Hole {
  const value = shownValue(lowerExpression(part.expression, context, unknown), part, context, shell);
  const file = context.scope.shared.sources[part.span.file];
  // What the compiler itself writes has no text of its own.
  const isWritten = part.span.end > part.span.start;
  const source = isWritten ? (file?.text.slice(part.span.start, part.span.end) ?? '') : '…';
  const filter = part.filter === undefined ? undefined : lowerFilter(part.filter, context, shell);
  return filter === undefined ? { value, source } : { value, filter, source };
}

function shownValue(
  value: Expr,
  { expression, filter }: Interpolation,
  context: ExpressionContext,
  shell: boolean,
): Expr {
  return shell || filter !== undefined ? value : namesOfFiles(value, expression, context);
}

/**
 * The files of a task are names separated by commas in texts and in inputs of a workflow; everywhere else they are a
 * list.
 */
export function namesOfFiles(value: Expr, expression: Expression, context: ExpressionContext): Expr {
  if (expression.kind !== 'field' || expression.name.text !== 'files') return value;
  if (expression.of.kind !== 'name' || !context.isTask(expression.of.name)) return value;
  return { op: 'call', name: 'join', args: [value, { op: 'const', value: ', ' }] };
}

function lowerFilter(
  filter: NonNullable<Interpolation['filter']>,
  context: ExpressionContext,
  shell: boolean,
): Filter | undefined {
  const { diagnostics } = context.scope.shared;
  const name = filter.text;
  if (name === 'json' || name === 'int') return name;
  if (name === 'path' || name === 'file') {
    if (shell) return name;
    diagnostics.push(say.badFilter(filter.span, { name, why: 'works only in shell text' }));
  } else diagnostics.push(say.badFilter(filter.span, { name, why: 'does not exist' }));
  return undefined;
}

/** The text of a template without interpolations; null for other templates. */
export function constantText(template: TextTemplate): string | null {
  return template.parts.every((p) => typeof p === 'string') ? template.parts.join('') : null;
}
