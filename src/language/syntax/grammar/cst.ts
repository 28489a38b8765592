/** Access to the concrete tree: children by label, and source locations. */
import type { Correction, Diagnostic, Span } from '../../source/diagnostic.js';
import type { Name } from '../expression-nodes.js';
import type { Token } from '../tokens/token.js';

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

export function isNode(element: SyntaxElement): element is SyntaxNode {
  return element instanceof SyntaxNode;
}

export function token(node: SyntaxNode, label: string): Token | undefined {
  for (const element of node.elements)
    if (!(element instanceof SyntaxNode) && element.tokenType.label === label) return element;
  return undefined;
}

export function tokens(node: SyntaxNode, label: string): readonly Token[] {
  const found: Token[] = [];
  for (const element of node.elements)
    if (!(element instanceof SyntaxNode) && element.tokenType.label === label) found.push(element);
  return found;
}

export function child(node: SyntaxNode, label: string): SyntaxNode | undefined {
  for (const element of node.elements) if (element instanceof SyntaxNode && element.name === label) return element;
  return undefined;
}

export function children(node: SyntaxNode, label: string): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (const element of node.elements) if (element instanceof SyntaxNode && element.name === label) found.push(element);
  return found;
}

/** The children whose order counts. */
export function parts(node: SyntaxNode): readonly SyntaxElement[] {
  return node.parts;
}

export function tokenEnd(t: Token): number {
  return t.startOffset + t.image.length;
}

export function tokenSpan(context: ParseContext, t: Token): Span {
  return span(context, t.startOffset, tokenEnd(t));
}

export function startOf(element: SyntaxElement): number {
  return element.startOffset;
}

/** The offset after the last character, ignoring line ends and layout. */
export function endOf(element: SyntaxElement): number {
  if (!isNode(element)) return tokenEnd(element);
  // A node without tokens has no end.
  return element.endOffset < 0 ? element.startOffset : element.endOffset + 1;
}

export function spanOf(context: ParseContext, element: SyntaxElement): Span {
  return span(context, startOf(element), endOf(element));
}

export function nameOf(context: ParseContext, t: Token): Name {
  return { text: t.image, span: tokenSpan(context, t) };
}

/** `isSure`: it can have meant nothing else, as `Correction` says. */
export function fixAt(where: Span, text: string, isSure = true): Correction {
  return isSure ? { span: where, text } : { span: where, text, guess: true };
}

export function emptySpanAt(where: Span): Span {
  return { file: where.file, start: where.end, end: where.end };
}

export type SyntaxElement = SyntaxNode | Token;

/** Shared by all nodes that have no such children. Never modified. */
export const noElements: SyntaxElement[] = [];

/** A node of the concrete tree: the text that one rule matched, with its parts in the order of the text. */
export class SyntaxNode {
  /** Children that are found by the name of their type or rule. */
  elements = noElements;
  /** Children whose order counts. */
  parts = noElements;
  /** The offset of the last character; -1 for a node without tokens. */
  endOffset = -1;
  constructor(
    readonly name: string,
    readonly startOffset: number,
  ) {}
}
