/**
 * Prints expressions and texts from the tree alone, for trees of workflow files, where quotes and escapes differ.
 * Prints only the parentheses that precedence requires.
 */
import { printPath } from '../../prelude/reference.js';
import { unreachable } from '../../prelude/unreachable.js';
import type { Option } from '../syntax/ast.js';
import type { Expression, Interpolation, ObjectEntry, ReferenceGroup, Template } from '../syntax/expression-nodes.js';
import { interpolationEnd } from '../syntax/tokens/interpolation-scan.js';

/** The precedence of an expression. It needs parentheses inside an expression with a higher one. */
function binding(e: Expression): number {
  switch (e.kind) {
    case 'logical':
      return e.operator === 'or' ? 1 : 2;
    case 'not':
      return 3;
    case 'compare':
    case 'test':
      return 4;
    case 'arithmetic':
      return e.operator === '+' || e.operator === '-' ? 5 : 6;
    case 'negate':
      return 7;
    default:
      return 8;
  }
}

export function printExpression(e: Expression, least = 0): string {
  const text = printPart(e);
  return binding(e) < least ? `(${text})` : text;
}

function printPart(e: Expression): string {
  switch (e.kind) {
    case 'number':
      return e.text;
    case 'constant':
      return String(e.value);
    case 'name':
      return e.name;
    case 'text':
      return printQuoted(e.template);
    case 'list':
      return `[${e.items.map((item) => printExpression(item)).join(', ')}]`;
    case 'object':
      return `{${e.entries.map(entryText).join(', ')}}`;
    case 'field':
      return `${printExpression(e.of, 8)}.${e.name.text}`;
    case 'index':
      return `${printExpression(e.of, 8)}[${printExpression(e.index)}]`;
    case 'maybe':
      return `${printExpression(e.of, 8)}?`;
    case 'step-key':
      return `{${e.path}.${e.field}}`;
    case 'call':
      return `${e.name.text}(${e.args.map((arg) => printExpression(arg)).join(', ')})`;
    case 'data-reference':
      return `†${printPath([e.root.text, ...e.path])}`;
    case 'references':
      return printReferences(e);
    case 'negate':
      return `-${printExpression(e.of, 8)}`;
    case 'not':
      return `NOT ${printExpression(e.of, 3)}`;
    case 'arithmetic':
    case 'logical':
    case 'compare':
    case 'test':
      return operation(e);
    case 'broken':
      return '';
    default:
      return unreachable(e);
  }
}

function operation(e: Extract<Expression, { kind: 'arithmetic' | 'logical' | 'compare' | 'test' }>): string {
  const own = binding(e);
  switch (e.kind) {
    case 'test': {
      const word = e.test === 'valid-json' ? 'valid JSON' : e.test;
      const of = printExpression(e.of, own + 1);
      return e.test === 'exists' ? `${of} exists` : `${of} is ${e.negated ? 'not ' : ''}${word}`;
    }
    case 'compare':
      return `${printExpression(e.left, own + 1)} ${e.operator.replace('-', ' ')} ${printExpression(e.right, own + 1)}`;
    default: {
      const operator = e.kind === 'arithmetic' ? e.operator : e.operator.toUpperCase();
      return `${printExpression(e.left, own)} ${operator} ${printExpression(e.right, own + 1)}`;
    }
  }
}

function entryText({ key, value }: ObjectEntry): string {
  return `${/^[A-Za-z_]\w*$/.test(key) ? key : quoteText(key)}: ${printExpression(value)}`;
}

function printReferences({ operator, of }: ReferenceGroup): string {
  const sign = operator === 'any' ? ' || ' : ' && ';
  return of.map((part) => (part.kind === 'data-reference' ? printPart(part) : `(${printReferences(part)})`)).join(sign);
}

// ---- texts ------------------------------------------------------------------------------------------

export function printInterpolation({ expression, filter, list }: Interpolation): string {
  const inner = expression.kind === 'step-key' ? `${expression.path}.${expression.field}` : printExpression(expression);
  return `{${inner}${list ? '*' : ''}${filter === undefined ? '' : `:${filter.text}`}}`;
}

/** The text in double quotes. */
export function printQuoted({ parts }: Pick<Template, 'parts'>): string {
  const texts = parts.map((part, n) => {
    if (typeof part !== 'string') return printInterpolation(part);
    return escapeText(part, parts[n + 1] !== undefined, n > 0);
  });
  return `"${texts.join('')}"`;
}

/** A text without values in double quotes. */
export function quoteText(text: string): string {
  return printQuoted({ parts: [text] });
}

const escapes: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\t': '\\t', '\r': '\\r' };

/** Writes braces that would be read as a value as escapes. `before` and `after` say whether a value precedes or follows the text. */
function escapeText(text: string, before: boolean, after: boolean): string {
  let out = '';
  for (let at = 0; at < text.length; at++) {
    const c = text[at] as string;
    const isOpening = (before && at === text.length - 1) || text[at + 1] === '{' || interpolationEnd(text, at) > 0;
    if (c === '{' && isOpening) out += '\\u{7b}';
    else if (c === '}' && after && at === 0) out += '\\u{7d}';
    else out += escapes[c] ?? (c < ' ' ? `\\u{${c.charCodeAt(0).toString(16)}}` : c);
  }
  return out;
}

/** The text without quotes and escapes. The caller parses it and compares. */
export function printPlain({ parts }: Pick<Template, 'parts'>): string {
  return parts.map((part) => (typeof part === 'string' ? doubleBraces(part) : printInterpolation(part))).join('');
}

/** The braces of `{x}` are doubled if it is text and not a value. */
function doubleBraces(text: string): string {
  let out = '';
  for (let at = 0; at < text.length; at++) {
    const end = text[at] === '{' && text[at - 1] !== '{' ? interpolationEnd(text, at) : -1;
    if (end > 0 && text[end] !== '}') {
      out += `{${text.slice(at, end)}}`;
      at = end - 1;
    } else out += text[at];
  }
  return out;
}

/** `key=value`, in quotes if the value needs them. */
export function printOption({ key, value }: Option): string {
  return value === undefined ? key.text : `${key.text}=${printWord(value)}`;
}

/** A text of one word without quotes, any other with them. */
export function printWord(template: Template): string {
  const plain = printPlain(template);
  return /^(?:\{[^{}\n]*\}|[^\s,"'{}[\]()=→\\|#]|(?<!-)>)+$/.test(plain) && !plain.includes('->')
    ? plain
    : printQuoted(template);
}
