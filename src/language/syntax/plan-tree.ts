/**
 * A plan and its tools as written: JSON with source locations, and calls with parsed references. Plain data. Later
 * stages check whether kinds, tools and paths exist.
 */
import type { ReferenceExpr } from '../../prelude/reference.js';
import type { Span } from '../source/diagnostic.js';

/** JSON with the source location of every value. */
export type JsonNode =
  /** `printed` is a number as it is written, if JavaScript would print it differently. */
  | { readonly kind: 'scalar'; readonly span: Span; readonly value: null | boolean | number; readonly printed?: string }
  | TextNode
  | { readonly kind: 'list'; readonly span: Span; readonly items: readonly JsonNode[] }
  | ObjectNode;

export interface TextNode {
  readonly kind: 'text';
  readonly span: Span;
  readonly value: string;
  /** The location of a part of the text, also after escapes. */
  readonly part: (start: number, end: number) => Span;
}

export interface ObjectNode {
  readonly kind: 'object';
  readonly span: Span;
  readonly members: readonly JsonMember[];
}

export interface JsonMember {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: JsonNode;
}

/** A value of a call: its literal parts are JSON, the others are references. */
export type ParameterNode =
  /** `printed` is its JSON text, if a program wrote it with numbers that JavaScript would print differently. */
  | { readonly kind: 'literal'; readonly node: JsonNode; readonly printed?: string }
  | { readonly kind: 'expression'; readonly node: TextNode; readonly expr: ReferenceExpr }
  | { readonly kind: 'list'; readonly node: JsonNode; readonly items: readonly ParameterNode[] }
  | {
      readonly kind: 'object';
      readonly node: ObjectNode;
      readonly entries: readonly { readonly member: JsonMember; readonly value: ParameterNode }[];
    };

export interface CallNode {
  readonly node: ObjectNode;
  readonly tool: TextNode | null;
  readonly delegate: TextNode | null;
  readonly instance: TextNode | null;
  readonly method: TextNode | null;
  /** The text of `_outputPath`, and its paths if it has no errors. */
  readonly output: { readonly node: TextNode; readonly expr: ReferenceExpr | null } | null;
  /** A value that is written without calling a tool. */
  readonly inline: ParameterNode | null;
  readonly parameters: readonly { readonly member: JsonMember; readonly value: ParameterNode }[];
  /** Remarks that are recorded with the call. */
  readonly remarks: readonly JsonMember[];
}

/** One message of `context`: values that exist before anything runs. */
export interface MessageNode {
  readonly node: ObjectNode;
  readonly kind: string;
  readonly instance: string | null;
  readonly fields: readonly JsonMember[];
}

export interface PlanTree {
  readonly root: JsonNode;
  readonly calls: readonly CallNode[];
  readonly context: readonly MessageNode[];
  readonly output: ParameterNode | null;
  readonly mode: 'eager' | 'lazy';
  readonly max: number | null;
}

export function memberOf(node: ObjectNode, key: string): JsonMember | undefined {
  return node.members.find((member) => member.key === key);
}
