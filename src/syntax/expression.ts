/**
 * Concrete expressions to trees. The grammar gives operands and operators in a row; the binding strength of the
 * operators is decided here: OR, AND, NOT, comparisons, sums, products, signs, from the loosest to the closest.
 */
import type { CstElement, CstNode, IToken } from 'chevrotain';
import {
  badCharacter,
  chainedComparison,
  missingPart,
  nestedTooDeep,
  operatorSpelling,
  unclosedBracket,
} from '../source/catalogue/syntax.js';
import type { Diagnostic } from '../source/diagnostic.js';
import type { CompareOperator, Expression, ObjectEntry } from './ast.js';
import {
  child,
  children,
  emptySpanAt,
  endOf,
  fixAt,
  isNode,
  nameOf,
  parts,
  type Reading,
  report,
  reportMissing,
  span,
  spanOf,
  startOf,
  token,
  tokenEnd,
  tokenSpan,
  tokens,
} from './cst.js';
import { constants, quotedTemplate, scanInterpolation } from './interpolation.js';
import { tokenize } from './lexer.js';
import { parseExpressionTokens } from './parser.js';

/** Operators and path segments from the outside of an expression to its innermost part. */
const deepestExpression = 1000;

export interface ParsedExpression {
  readonly expression: Expression;
  readonly diagnostics: Diagnostic[];
  /** Whether all of the text is one expression. */
  readonly complete: boolean;
}

/** Reads `text` as one expression. `base` is its place in the file. Never throws. */
export function parseExpressionText(text: string, base: number, fileIndex: number): ParsedExpression {
  const reading: Reading = { text, base, file: fileIndex, diagnostics: [], blamed: false };
  const lexed = tokenize(text, 'expression');
  const last = lexed.tokens[lexed.tokens.length - 1];
  if (last?.tokenType.name === 'Newline') lexed.tokens.pop();
  for (const error of lexed.errors) {
    const character = String.fromCodePoint(text.codePointAt(error.offset) ?? 0);
    report(reading, badCharacter(span(reading, error.offset, error.offset + error.length), { character }));
  }
  const broken: Expression = { kind: 'broken', span: span(reading, 0, text.length) };
  if (lexed.tokens.length === 0) {
    report(reading, missingPart(broken.span, { what: 'a value', after: text.trim() }));
    return { expression: broken, diagnostics: reading.diagnostics, complete: false };
  }
  const { tree, complete } = parseExpressionTokens(lexed.tokens);
  const expression = tree === undefined ? broken : buildExpression(reading, tree);
  return {
    expression,
    diagnostics: reading.diagnostics,
    complete: complete && lexed.errors.length === 0 && expression.kind !== 'broken',
  };
}

/** Operands and operators of one expression, and how far the reader has come. */
interface Row {
  readonly reading: Reading;
  readonly parts: readonly CstElement[];
  at: number;
  /** Operators around this expression. */
  readonly around: number;
}

/** The tree of an `expression` node. `around` counts the operators that enclose it. */
export function buildExpression(reading: Reading, node: CstNode, around = 0): Expression {
  const row: Row = { reading, parts: parts(node), at: 0, around: around + parts(node).length };
  if (row.around > deepestExpression) return tooDeep(reading, node);
  return readOr(row);
}

function tooDeep(reading: Reading, node: CstNode): Expression {
  const where = spanOf(reading, node);
  if (!reading.blamed) report(reading, nestedTooDeep(where, { what: 'operators', limit: deepestExpression }));
  reading.blamed = true;
  return { kind: 'broken', span: where };
}

function peek(row: Row): string {
  const element = row.parts[row.at];
  return element === undefined || isNode(element) ? '' : element.tokenType.name;
}

function take(row: Row): IToken {
  return row.parts[row.at++] as IToken;
}

function spelling(row: Row, operator: IToken, meant: string): void {
  if (operator.image === meant) return;
  const where = tokenSpan(row.reading, operator);
  report(row.reading, operatorSpelling(where, { written: operator.image, meant, fix: fixAt(where, meant) }));
}

