/**
 * Prints expressions. Keeps the author's parentheses even if precedence does not require them, because they show the
 * intention.
 */
import { unreachable } from '../../prelude/unreachable.js';
import type { CompareOperator, Expression } from '../syntax/expression-nodes.js';
import { referencesText } from './format-call.js';
import { gap, type SourceText } from './source-text.js';

export function formatExpression(expression: Expression, source: SourceText): string {
  // The text of the group contains its parentheses; they are not part of the enclosing syntax.
  if (expression.kind === 'references') return referencesText(expression, source);
  const inner = withoutParentheses(expression, source);
  const text = inner.braced ? source.text.slice(inner.start, inner.end) : formatPlain(expression, source, inner);
  return inner.parenthesised ? `(${text})` : text;
}

/** The range of an expression without the parentheses and braces that enclose it. */
interface InnerRange {
  readonly start: number;
  readonly end: number;
  readonly parenthesised: boolean;
  /** `{x}`, the value of a name or a path. */
  readonly braced: boolean;
}

function withoutParentheses(expression: Expression, source: SourceText): InnerRange {
  let { start, end } = expression.span;
  const first = leftmostPart(expression)?.span.start ?? end;
  let parenthesised = false;
  while (source.text[start] === '(' && start < first) {
    parenthesised = true;
    start = skipForward(source.text, start + 1);
    end = skipBackward(source.text, end - 1);
  }
  const braced = source.text[start] === '{' && start < first && expression.kind !== 'object';
  return { start, end, parenthesised, braced };
}

/** The leftmost operand of an expression, if it begins with one. */
function leftmostPart(expression: Expression): Expression | undefined {
  switch (expression.kind) {
    case 'field':
    case 'index':
    case 'maybe':
    case 'test':
      return expression.of;
    case 'arithmetic':
    case 'logical':
    case 'compare':
      return expression.left;
    default:
      return undefined;
  }
}

const between = /\s|\\/;

function skipForward(text: string, at: number): number {
  let start = at;
  while (between.test(text.charAt(start))) start++;
  return start;
}

function skipBackward(text: string, at: number): number {
  let end = at;
  while (between.test(text.charAt(end - 1))) end--;
  return end;
}

function formatPlain(e: Expression, source: SourceText, inner: InnerRange): string {
  switch (e.kind) {
    case 'number':
    case 'constant':
    case 'name':
    case 'data-reference':
    case 'broken':
      return source.text.slice(inner.start, inner.end);
    case 'references':
      return referencesText(e, source);
    case 'text':
      return e.template.raw;
    case 'list':
      return `[${series(e.items, source)}]`;
    case 'object':
      return objectText(e, source, inner.start + 1);
    case 'field':
      return `${formatExpression(e.of, source)}.${e.name.text}`;
    case 'index':
      return `${formatExpression(e.of, source)}[${formatExpression(e.index, source)}]`;
    case 'maybe':
      return `${formatExpression(e.of, source)}?`;
    case 'step-key':
      return `${e.path}.${e.field}`;
    case 'call':
      return `${e.name.text}(${series(e.args, source)})`;
    case 'negate':
      return `-${formatExpression(e.of, source)}`;
    case 'not':
      return `NOT ${formatExpression(e.of, source)}`;
    case 'arithmetic':
      return binary(e, e.operator, source);
    case 'logical':
      return binary(e, e.operator === 'and' ? 'AND' : 'OR', source);
    case 'compare':
      return binary(e, comparison(e.operator), source);
    case 'test':
      return `${formatExpression(e.of, source)} ${testWords(e)}`;
    default:
      return unreachable(e);
  }
}

/** The expressions of a list or of a call. */
function series(items: readonly Expression[], source: SourceText): string {
  let text = '';
  items.forEach((item, i) => {
    const before = items[i - 1];
    if (before !== undefined) text += `,${gap(source, before.span.end, item.span.start)}`;
    text += formatExpression(item, source);
  });
  return text;
}

/** Keys keep their spelling, with or without quotes. `at` is the offset after the brace. */
function objectText(e: Extract<Expression, { kind: 'object' }>, source: SourceText, at: number): string {
  let text = '';
  let end = at;
  e.entries.forEach((entry, i) => {
    const value = entry.value.span.start;
    const key = skipForward(source.text, skipComma(source.text, end));
    const colon = source.text.lastIndexOf(':', value - 1);
    if (i > 0) text += `,${gap(source, end, key)}`;
    text += `${source.text.slice(key, skipBackward(source.text, colon))}: ${formatExpression(entry.value, source)}`;
    end = entry.value.span.end;
  });
  return `{${text}}`;
}

function skipComma(text: string, at: number): number {
  const comma = skipForward(text, at);
  return text[comma] === ',' ? comma + 1 : comma;
}

type Binary = Extract<Expression, { kind: 'arithmetic' | 'logical' | 'compare' }>;

/** Lines are broken before an operator, so that each line shows its relation to the previous one. */
function binary(e: Binary, operator: string, source: SourceText): string {
  const space = gap(source, e.left.span.end, e.right.span.start);
  return `${formatExpression(e.left, source)}${space}${operator} ${formatExpression(e.right, source)}`;
}

function comparison(operator: CompareOperator): string {
  return operator.replace('-', ' ');
}

function testWords(e: Extract<Expression, { kind: 'test' }>): string {
  const not = e.negated ? 'not ' : '';
  switch (e.test) {
    case 'exists':
      return 'exists';
    case 'valid-json':
      return `is ${not}valid JSON`;
    case 'empty':
    case 'null':
      return `is ${not}${e.test}`;
    default:
      return unreachable(e.test);
  }
}
