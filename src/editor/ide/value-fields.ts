/** The fields of a value that the program itself tells: what it reads elsewhere, objects that it writes, and what the engine makes. */
import type { Block } from '../../language/syntax/ast.js';
import { childBlocks, parsedBody } from '../../language/syntax/child-blocks.js';
import type { Expression } from '../../language/syntax/expression-nodes.js';
import type { OpenProgram } from './open-program.js';

/** A field that is being written: the value before the dot, and what is written behind it. */
export interface FieldPosition {
  /** The name of a variable, then fields; an element of a list is `[]`. */
  readonly path: readonly string[];
  readonly word: string;
}

const ELEMENT = '[]';
const PATH = /(?:^|[^\w.†"\]])([A-Za-z_]\w*)((?:\??\.\w+|\[[^[\]]*\])*)\??\.(\w*)$/;

export function fieldPosition(before: string): FieldPosition | null {
  const [, root, rest = '', word = ''] = PATH.exec(before) ?? [];
  if (root === undefined) return null;
  const parts = rest.match(/\.\w+|\[[^[\]]*\]/g) ?? [];
  return { path: [root, ...parts.map((part) => (part.startsWith('[') ? elementKey(part) : part.slice(1)))], word };
}

/** `["a"]` is a field, too. */
function elementKey(part: string): string {
  return /^\["([^"]+)"\]$/.exec(part)?.[1] ?? ELEMENT;
}

/** What a PARALLEL or FOR EACH notes of each member that failed. */
const FAILED_MEMBER = ['item', 'index', 'kind', 'error', 'exit_code'];

/** The fields of the values of a body, by the paths of these values. */
type KnownFields = ReadonlyMap<string, ReadonlySet<string>>;

const fieldsOfBody = new WeakMap<Block, KnownFields>();

export function fieldsOf({ tree }: OpenProgram, { path }: FieldPosition): string[] {
  const bodies = tree.items.flatMap((item) =>
    item.kind === 'state' ? [parsedBody(item).body] : item.kind === 'pattern' ? [item.body] : [],
  );
  const all = bodies.map((body) => {
    const known = fieldsOfBody.get(body) ?? collectFields(body);
    fieldsOfBody.set(body, known);
    return known;
  });
  const found = new Set<string>();
  for (const same of samePaths(path, bodies)) {
    if (same.length === 2 && same[0] === 'failures' && same[1] === ELEMENT)
      for (const name of FAILED_MEMBER) found.add(name);
    for (const known of all) for (const name of known.get(same.join('.')) ?? []) found.add(name);
  }
  return [...found];
}

/** `one.x` is `r.list[].x` in `FOR EACH: one in r.list`, and the other way round. */
function samePaths(path: readonly string[], bodies: readonly Block[]): (readonly string[])[] {
  const [root = '', ...rest] = path;
  const same = bodies.flatMap(loopsOf).flatMap(({ name, list }) => {
    const element = [...list, ELEMENT];
    if (name === root) return [[...element, ...rest]];
    return element.every((one, at) => one === path[at]) ? [[name, ...path.slice(element.length)]] : [];
  });
  return [path, ...same];
}

function loopsOf({ instructions }: Block): { name: string; list: readonly string[] }[] {
  return instructions.flatMap((i) => {
    const list = i.kind === 'for-each' ? pathOf(i.list) : null;
    const own = i.kind === 'for-each' && list !== null ? [{ name: i.variable.text, list }] : [];
    return [...own, ...childBlocks(i).flatMap(loopsOf)];
  });
}

function pathOf(e: Expression): string[] | null {
  if (e.kind === 'name') return [e.name];
  if (e.kind === 'maybe') return pathOf(e.of);
  if (e.kind !== 'field' && e.kind !== 'index') return null;
  const of = pathOf(e.of);
  if (of === null) return null;
  if (e.kind === 'field') return [...of, e.name.text];
  const [only, more] = e.index.kind === 'text' ? e.index.template.parts : [];
  return [...of, typeof only === 'string' && more === undefined ? only : ELEMENT];
}

/** Fields that are read, and the keys of objects that are bound. */
function collectFields(body: Block): KnownFields {
  const found = new Map<string, Set<string>>();
  const add = (path: readonly string[], name: string): void => {
    const key = path.join('.');
    found.set(key, (found.get(key) ?? new Set()).add(name));
  };
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const one of value) visit(one);
      return;
    }
    const node = value as { readonly kind?: string };
    if (node.kind === 'field') {
      const { of, name } = node as Extract<Expression, { kind: 'field' }>;
      const path = pathOf(of);
      if (path !== null) add(path, name.text);
    }
    for (const key in value) if (key !== 'span') visit((value as Record<string, unknown>)[key]);
  };
  visit(body);
  visitObjects(body, add);
  return found;
}

function visitObjects({ instructions }: Block, add: (path: readonly string[], name: string) => void): void {
  const addKeys = (path: readonly string[], value: Expression | undefined): void => {
    if (value?.kind === 'list') for (const item of value.items) addKeys([...path, ELEMENT], item);
    if (value?.kind !== 'object') return;
    for (const { key, value: inner } of value.entries) {
      add(path, key);
      addKeys([...path, key], inner);
    }
  };
  for (const i of instructions) {
    if (i.kind === 'set' || i.kind === 'track') addKeys([i.name.text], i.value);
    if (i.kind === 'do' && i.bind !== undefined) addKeys([i.bind.text], i.expression);
    for (const inner of childBlocks(i)) visitObjects(inner, add);
  }
}
