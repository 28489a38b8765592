/** Access to the concrete tree: children by label, and source locations. */
import type { CstElement, CstNode, IToken } from 'chevrotain';
import type { Diagnostic, Fix } from '../../source/diagnostic.js';
import type { Span } from '../../source/source-file.js';
import type { Name } from '../expression.js';

/** The parsed text, its position in the file, and the list for diagnostics. */
export interface ParseContext {
  readonly text: string;
  /** The offset of the first character of `text` in the file. */
  readonly base: number;
  readonly file: number;
  readonly diagnostics: Diagnostic[];
  /** Set while an instruction already has an error: missing parts are then not reported. */
  blamed: boolean;
}

export function span(context: ParseContext, start: number, end: number): Span {
  return { file: context.file, start: context.base + start, end: context.base + end };
}

export function report(context: ParseContext, diagnostic: Diagnostic): void {
  context.diagnostics.push(diagnostic);
}

/** Reports a missing part, unless the instruction already has another error. */
export function reportMissing(context: ParseContext, diagnostic: Diagnostic): void {
  if (!context.blamed) context.diagnostics.push(diagnostic);
}

export function isNode(element: CstElement): element is CstNode {
  return 'children' in element;
}

export function token(node: CstNode, label: string): IToken | undefined {
  return node.children[label]?.[0] as IToken | undefined;
}

export function tokens(node: CstNode, label: string): readonly IToken[] {
  return (node.children[label] ?? []) as IToken[];
}

export function child(node: CstNode, label: string): CstNode | undefined {
  return node.children[label]?.[0] as CstNode | undefined;
}

export function children(node: CstNode, label: string): readonly CstNode[] {
  return (node.children[label] ?? []) as CstNode[];
}

export function parts(node: CstNode): readonly CstElement[] {
  return node.children.part ?? [];
}

export function tokenEnd(t: IToken): number {
  return t.startOffset + t.image.length;
}

export function tokenSpan(context: ParseContext, t: IToken): Span {
  return span(context, t.startOffset, tokenEnd(t));
}

export function startOf(element: CstElement): number {
  return isNode(element) ? (element.location?.startOffset ?? 0) : element.startOffset;
}

/** The offset after the last character, ignoring line ends and layout. `place` has set the ends of the tokens. */
export function endOf(element: CstElement): number {
  if (!isNode(element)) return tokenEnd(element);
  const end = element.location?.endOffset ?? Number.NaN;
  // A node without tokens has no location.
  return Number.isNaN(end) ? startOf(element) : end + 1;
}

/** Sets the end of a token, which the lexer does not record. Line ends and layout are not part of any node. */
export function setEnd(token: IToken): void {
  const blank = token.image.length === 0 || token.image === '\n' || token.image === '\r\n';
  token.endOffset = token.startOffset + (blank ? 0 : token.image.length) - 1;
}

export function spanOf(context: ParseContext, element: CstElement): Span {
  return span(context, startOf(element), endOf(element));
}

export function nameOf(context: ParseContext, t: IToken): Name {
  return { text: t.image, span: tokenSpan(context, t) };
}

export function fixAt(where: Span, text: string): Fix {
  return { span: where, text };
}

export function emptySpanAt(where: Span): Span {
  return { file: where.file, start: where.end, end: where.end };
}
