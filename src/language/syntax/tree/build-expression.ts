/**
 * Builds trees from concrete expressions. The grammar returns operands and operators in a row. This file applies
 * precedence, from lowest to highest: OR, AND, NOT, comparisons, sums, products, signs.
 */

import {
  badCharacter,
  badNumber,
  chainedComparison,
  literalArithmetic,
  misplacedOperator,
  missingPart,
  nestedTooDeep,
  operatorSpelling,
} from '../../source/catalogue/syntax.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { CompareOperator, Expression } from '../expression-nodes.js';
import type { SyntaxElement, SyntaxNode } from '../grammar/cst.js';
import {
  endOf,
  fixAt,
  isNode,
  type ParseContext,
  parts,
  report,
  reportMissing,
  span,
  spanOf,
  tokenEnd,
  tokenSpan,
} from '../grammar/cst.js';
import { parseExpressionTokens } from '../grammar/parser.js';
import { dataReferenceEnd } from '../tokens/interpolation-scan.js';
import { tokenize } from '../tokens/lexer.js';
import type { Token } from '../tokens/token.js';
import { deepestBrackets } from '../tokens/token.js';
import { actionVerbs } from '../tokens/verbs.js';
import { buildDataReference } from './build-references.js';
import { buildOperand } from './operand.js';

/** The maximum depth of an expression, counted in operators and path segments. */
export const deepestExpression = 1000;

export interface ParsedExpression {
  readonly expression: Expression;
  readonly diagnostics: Diagnostic[];
  /** Whether the whole text is one expression. */
  readonly complete: boolean;
}

/** Parses `text` as one expression. `base` is its position in the file. Never throws. */
export function parseExpressionText(text: string, base: number, fileIndex: number): ParsedExpression {
  const context: ParseContext = { text, base, file: fileIndex, diagnostics: [], blamed: false };
  // Most texts in braces that are no simple paths.
  if (text[0] === '†' && dataReferenceEnd(text, 0) === text.length)
    return { expression: buildDataReference(context, text, 0), diagnostics: context.diagnostics, complete: true };
  const lexed = tokenize(text, 'expression');
  const last = lexed.tokens[lexed.tokens.length - 1];
  if (last?.tokenType.name === 'Newline') lexed.tokens.pop();
  for (const error of lexed.errors) {
    const character = String.fromCodePoint(text.codePointAt(error.offset) ?? 0);
    report(context, badCharacter(span(context, error.offset, error.offset + error.length), { character }));
  }
  const broken: Expression = { kind: 'broken', span: span(context, 0, text.length) };
  if (lexed.tokens.length === 0) {
    report(context, missingPart(broken.span, { what: 'a value', after: text.trim() }));
    return { expression: broken, diagnostics: context.diagnostics, complete: false };
  }
  const deep = lexed.tokens.find(({ tokenType }) => tokenType.name === 'TooDeep');
  if (deep !== undefined) {
    const where = span(context, deep.startOffset, deep.startOffset + 1);
    report(context, nestedTooDeep(where, { what: 'brackets', limit: deepestBrackets }));
    return { expression: broken, diagnostics: context.diagnostics, complete: false };
  }
  const { tree, stuck } = parseExpressionTokens(lexed.tokens);
  const expression = tree === undefined ? broken : buildExpression(context, tree);
  return {
    expression,
    diagnostics: context.diagnostics,
    complete: stuck === undefined && lexed.errors.length === 0 && expression.kind !== 'broken',
  };
}

/** The operands and operators of one expression, and the current position. */
interface OperatorRow {
  readonly context: ParseContext;
  readonly parts: readonly SyntaxElement[];
  at: number;
  /** The number of operators that enclose this expression. */
  readonly around: number;
  /** Whether parentheses enclose it. */
  readonly isGroup: boolean;
}

/** The tree of an `expression` node. `around` is the number of enclosing operators. */
export function buildExpression(context: ParseContext, node: SyntaxNode, around = 0, isGroup = false): Expression {
  const row: OperatorRow = { context, parts: parts(node), at: 0, around: around + parts(node).length, isGroup };
  if (row.around > deepestExpression) return tooDeep(context, node);
  return readOr(row);
}

export function tooDeep(context: ParseContext, node: SyntaxNode): Expression {
  const where = spanOf(context, node);
  if (!context.blamed) report(context, nestedTooDeep(where, { what: 'operators', limit: deepestExpression }));
  context.blamed = true;
  return { kind: 'broken', span: where };
}

function peek(row: OperatorRow): string {
  const element = row.parts[row.at];
  return element === undefined || isNode(element) ? '' : element.tokenType.name;
}

function take(row: OperatorRow): Token {
  return row.parts[row.at++] as Token;
}

