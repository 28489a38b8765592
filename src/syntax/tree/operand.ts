/** The operands of expressions: names and paths, calls, literals, lists, objects, and what is in brackets. */
import type { CstElement, CstNode, IToken } from 'chevrotain';
import { missingPart, unclosedBracket } from '../../source/catalogue/syntax.js';
import { NEVER_NAMES } from '../../source/reference.js';
import type { Expression, ObjectEntry } from '../ast.js';
import {
  child,
  children,
  endOf,
  isNode,
  nameOf,
  type ParseContext,
  parts,
  report,
  reportMissing,
  span,
  spanOf,
  token,
  tokenEnd,
  tokenSpan,
  tokens,
} from '../grammar/cst.js';
import { buildExpression, deepestExpression, tooDeep } from './expression.js';
import { constants, quotedTemplate, scanInterpolation } from './interpolation.js';
import { buildDataReference, buildReferences } from './references.js';

export function buildOperand(reading: ParseContext, node: CstNode, aroundCount: number): Expression {
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

function buildPostfix(reading: ParseContext, of: Expression, element: CstElement, depth: number): Expression {
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
  // Spaces around a dot of a reference mean no more than elsewhere.
  if (of.kind === 'dagger' && of.problem === undefined && !NEVER_NAMES.has(text))
    return { ...of, path: [...of.path, text], span: where };
  return { kind: 'field', of, name: { text, span: span(reading, end - text.length, end) }, span: where };
}

function buildCall(reading: ParseContext, name: IToken, node: CstNode, depth: number): Expression {
  closed(reading, node, 'LParen', 'RParen', '(', ')');
  const items = child(node, 'items');
  const args = items === undefined ? [] : buildItems(reading, items, depth);
  return { kind: 'call', name: nameOf(reading, name), args, span: span(reading, name.startOffset, endOf(node)) };
}

/** The expressions of a list or of arguments; a comma that is followed by nothing is reported. */
export function buildItems(reading: ParseContext, node: CstNode, depth = 0): Expression[] {
  const items = children(node, 'expression');
  const commas = tokens(node, 'Comma');
  if (commas.length >= items.length) {
    const comma = commas[commas.length - 1] as IToken;
    reportMissing(reading, missingPart(tokenSpan(reading, comma), { what: 'a value', after: ',' }));
  }
  return items.map((item) => buildExpression(reading, item, depth));
}

function buildPrimary(reading: ParseContext, element: CstElement, depth: number): Expression {
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
      return buildDataReference(reading, element.image, element.startOffset);
    case 'References':
      return buildReferences(reading, element.image, element.startOffset);
    default: {
      const constant = constants.get(element.image);
      if (constant !== undefined) return { kind: 'constant', value: constant, span: where };
      return { kind: 'name', name: element.image, span: where };
    }
  }
}

function buildBracketed(reading: ParseContext, node: CstNode, depth: number): Expression {
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

function buildEntry(reading: ParseContext, node: CstNode, depth: number): ObjectEntry {
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
function keyText(reading: ParseContext, quoted: IToken): string {
  const template = quotedTemplate(reading, quoted.image, quoted.startOffset);
  return template.parts
    .map((piece) =>
      typeof piece === 'string'
        ? piece
        : reading.text.slice(piece.span.start - reading.base, piece.span.end - reading.base),
    )
    .join('');
}

function bracedExpression(reading: ParseContext, braced: IToken): Expression {
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

function closed(
  reading: ParseContext,
  node: CstNode,
  opening: string,
  closing: string,
  open: string,
  close: string,
): void {
  const bracket = token(node, opening);
  if (bracket === undefined || token(node, closing) !== undefined) return;
  reportMissing(reading, unclosedBracket(tokenSpan(reading, bracket), { open, close }));
}