function around(left: Expression, right: Expression) {
  return { file: left.span.file, start: left.span.start, end: Math.max(left.span.end, right.span.end) };
}

function readOr(row: Row): Expression {
  let left = readAnd(row);
  while (peek(row) === 'Or') {
    spelling(row, take(row), 'OR');
    const right = readAnd(row);
    left = { kind: 'logical', operator: 'or', left, right, span: around(left, right) };
  }
  return left;
}

function readAnd(row: Row): Expression {
  let left = readNot(row);
  while (peek(row) === 'And') {
    spelling(row, take(row), 'AND');
    const right = readNot(row);
    left = { kind: 'logical', operator: 'and', left, right, span: around(left, right) };
  }
  return left;
}

function readNot(row: Row): Expression {
  const negations: IToken[] = [];
  while (peek(row) === 'Not') {
    const operator = take(row);
    if (operator.image === '!') {
      const where = tokenSpan(row.reading, operator);
      report(row.reading, operatorSpelling(where, { written: '!', meant: 'NOT', fix: fixAt(where, 'NOT ') }));
    } else spelling(row, operator, 'NOT');
    negations.push(operator);
  }
  let of = readComparison(row);
  for (const operator of negations.reverse()) {
    const start = row.reading.base + operator.startOffset;
    of = { kind: 'not', of, span: { ...of.span, start } };
  }
  return of;
}

function readComparison(row: Row): Expression {
  let left = readSum(row);
  for (let count = 0; ; count++) {
    const kind = peek(row);
    if (kind !== 'Compare' && kind !== 'Relation' && kind !== 'Assign' && kind !== 'Test') return left;
    const operator = take(row);
    const operatorSpan = tokenSpan(row.reading, operator);
    if (count === 1) report(row.reading, chainedComparison(operatorSpan, {}));
    if (kind === 'Test') left = testOf(row, left, operator);
    else {
      const name = compareOperator(row, operator);
      const right = readSum(row);
      left = { kind: 'compare', operator: name, left, right, operatorSpan, span: around(left, right) };
    }
  }
}

function testOf(row: Row, of: Expression, operator: IToken): Expression {
  const words = operator.image.split(/[ \t]+/);
  const negated = words[1] === 'not';
  const last = words[words.length - 1];
  const test = last === 'JSON' ? 'valid-json' : (last as 'empty' | 'null' | 'exists');
  return { kind: 'test', test, negated, of, span: { ...of.span, end: row.reading.base + tokenEnd(operator) } };
}

const otherSpellings: Readonly<Record<string, CompareOperator>> = { '=': '==', '===': '==', '!==': '!=', '<>': '!=' };

function compareOperator(row: Row, operator: IToken): CompareOperator {
  const other = otherSpellings[operator.image];
  if (other !== undefined) {
    spelling(row, operator, other);
    return other;
  }
  return operator.image.split(/[ \t]+/).join('-') as CompareOperator;
}

function readSum(row: Row): Expression {
  let left = readProduct(row);
  while (peek(row) === 'Sum') {
    const operator = take(row).image as '+' | '-';
    const right = readProduct(row);
    left = { kind: 'arithmetic', operator, left, right, span: around(left, right) };
  }
  return left;
}

function readProduct(row: Row): Expression {
  let left = readSigned(row);
  while (peek(row) === 'Product') {
    const operator = take(row).image as '*' | '/' | '%';
    const right = readSigned(row);
    left = { kind: 'arithmetic', operator, left, right, span: around(left, right) };
  }
  return left;
}

function readSigned(row: Row): Expression {
  const signs: IToken[] = [];
  while (peek(row) === 'Sum' || peek(row) === 'Not') {
    const sign = take(row);
    if (sign.image !== '-') {
      const where = tokenSpan(row.reading, sign);
      const help = sign.image === '+' ? '' : `(${sign.image} …)`;
      report(row.reading, operatorSpelling(where, { written: sign.image, meant: help, fix: fixAt(where, '') }));
    } else signs.push(sign);
  }
  let of = readOperand(row);
  for (const sign of signs.reverse()) {
    of = { kind: 'negate', of, span: { ...of.span, start: row.reading.base + sign.startOffset } };
  }
  return of;
}