function spelling(row: OperatorRow, operator: Token, meant: string, isSure = true): void {
  if (operator.image === meant) return;
  const where = tokenSpan(row.context, operator);
  report(row.context, operatorSpelling(where, { written: operator.image, meant, fix: fixAt(where, meant, isSure) }));
}

/** In other languages `a or "b"` is one of two values. */
function areConditions(...sides: readonly Expression[]): boolean {
  return sides.every(({ kind }) => kind === 'compare' || kind === 'test' || kind === 'not' || kind === 'logical');
}

function spanAround(left: Expression, right: Expression) {
  return { file: left.span.file, start: left.span.start, end: Math.max(left.span.end, right.span.end) };
}

function readOr(row: OperatorRow): Expression {
  let left = readAnd(row);
  while (peek(row) === 'Or') {
    const operator = take(row);
    const right = readAnd(row);
    spelling(row, operator, 'OR', isConditionAt(row, operator) || areConditions(left, right));
    left = { kind: 'logical', operator: 'or', left, right, span: spanAround(left, right) };
  }
  return left;
}

function readAnd(row: OperatorRow): Expression {
  let left = readNot(row);
  while (peek(row) === 'And') {
    const operator = take(row);
    const right = readNot(row);
    spelling(row, operator, 'AND', isConditionAt(row, operator) || areConditions(left, right));
    left = { kind: 'logical', operator: 'and', left, right, span: spanAround(left, right) };
  }
  return left;
}

function readNot(row: OperatorRow): Expression {
  if (peek(row) !== 'Not') return readComparison(row);
  const negations: Token[] = [];
  while (peek(row) === 'Not') {
    const operator = take(row);
    if (operator.image === '!') {
      const where = tokenSpan(row.context, operator);
      report(row.context, operatorSpelling(where, { written: '!', meant: 'NOT', fix: fixAt(where, 'NOT ') }));
    } else spelling(row, operator, 'NOT');
    negations.push(operator);
  }
  let of = readComparison(row);
  for (const operator of negations.reverse()) {
    const start = row.context.base + operator.startOffset;
    of = { kind: 'not', of, span: { ...of.span, start } };
  }
  return of;
}

function readComparison(row: OperatorRow): Expression {
  let left = readSum(row);
  for (let count = 0; ; count++) {
    const kind = peek(row);
    if (kind !== 'Compare' && kind !== 'Relation' && kind !== 'Assign' && kind !== 'Test') return left;
    const operator = take(row);
    const operatorSpan = tokenSpan(row.context, operator);
    if (count === 1) report(row.context, chainedComparison(operatorSpan, {}));
    if (kind === 'Test') left = testOf(row, left, operator);
    else {
      const name = compareOperator(row, operator);
      const right = readSum(row);
      left = { kind: 'compare', operator: name, left, right, operatorSpan, span: spanAround(left, right) };
    }
  }
}

function testOf(row: OperatorRow, of: Expression, operator: Token): Expression {
  const words = operator.image.split(/[ \t]+/);
  const negated = words[1] === 'not';
  const last = words[words.length - 1];
  const test = last === 'JSON' ? 'valid-json' : (last as 'empty' | 'null' | 'exists');
  return { kind: 'test', test, negated, of, span: { ...of.span, end: row.context.base + tokenEnd(operator) } };
}

const otherSpellings: Readonly<Record<string, CompareOperator>> = {
  '=': '==',
  '===': '==',
  '!==': '!=',
  '<>': '!=',
  '=>': '>=',
  '=<': '<=',
};

function compareOperator(row: OperatorRow, operator: Token): CompareOperator {
  const other = otherSpellings[operator.image];
  if (other !== undefined) {
    const { isSure, meant } = meantComparison(row, operator, other);
    spelling(row, operator, meant, isSure);
    return other;
  }
  const { image } = operator;
  return (image.length <= 2 ? image : image.split(/[ \t]+/).join('-')) as CompareOperator;
}

/** The codes of the mistakes in literals. What has them is an expression. */
export const ofLiterals: ReadonlySet<string> = new Set(['literal-arithmetic', 'bad-number', 'duplicate-argument']);

/** Reports numbers and arithmetic that a reader takes for a text: `007`, `2026-11-28`, `24/7`. */
function checkLiterals(context: ParseContext, e: Expression): void {
  if (e.kind === 'number' || (e.kind === 'negate' && e.of.kind === 'number')) {
    const { text, value } = e.kind === 'number' ? e : (e.of as Extract<Expression, { kind: 'number' }>);
    if (!/^0\d/.test(text) && Number.isFinite(value)) return;
    report(context, badNumber(e.span, { text: e.kind === 'number' ? text : `-${text}` }));
  } else if (e.kind === 'negate') checkLiterals(context, e.of);
  else if (e.kind === 'arithmetic') {
    if (isLiteral(e) && hasTightOperator(e)) {
      const text = context.text.slice(e.span.start - context.base, e.span.end - context.base);
      report(context, literalArithmetic(e.span, { text }));
      return;
    }
    checkLiterals(context, e.left);
    checkLiterals(context, e.right);
  }
}

