/** The data before any call: the messages of `context`, and the state and inputs of the run. */
import type { Json } from '../../machine/expression.js';
import type { PlanPath } from '../../machine/plan.js';
import type { PlanNode } from '../../syntax/plan-tree.js';
import { define, isObject, jsonOf, printedOf } from './json-of.js';

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

export interface PrintedValue {
  readonly path: PlanPath;
  readonly text: string;
}

type Values = { [kind: string]: Json };

const KINDS = ['input', 'state', 'data', 'track'];

interface RunValues {
  readonly state: Json | null;
  readonly printedState: Readonly<Record<string, string>>;
  readonly inputs: Json | null;
}

/** `state` and `inputs` take precedence over the messages; the state replaces that of the messages as a whole. */
export function collectGiven(plan: PlanNode, { state, printedState, inputs }: RunValues): Given {
  const kinds = new Set([...KINDS, ...plan.context.map(({ kind }) => kind)]);
  const values: Values = Object.create(null);
  const targeted = new Map<string, Values>();
  /** By their paths; null if a later message gives a value without such a number. */
  const texts = new Map<string, PrintedValue | null>();
  for (const { kind, instance, fields } of plan.context) {
    if (instance !== null && !targeted.has(instance)) targeted.set(instance, Object.create(null));
    const into = instance === null ? values : (targeted.get(instance) as Values);
    const merged = ensureObject(into, kind);
    for (const { key, value } of fields) {
      define(merged, key, jsonOf(value));
      const text = printedOf(value);
      const path: PlanPath = instance === null ? [kind, key] : ['instance', instance, kind, key];
      texts.set(path.join('\0'), text === undefined ? null : { path, text });
    }
  }
  if (state !== null && isObject(state)) {
    values.state = state;
    for (const { path } of [...texts.values()].flatMap((one) => one ?? []))
      if (path[0] === 'state') texts.delete(path.join('\0'));
    for (const [key, text] of Object.entries(printedState)) texts.set(`state\0${key}`, { path: ['state', key], text });
  }
  if (inputs !== null && isObject(inputs))
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
function inInstances(printed: readonly PrintedValue[], targeted: ReadonlyMap<string, Values>): PrintedValue[] {
  return [...targeted].flatMap(([id, own]) =>
    printed.flatMap(({ path: [kind, key = ''], text }) => {
      const hasOwn = Object.hasOwn(objectOf(own[kind]), key);
      return kind === 'instance' || hasOwn ? [] : [{ path: ['instance', id, kind, key] as const, text }];
    }),
  );
}

function targetedInputs(targeted: ReadonlyMap<string, Values>): Given['targeted'] {
  if (targeted.size === 0) return null;
  const inputs: { [instance: string]: { [name: string]: Json } } = {};
  for (const [id, own] of targeted) define(inputs as { [key: string]: Json }, id, objectOf(own.input));
  return inputs;
}

function objectOf(value: Json | undefined): { [key: string]: Json } {
  return isObject(value) ? value : {};
}

/** Each instance has its own inputs and state: the common ones, overridden by those for this instance. */
function instanceData(values: Values, targeted: ReadonlyMap<string, Values>): Json {
  const instances: { [key: string]: Json } = {};
  for (const [id, own] of targeted) {
    const one: { [key: string]: Json } = {};
    for (const kind of new Set(['input', 'state', ...Object.keys(own)])) {
      const merged: { [key: string]: Json } = {};
      for (const source of [values[kind], own[kind]])
        if (isObject(source)) for (const [key, value] of Object.entries(source)) define(merged, key, value);
      one[kind] = merged;
    }
    define(instances, id, one);
  }
  return instances;
}

function ensureObject(values: Values, kind: string): { [key: string]: Json } {
  const known = values[kind];
  if (isObject(known)) return known;
  const fresh: { [key: string]: Json } = {};
  values[kind] = fresh;
  return fresh;
}