function readOperand(row: Row): Expression {
  const element = row.parts[row.at];
  if (element !== undefined && isNode(element)) {
    row.at++;
    return buildOperand(row.reading, element, row.around);
  }
  const before = row.parts[row.at - 1];
  const end = before === undefined ? 0 : endOf(before);
  const where = span(row.reading, end, end);
  const after = before === undefined || isNode(before) ? '' : before.image;
  const blamed = before === undefined || isNode(before) ? where : tokenSpan(row.reading, before as IToken);
  reportMissing(row.reading, missingPart(blamed, { what: 'a value', after }));
  return { kind: 'broken', span: where };
}

// ---- operands ---------------------------------------------------------------------------------------

function buildOperand(reading: Reading, node: CstNode, aroundCount: number): Expression {
  const list = parts(node);
  const depth = aroundCount + list.length - 1;
  if (depth > deepestExpression) return tooDeep(reading, node);
  const first = list[0] as CstElement;
  const second = list[1];
  let at = 1;
  let expression: Expression;
  if (second !== undefined && isNode(second) && second.name === 'call' && !isNode(first)) {
    expression = buildCall(reading, first, second, depth);
    at = 2;
  } else expression = buildPrimary(reading, first, depth);
  for (; at < list.length; at++) expression = buildPostfix(reading, expression, list[at] as CstElement, depth);
  return expression;
}

function buildPostfix(reading: Reading, of: Expression, element: CstElement, depth: number): Expression {
  const where = { ...of.span, end: reading.base + endOf(element) };
  if (isNode(element)) {
    const inner = child(element, 'expression');
    closed(reading, element, 'LBracket', 'RBracket', '[', ']');
    if (inner === undefined) {
      reportMissing(reading, missingPart(spanOf(reading, element), { what: 'an index', after: '[' }));
      return { kind: 'broken', span: where };
    }
    return { kind: 'index', of, index: buildExpression(reading, inner, depth), span: where };
  }
  if (element.tokenType.name === 'Question') return { kind: 'maybe', of, span: where };
  const text = element.image.replace(/^\.[ \t]*/, '');
  const end = tokenEnd(element);
  return { kind: 'field', of, name: { text, span: span(reading, end - text.length, end) }, span: where };
}

function buildCall(reading: Reading, name: IToken, node: CstNode, depth: number): Expression {
  closed(reading, node, 'LParen', 'RParen', '(', ')');
  const items = child(node, 'items');
  const args = items === undefined ? [] : buildItems(reading, items, depth);
  return { kind: 'call', name: nameOf(reading, name), args, span: span(reading, name.startOffset, endOf(node)) };
}

/** The expressions of a list or of arguments; a comma that is followed by nothing is reported. */
export function buildItems(reading: Reading, node: CstNode, depth = 0): Expression[] {
  const items = children(node, 'expression');
  const commas = tokens(node, 'Comma');
  if (commas.length >= items.length) {
    const comma = commas[commas.length - 1] as IToken;
    reportMissing(reading, missingPart(tokenSpan(reading, comma), { what: 'a value', after: ',' }));
  }
  return items.map((item) => buildExpression(reading, item, depth));
}

function buildPrimary(reading: Reading, element: CstElement, depth: number): Expression {
  if (isNode(element)) return buildBracketed(reading, element, depth);
  const where = tokenSpan(reading, element);
  switch (element.tokenType.name) {
    case 'Number':
      return { kind: 'number', value: Number(element.image), text: element.image, span: where };
    case 'Quoted':
      return { kind: 'text', template: quotedTemplate(reading, element.image, element.startOffset), span: where };
    case 'Braced':
      return bracedExpression(reading, element);
    case 'Dagger':
      return daggerExpression(reading, element);
    default: {
      const constant = constants.get(element.image);
      if (constant !== undefined) return { kind: 'constant', value: constant, span: where };
      return { kind: 'name', name: element.image, span: where };
    }
  }
}

