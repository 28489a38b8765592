/**
 * Converts trees to JSON values, and finds their parts. Members are defined and not assigned, because a key may be
 * `__proto__`.
 */
import type { Json } from '../../machine/expression.js';
import { unreachable } from '../../prelude/unreachable.js';
import type { JsonNode } from '../../syntax/plan-tree.js';

/** `unescaped` turns `††x` into `†x`, as in parameters. */
export function jsonOf(node: JsonNode, unescaped = false): Json {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'text':
      return unescaped && node.value.startsWith('††') ? node.value.slice(1) : node.value;
    case 'list':
      return node.items.map((item) => jsonOf(item, unescaped));
    case 'object': {
      const object: { [key: string]: Json } = {};
      for (const { key, value } of node.members) define(object, key, jsonOf(value, unescaped));
      return object;
    }
    default:
      return unreachable(node);
  }
}

/** The JSON text of a literal with a number that is written differently than JavaScript would print it. */
export function printedOf(node: JsonNode): string | undefined {
  return hasPrinted(node) ? print(node) : undefined;
}

function hasPrinted(node: JsonNode): boolean {
  if (node.kind === 'scalar') return node.printed !== undefined;
  if (node.kind === 'list') return node.items.some(hasPrinted);
  return node.kind === 'object' && node.members.some(({ value }) => hasPrinted(value));
}

function print(node: JsonNode): string {
  if (node.kind === 'list') return `[${node.items.map(print).join(',')}]`;
  if (node.kind === 'object')
    return `{${node.members.map(({ key, value }) => `${JSON.stringify(key)}:${print(value)}`).join(',')}}`;
  return (node.kind === 'scalar' ? node.printed : undefined) ?? JSON.stringify(jsonOf(node, true));
}

export function define(object: { [key: string]: Json }, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
  else object[key] = value;
}

export function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member of an object or the item of a list for one segment of a path. */
export function memberAt(value: Json | undefined, segment: string): Json | undefined {
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(segment) ? value[Number(segment)] : undefined;
  return isObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
}

export function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  let at = value;
  for (const segment of path) at = memberAt(at, segment);
  return at;
}

/** The type of a value in messages: `a list`, `an object`, `null`. */
export function describeType(value: Json): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'a text';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
