/**
 * Expressions and templates to text. Spacing and brackets are decided here; literals, and values written in
 * braces, stay as their author wrote them.
 */
import type { Argument, Expression, ObjectEntry } from '../syntax/ast.js';

/** The text a program was read from: `base` is the offset of its first character in the file. */
export interface Source {
  readonly text: string;
  readonly base: number;
}

export function sourceSlice(source: Source, start: number, end: number): string {
  return source.text.slice(start - source.base, end - source.base);
}

/** Binding strength, from the loosest to the closest. */
const strength = { or: 1, and: 2, not: 3, compare: 4, sum: 5, product: 6, sign: 7, postfix: 8 } as const;

function strengthOf(expression: Expression): number {
  switch (expression.kind) {
    case 'logical':
      return strength[expression.operator];
    case 'not':
      return strength.not;
    case 'compare':
    case 'test':
      return strength.compare;
    case 'arithmetic':
      return expression.operator === '+' || expression.operator === '-' ? strength.sum : strength.product;
    case 'negate':
      return strength.sign;
    default:
      return strength.postfix;
  }
}

export function formatExpression(source: Source, expression: Expression, least: number = strength.or): string {
  if (isBraced(source, expression)) return sourceSlice(source, expression.span.start, expression.span.end);
  const text = unbracketed(source, expression);
  return strengthOf(expression) < least ? `(${text})` : text;
}

/** Written `{x}`: the braces tell a value from a word, so they stay. */
function isBraced(source: Source, expression: Expression): boolean {
  const { start } = expression.span;
  switch (expression.kind) {
    case 'name':
    case 'field':
    case 'index':
    case 'maybe':
    case 'call':
    case 'dagger':
    case 'constant':
      return source.text[start - source.base] === '{' && closesWith(source, expression);
    default:
      return false;
  }
}

/** A path such as `{x}.y` begins with a brace and is not all braces. */
function closesWith(source: Source, expression: Expression): boolean {
  return source.text[expression.span.end - 1 - source.base] === '}';
}

function unbracketed(source: Source, expression: Expression): string {
  const inner = (of: Expression, least: number): string => formatExpression(source, of, least);
  switch (expression.kind) {
    case 'number':
      return expression.text;
    case 'text':
      return expression.template.raw;
    case 'constant':
      return String(expression.value);
    case 'list':
      return `[${expression.items.map((item) => inner(item, strength.or)).join(', ')}]`;
    case 'object':
      return formatObject(source, expression.entries);
    case 'name':
      return expression.name;
    case 'field':
      return `${inner(expression.of, strength.postfix)}.${expression.name.text}`;
    case 'index':
      return `${inner(expression.of, strength.postfix)}[${inner(expression.index, strength.or)}]`;
    case 'maybe':
      return `${inner(expression.of, strength.postfix)}?`;
    case 'call':
      return `${expression.name.text}(${expression.args.map((arg) => inner(arg, strength.or)).join(', ')})`;
    case 'dagger':
    case 'broken':
      return sourceSlice(source, expression.span.start, expression.span.end);
    case 'negate':
      return `-${inner(expression.of, strength.sign)}`;
    case 'not':
      return `NOT ${inner(expression.of, strength.not)}`;
    case 'arithmetic': {
      const own = strengthOf(expression);
      return `${inner(expression.left, own)} ${expression.operator} ${inner(expression.right, own + 1)}`;
    }
    case 'logical': {
      const own = strengthOf(expression);
      return `${inner(expression.left, own)} ${expression.operator.toUpperCase()} ${inner(expression.right, own + 1)}`;
    }
    case 'compare': {
      const operator = expression.operator.replaceAll('-', ' ');
      return `${inner(expression.left, strength.sum)} ${operator} ${inner(expression.right, strength.sum)}`;
    }
    case 'test':
      return `${inner(expression.of, strength.sum)} ${testWords(expression.test, expression.negated)}`;
    default:
      return unreachable(expression);
  }
}

function testWords(test: 'empty' | 'null' | 'exists' | 'valid-json', negated: boolean): string {
  if (test === 'exists') return 'exists';
  const words = test === 'valid-json' ? 'valid JSON' : test;
  return negated ? `is not ${words}` : `is ${words}`;
}

function formatObject(source: Source, entries: readonly ObjectEntry[]): string {
  const list = entries.map((entry) => {
    const key = /^[A-Za-z_]\w*$/.test(entry.key) ? entry.key : JSON.stringify(entry.key);
    return `${key}: ${formatExpression(source, entry.value)}`;
  });
  return entries.length === 0 ? '{}' : `{ ${list.join(', ')} }`;
}

/** ` with a=1, b`. In an agent call `>` begins a file name, so comparisons are put in brackets there. */
export function formatArguments(source: Source, args: readonly Argument[], agent = false): string {
  if (args.length === 0) return '';
  return ` with ${args.map((arg) => formatArgument(source, arg, agent)).join(', ')}`;
}

function formatArgument(source: Source, { name, value }: Argument, agent: boolean): string {
  if (value === undefined) return name.text;
  if (value.kind === 'word') return `${name.text}=${value.word.text}`;
  const { expression } = value;
  const text = formatExpression(source, expression, agent ? strength.sum : strength.or);
  // A lone word after `=` is text: the value of a variable needs braces, however it was written.
  const lone = expression.kind === 'name' && !text.startsWith('{');
  return `${name.text}=${lone ? `{${text}}` : text}`;
}

export function unreachable(value: never): never {
  throw new Error(`no such kind: ${JSON.stringify(value)}`);
}
