/** The concrete tree: what the rules of the grammar matched, in the order of the text. */
import type { Token } from '../tokens/token.js';

export type SyntaxElement = SyntaxNode | Token;

/** Shared by all nodes that have no such children. Never modified. */
export const noElements: SyntaxElement[] = [];

/** The text that one rule matched. */
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
