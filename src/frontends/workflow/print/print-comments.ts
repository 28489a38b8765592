/** Prints mappings and items of YAML with the comments of their parts. */
import yaml, { type Node, type Pair, type Scalar, type YAMLMap } from 'yaml';
import type { AttachedComments } from '../../../syntax/steps/attached-comments.js';

/** A key with its value, and the offsets of the parts that it prints. */
export type Entry = readonly [key: string, value: unknown, ...parts: number[]];

/** A mapping with keys in the given order. */
export function mapOf(entries: readonly Entry[], comments: AttachedComments): YAMLMap {
  const map = new yaml.YAMLMap();
  for (const [key, value, ...parts] of entries) {
    const name = new yaml.Scalar(key);
    const node = nodeOf(value);
    const above = [...comments.above(...parts), ...endsOf(node, comments.atEnd(...parts))];
    if (above.length > 0) name.commentBefore = commentText(above);
    map.items.push(new yaml.Pair(name, node) as Pair);
  }
  return map;
}

/** An item of a list. A comment at the end of its line goes to the end of its first line. */
export function itemOf(value: unknown, parts: readonly number[], comments: AttachedComments): Node {
  const node = nodeOf(value);
  const first = yaml.isMap(node) ? (node.items[0]?.value as Node | undefined) : node;
  const above = [...comments.above(...parts), ...endsOf(first ?? node, comments.atEnd(...parts))];
  if (above.length > 0) node.commentBefore = commentText(above);
  return node;
}

/** Comments at the end of a step are after its last key. */
export function withBelow(map: YAMLMap, below: readonly string[]): YAMLMap {
  if (below.length > 0) map.comment = commentText(below);
  return map;
}

/** The form for the YAML library, which treats an empty comment line as a blank line. */
export function commentText(comments: readonly string[]): string {
  return comments.map((text) => text.slice(1) || ' ').join('\n');
}

function nodeOf(value: unknown): Node {
  return yaml.isNode(value) ? (value as Node) : new yaml.Document(null).createNode(value);
}

/** Puts a comment at the end of the line of a value. Returns the comments that do not fit there. */
function endsOf(node: Node, ends: readonly string[]): readonly string[] {
  const [only, more] = ends;
  const isLine = yaml.isScalar(node) ? !isBlock(node) : yaml.isCollection(node) && node.flow === true;
  if (only === undefined || more !== undefined || !isLine || node.comment != null) return ends;
  node.comment = commentText([only]);
  return [];
}

function isBlock({ value }: Scalar): boolean {
  return typeof value === 'string' && value.includes('\n');
}
