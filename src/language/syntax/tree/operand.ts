/** Builds the operands of expressions: names and paths, calls, literals, lists, objects, and groups. */

import { NEVER_NAMES } from '../../../prelude/reference.js';
import { patternMessages as say } from '../../source/catalogue/patterns.js';
import { missingPart, unclosedBracket } from '../../source/catalogue/syntax.js';
import type { Expression, ObjectEntry } from '../expression-nodes.js';
import type { SyntaxElement, SyntaxNode } from '../grammar/cst.js';
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
import { shareText, type Token } from '../tokens/token.js';
import { buildExpression, deepestExpression, parseExpressionText, tooDeep } from './build-expression.js';
import { buildDataReference, buildReferences } from './build-references.js';
import { constants, quotedTemplate, scanInterpolation } from './interpolation.js';

export function buildOperand(context: ParseContext, node: SyntaxNode, aroundCount: number): Expression {
  const list = parts(node);
  const depth = aroundCount + list.length - 1;
  if (depth > deepestExpression) return tooDeep(context, node);
  const first = list[0] as SyntaxElement;
  const second = list[1];
  let at = 1;
  let expression: Expression;
  if (second !== undefined && isNode(second) && second.name === 'call' && !isNode(first)) {
    expression = buildCall(context, first, second, depth);
    at = 2;
  } else expression = buildPrimary(context, first, depth);
  for (; at < list.length; at++) expression = buildPostfix(context, expression, list[at] as SyntaxElement, depth);
  return expression;
}

function buildPostfix(context: ParseContext, of: Expression, element: SyntaxElement, depth: number): Expression {
  const where = { ...of.span, end: context.base + endOf(element) };
  if (isNode(element)) {
    const inner = child(element, 'expression');
    reportUnclosed(context, element, 'LBracket', 'RBracket', '[', ']');
    if (inner === undefined) {
      reportMissing(context, missingPart(spanOf(context, element), { what: 'an index', after: '[' }));
      return { kind: 'broken', span: where };
    }
    return { kind: 'index', of, index: buildExpression(context, inner, depth), span: where };
  }
  if (element.tokenType.name === 'Question') return { kind: 'maybe', of, span: where };
  const { image } = element;
  const text = shareText(image[1] === ' ' || image[1] === '\t' ? image.replace(/^\.[ \t]*/, '') : image.slice(1));
  const end = tokenEnd(element);
  // Spaces around a dot of a reference have no meaning.
  if (of.kind === 'data-reference' && of.problem === undefined && !NEVER_NAMES.has(text))
    return { ...of, path: [...of.path, text], span: where };
  return { kind: 'field', of, name: { text, span: span(context, end - text.length, end) }, span: where };
}

function buildCall(context: ParseContext, name: Token, node: SyntaxNode, depth: number): Expression {
  reportUnclosed(context, node, 'LParen', 'RParen', '(', ')');
  const items = child(node, 'items');
  const args = items === undefined ? [] : buildItems(context, items, depth);
  return { kind: 'call', name: nameOf(context, name), args, span: span(context, name.startOffset, endOf(node)) };
}

/** The expressions of a list or of arguments. Reports a comma without a following expression. */
export function buildItems(context: ParseContext, node: SyntaxNode, depth = 0): Expression[] {
  const items = children(node, 'expression');
  const commas = tokens(node, 'Comma');
  if (commas.length >= items.length) {
    const comma = commas[commas.length - 1] as Token;
    reportMissing(context, missingPart(tokenSpan(context, comma), { what: 'a value', after: ',' }));
  }
  return items.map((item) => buildExpression(context, item, depth));
}