function buildBracketed(reading: Reading, node: CstNode, depth: number): Expression {
  const where = spanOf(reading, node);
  if (node.name === 'group') {
    closed(reading, node, 'LParen', 'RParen', '(', ')');
    const inner = child(node, 'expression');
    if (inner !== undefined) return { ...buildExpression(reading, inner, depth), span: where };
    reportMissing(reading, missingPart(where, { what: 'a value', after: '(' }));
    return { kind: 'broken', span: where };
  }
  if (node.name === 'list') {
    closed(reading, node, 'LBracket', 'RBracket', '[', ']');
    const items = child(node, 'items');
    return { kind: 'list', items: items === undefined ? [] : buildItems(reading, items, depth), span: where };
  }
  closed(reading, node, 'LBrace', 'RBrace', '{', '}');
  return {
    kind: 'object',
    entries: children(node, 'entry').map((entry) => buildEntry(reading, entry, depth)),
    span: where,
  };
}

function buildEntry(reading: Reading, node: CstNode, depth: number): ObjectEntry {
  const name = token(node, 'Name');
  const quoted = token(node, 'Quoted');
  const value = child(node, 'expression');
  const where = spanOf(reading, node);
  const key = name?.image ?? (quoted === undefined ? '' : keyText(reading, quoted));
  if (value !== undefined && token(node, 'Colon') !== undefined)
    return { key, value: buildExpression(reading, value, depth) };
  reportMissing(reading, missingPart(where, { what: 'a value', after: key, example: `${key}: 1` }));
  return { key, value: { kind: 'broken', span: where } };
}

/** Keys are fixed: braces in one are just braces. */
function keyText(reading: Reading, quoted: IToken): string {
  const template = quotedTemplate(reading, quoted.image, quoted.startOffset);
  return template.parts
    .map((piece) =>
      typeof piece === 'string'
        ? piece
        : reading.text.slice(piece.span.start - reading.base, piece.span.end - reading.base),
    )
    .join('');
}

function bracedExpression(reading: Reading, braced: IToken): Expression {
  const where = tokenSpan(reading, braced);
  const base = (offset: number): number => reading.base + braced.startOffset + offset;
  const found = scanInterpolation(braced.image, 0, reading.file, base, false);
  if (found === null || found.end !== braced.image.length) {
    report(reading, missingPart(where, { what: 'a name, a path or a call', after: '{' }));
    return { kind: 'broken', span: where };
  }
  if (found.interpolation.filter === undefined) return { ...found.interpolation.expression, span: where };
  const template = { parts: [found.interpolation], quote: 'none', raw: braced.image, span: where } as const;
  return { kind: 'text', template, span: where };
}

const daggerSegment = /\.(\w+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g;

function daggerExpression(reading: Reading, dagger: IToken): Expression {
  const where = tokenSpan(reading, dagger);
  const root = /^†(\w*)/.exec(dagger.image)?.[1] ?? '';
  if (root === '') reportMissing(reading, missingPart(where, { what: 'a kind', after: '†', example: '†state.name' }));
  const path: (string | number)[] = [];
  for (const found of dagger.image.slice(1 + root.length).matchAll(daggerSegment)) {
    if (found[1] !== undefined) path.push(found[1]);
    else if (found[2] !== undefined) path.push(Number(found[2]));
    else path.push(jsonText(found[3] as string));
  }
  const rootSpan = { ...where, start: where.start + 1, end: where.start + 1 + root.length };
  return { kind: 'dagger', root: { text: root, span: rootSpan }, path, span: where };
}

function jsonText(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1);
  }
}

function closed(reading: Reading, node: CstNode, opening: string, closing: string, open: string, close: string): void {
  const bracket = token(node, opening);
  if (bracket === undefined || token(node, closing) !== undefined) return;
  reportMissing(reading, unclosedBracket(tokenSpan(reading, bracket), { open, close }));
}

/** The place just after an element, for what is missing there. */
export function placeAfter(reading: Reading, element: CstElement) {
  return emptySpanAt(span(reading, startOf(element), endOf(element)));
}