function isLiteral(e: Expression): boolean {
  if (e.kind === 'negate') return isLiteral(e.of);
  if (e.kind === 'arithmetic') return isLiteral(e.left) && isLiteral(e.right);
  return e.kind === 'number' || e.kind === 'constant';
}

function hasTightOperator(e: Expression): boolean {
  if (e.kind === 'negate') return hasTightOperator(e.of);
  if (e.kind !== 'arithmetic') return false;
  return e.right.span.start - e.left.span.end === 1 || hasTightOperator(e.left) || hasTightOperator(e.right);
}

const conditional = /^[ \t]*(?:ELSE[ \t]+)?(?:IF|WAIT)(?!\w)(?!.*(?:→|->))/i;
const arrowAhead = /^[^\n"']*(?:→|->)/;
const beginsAction = new RegExp(`^[ \\t]*(?:${actionVerbs.join('|').replaceAll(' ', '[ \\t]+')})(?![\\w.(=-])`, 'i');

/** Whether an operator is in the condition of an IF or a WAIT, where nothing is set and no value is chosen. */
function isConditionAt({ context: { text } }: OperatorRow, { startOffset }: Token): boolean {
  return conditional.test(text.slice(text.lastIndexOf('\n', startOffset - 1) + 1, startOffset));
}

/** `=` sets a value outside of a condition, and `=>` is an arrow before an action. */
function meantComparison(
  row: OperatorRow,
  operator: Token,
  other: CompareOperator,
): { meant: string; isSure: boolean } {
  if (operator.image !== '=' && operator.image !== '=>') return { meant: other, isSure: true };
  const isCondition = isConditionAt(row, operator);
  if (operator.image === '=') return { meant: other, isSure: isCondition };
  const after = row.context.text.slice(tokenEnd(operator), tokenEnd(operator) + LONGEST_LINE);
  if (isCondition && beginsAction.test(after)) return { meant: '→', isSure: true };
  return { meant: other, isSure: isCondition && arrowAhead.test(after) };
}

/** What is looked at after an operator. */
const LONGEST_LINE = 500;

function readSum(row: OperatorRow): Expression {
  const isFirst = row.at === 0;
  const sum = readTerms(row);
  // In parentheses it is part of a larger sum, which may have a name in it.
  if (row.isGroup && isFirst && row.at === row.parts.length) return sum;
  if (sum.kind === 'number' || sum.kind === 'negate' || sum.kind === 'arithmetic') checkLiterals(row.context, sum);
  return sum;
}

function readTerms(row: OperatorRow): Expression {
  let left = readProduct(row);
  while (peek(row) === 'Sum') {
    const operator = take(row).image as '+' | '-';
    const right = readProduct(row);
    left = { kind: 'arithmetic', operator, left, right, span: spanAround(left, right) };
  }
  return left;
}

function readProduct(row: OperatorRow): Expression {
  let left = readSigned(row);
  while (peek(row) === 'Product') {
    const operator = take(row).image as '*' | '/' | '%';
    const right = readSigned(row);
    left = { kind: 'arithmetic', operator, left, right, span: spanAround(left, right) };
  }
  return left;
}

function readSigned(row: OperatorRow): Expression {
  if (peek(row) !== 'Sum' && peek(row) !== 'Not') return readOperand(row);
  const signs: Token[] = [];
  while (peek(row) === 'Sum' || peek(row) === 'Not') {
    const sign = take(row);
    if (sign.image !== '-') {
      report(row.context, misplacedOperator(tokenSpan(row.context, sign), { written: sign.image }));
    } else signs.push(sign);
  }
  let of = readOperand(row);
  for (const sign of signs.reverse()) {
    of = { kind: 'negate', of, span: { ...of.span, start: row.context.base + sign.startOffset } };
  }
  return of;
}

function readOperand(row: OperatorRow): Expression {
  const element = row.parts[row.at];
  if (element !== undefined && isNode(element)) {
    row.at++;
    return buildOperand(row.context, element, row.around);
  }
  const before = row.parts[row.at - 1];
  const end = before === undefined ? 0 : endOf(before);
  const where = span(row.context, end, end);
  const after = before === undefined || isNode(before) ? '' : before.image;
  const blamed = before === undefined || isNode(before) ? where : tokenSpan(row.context, before as Token);
  reportMissing(row.context, missingPart(blamed, { what: 'a value', after }));
  return { kind: 'broken', span: where };
}
