/** The data before any call: the messages of `context`, and the state and inputs of the run. */
import type { Json } from '../../../machine/expression.js';
import type { PlanPath } from '../../../machine/plan.js';
import { isJsonObject } from '../../../prelude/json-object.js';
import { unreachable } from '../../../prelude/unreachable.js';
import type { JsonNode, PlanTree } from '../../syntax/plan-tree.js';

export interface Given {
  readonly values: { readonly [kind: string]: Json };
  /** The JSON text of values with a number that JavaScript would print differently, such as `1.10`. */
  readonly printed: readonly PrintedValue[];
  /** Ids of instances in the order in which messages name them. */
  readonly instances: readonly string[];
  readonly kinds: ReadonlySet<string>;
  /** The inputs from messages for single instances, by instance; null without instances. */
  readonly targeted: { readonly [instance: string]: { readonly [name: string]: Json } } | null;
}

interface PrintedValue {
  readonly path: PlanPath;
  readonly text: string;
}

type ValuesByKind = { [kind: string]: Json };

const KINDS = ['input', 'state', 'data', 'track'];

interface RunValues {
  readonly state: Json | null;
  readonly printedState: Readonly<Record<string, string>>;
  readonly inputs: Json | null;
}

/** `state` and `inputs` take precedence over the messages; the state replaces that of the messages as a whole. */
export function collectGiven(plan: PlanTree, { state, printedState, inputs }: RunValues): Given {
  const kinds = new Set([...KINDS, ...plan.context.map(({ kind }) => kind)]);
  const values: ValuesByKind = Object.create(null);
  const targeted = new Map<string, ValuesByKind>();
  /** By their paths; null if a later message gives a value without such a number. */
  const texts = new Map<string, PrintedValue | null>();
  for (const { kind, instance, fields } of plan.context) {
    if (instance !== null && !targeted.has(instance)) targeted.set(instance, Object.create(null));
    const into = instance === null ? values : (targeted.get(instance) as ValuesByKind);
    const merged = ensureObject(into, kind);
    for (const { key, value } of fields) {
      define(merged, key, jsonOf(value));
      const text = printedOf(value);
      const path: PlanPath = instance === null ? [kind, key] : ['instance', instance, kind, key];
      texts.set(path.join('\0'), text === undefined ? null : { path, text });
    }
  }
  if (isJsonObject(state)) {
    values.state = state;
    for (const { path } of [...texts.values()].flatMap((one) => one ?? []))
      if (path[0] === 'state') texts.delete(path.join('\0'));
    for (const [key, text] of Object.entries(printedState)) texts.set(`state\0${key}`, { path: ['state', key], text });
  }
  if (isJsonObject(inputs))
    for (const [key, value] of Object.entries(inputs)) {
      define(ensureObject(values, 'input'), key, value);
      texts.delete(`input\0${key}`);
    }
  if (targeted.size > 0) values.instance = instanceData(values, targeted);
  const printed = [...texts.values()].flatMap((one) => one ?? []);
  return {
    values,
    printed: [...printed, ...inInstances(printed, targeted)],
    instances: [...targeted.keys()],
    kinds,
    targeted: targetedInputs(targeted),
  };
}

/** Common values of instances that have none of their own. */
function inInstances(printed: readonly PrintedValue[], targeted: ReadonlyMap<string, ValuesByKind>): PrintedValue[] {
  return [...targeted].flatMap(([id, own]) =>
    printed.flatMap(({ path: [kind, key = ''], text }) => {
      const hasOwn = Object.hasOwn(objectOf(own[kind]), key);
      return kind === 'instance' || hasOwn ? [] : [{ path: ['instance', id, kind, key] as const, text }];
    }),
  );
}

function targetedInputs(targeted: ReadonlyMap<string, ValuesByKind>): Given['targeted'] {
  if (targeted.size === 0) return null;
  const inputs: { [instance: string]: { [name: string]: Json } } = {};
  for (const [id, own] of targeted) define(inputs as { [key: string]: Json }, id, objectOf(own.input));
  return inputs;
}

function objectOf(value: Json | undefined): { [key: string]: Json } {
  return isJsonObject(value) ? value : {};
}

/** Each instance has its own inputs and state: the common ones, overridden by those for this instance. */
function instanceData(values: ValuesByKind, targeted: ReadonlyMap<string, ValuesByKind>): Json {
  const instances: { [key: string]: Json } = {};
  for (const [id, own] of targeted) {
    const one: { [key: string]: Json } = {};
    for (const kind of new Set(['input', 'state', ...Object.keys(own)])) {
      const merged: { [key: string]: Json } = {};
      for (const source of [values[kind], own[kind]])
        if (isJsonObject(source)) for (const [key, value] of Object.entries(source)) define(merged, key, value);
      one[kind] = merged;
    }
    define(instances, id, one);
  }
  return instances;
}

function ensureObject(values: ValuesByKind, kind: string): { [key: string]: Json } {
  const known = values[kind];
  if (isJsonObject(known)) return known;
  const fresh: { [key: string]: Json } = {};
  values[kind] = fresh;
  return fresh;
}

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

/** The member of an object or the item of a list for one segment of a path. */
export function memberAt(value: Json | undefined, segment: string): Json | undefined {
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(segment) ? value[Number(segment)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
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
