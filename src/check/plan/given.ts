/** The data before any call: the messages of `context`, and the state and inputs of the run. */
import type { Json } from '../../machine/expression.js';
import type { PlanNode } from '../../syntax/plan-tree.js';
import { define, isObject, jsonOf } from './json-of.js';

export interface Given {
  readonly values: { readonly [kind: string]: Json };
  /** Ids of instances in the order in which messages name them. */
  readonly instances: readonly string[];
  readonly kinds: ReadonlySet<string>;
  /** The inputs from messages for single instances, by instance; null without instances. */
  readonly targeted: { readonly [instance: string]: { readonly [name: string]: Json } } | null;
}

type Values = { [kind: string]: Json };

const KINDS = ['input', 'state', 'data', 'track'];

/** `state` and `inputs` take precedence over the messages; the state replaces that of the messages as a whole. */
export function collectGiven(plan: PlanNode, { state, inputs }: { state: Json | null; inputs: Json | null }): Given {
  const kinds = new Set([...KINDS, ...plan.context.map(({ kind }) => kind)]);
  const values: Values = Object.create(null);
  const targeted = new Map<string, Values>();
  for (const { kind, instance, fields } of plan.context) {
    if (instance !== null && !targeted.has(instance)) targeted.set(instance, Object.create(null));
    const into = instance === null ? values : (targeted.get(instance) as Values);
    const merged = ensureObject(into, kind);
    for (const { key, value } of fields) define(merged, key, jsonOf(value));
  }
  if (state !== null && isObject(state)) values.state = state;
  if (inputs !== null && isObject(inputs))
    for (const [key, value] of Object.entries(inputs)) define(ensureObject(values, 'input'), key, value);
  if (targeted.size > 0) values.instance = instanceData(values, targeted);
  return { values, instances: [...targeted.keys()], kinds, targeted: targetedInputs(targeted) };
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