function buildPrimary(context: ParseContext, element: SyntaxElement, depth: number): Expression {
  if (isNode(element)) return buildBracketed(context, element, depth);
  const where = tokenSpan(context, element);
  switch (element.tokenType.name) {
    case 'Number':
      return { kind: 'number', value: Number(element.image), text: element.image, span: where };
    case 'Quoted':
      return { kind: 'text', template: quotedTemplate(context, element.image, element.startOffset), span: where };
    case 'Braced':
      return bracedExpression(context, element);
    case 'DataReference':
      return buildDataReference(context, element.image, element.startOffset);
    case 'References':
      return buildReferences(context, element.image, element.startOffset);
    default: {
      const constant = constants.get(element.image);
      if (constant !== undefined) return { kind: 'constant', value: constant, span: where };
      return { kind: 'name', name: element.image, span: where };
    }
  }
}

function buildBracketed(context: ParseContext, node: SyntaxNode, depth: number): Expression {
  const where = spanOf(context, node);
  if (node.name === 'group') {
    reportUnclosed(context, node, 'LParen', 'RParen', '(', ')');
    const inner = child(node, 'expression');
    if (inner !== undefined) return { ...buildExpression(context, inner, depth, true), span: where };
    reportMissing(context, missingPart(where, { what: 'a value', after: '(' }));
    return { kind: 'broken', span: where };
  }
  if (node.name === 'list') {
    reportUnclosed(context, node, 'LBracket', 'RBracket', '[', ']');
    const items = child(node, 'items');
    return { kind: 'list', items: items === undefined ? [] : buildItems(context, items, depth), span: where };
  }
  reportUnclosed(context, node, 'LBrace', 'RBrace', '{', '}');
  const keys = new Set<string>();
  const entries = children(node, 'entry').map((entry) => {
    const built = buildEntry(context, entry, depth);
    if (keys.has(built.key)) report(context, say.duplicateArgument(spanOf(context, entry), { name: built.key }));
    keys.add(built.key);
    return built;
  });
  return { kind: 'object', entries, span: where };
}

function buildEntry(context: ParseContext, node: SyntaxNode, depth: number): ObjectEntry {
  const name = token(node, 'Name');
  const quoted = token(node, 'Quoted');
  const value = child(node, 'expression');
  const where = spanOf(context, node);
  const key = name?.image ?? (quoted === undefined ? '' : keyText(context, quoted));
  if (value !== undefined && token(node, 'Colon') !== undefined)
    return { key, value: buildExpression(context, value, depth) };
  reportMissing(context, missingPart(where, { what: 'a value', after: key, example: `${key}: 1` }));
  return { key, value: { kind: 'broken', span: where } };
}

/** Keys are constant: braces in them are text. */
function keyText(context: ParseContext, quoted: Token): string {
  const template = quotedTemplate(context, quoted.image, quoted.startOffset);
  return template.parts
    .map((piece) =>
      typeof piece === 'string'
        ? piece
        : context.text.slice(piece.span.start - context.base, piece.span.end - context.base),
    )
    .join('');
}

function bracedExpression(context: ParseContext, braced: Token): Expression {
  const where = tokenSpan(context, braced);
  const base = (offset: number): number => context.base + braced.startOffset + offset;
  const found = scanInterpolation(braced.image, 0, context.file, base, false);
  if (found === null) {
    const inner = braced.image.slice(1, -1);
    const lead = inner.length - inner.trimStart().length;
    const { expression, diagnostics } = parseExpressionText(inner.trim(), base(1 + lead), context.file);
    for (const one of diagnostics) report(context, one);
    return { ...expression, span: where };
  }
  if (found.end !== braced.image.length) {
    report(context, missingPart(where, { what: 'a name, a path or a call', after: '{' }));
    return { kind: 'broken', span: where };
  }
  if (found.interpolation.filter === undefined) return { ...found.interpolation.expression, span: where };
  const template = { parts: [found.interpolation], quote: 'none', raw: braced.image, span: where } as const;
  return { kind: 'text', template, span: where };
}

function reportUnclosed(
  context: ParseContext,
  node: SyntaxNode,
  opening: string,
  closing: string,
  open: string,
  close: string,
): void {
  const bracket = token(node, opening);
  if (bracket === undefined || token(node, closing) !== undefined) return;
  reportMissing(context, unclosedBracket(tokenSpan(context, bracket), { open, close }));
}
