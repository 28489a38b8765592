/**
 * The data of a plan when it starts: what the plan gives itself, what the run has written before, and the inputs. An
 * instance sees those for all instances and, with precedence, those for itself.
 */
import type { Json, JsonObject } from '../../../machine/expression.js';
import type { Plan } from '../../../machine/plan.js';
import { DataTree } from '../../values/data-tree.js';
import { decode } from '../../values/json.js';
import { define, isObject, type Value, type ValueObject } from '../../values/value.js';

export function initialData(plan: Plan, inputs: JsonObject, data: JsonObject): Json {
  const { targeted } = plan;
  const given = writtenData(plan) as JsonObject;
  const kinds = joinMembers(given, data);
  const all = { ...kinds, input: joinMembers(membersOf(given.input), inputs) };
  if (targeted === null) return all;
  const instances: { [id: string]: Value } = {};
  for (const [id, own] of Object.entries(membersOf(given.instance))) {
    const input = joinMembers(
      joinMembers(all.input, membersOf((own as JsonObject).input)),
      joinMembers(inputs, targeted[id] ?? {}),
    );
    define(instances, id, { ...(own as JsonObject), input } as Value);
  }
  return { ...all, instance: instances as Json };
}

/** What the plan gives itself, with numbers as they were written. */
function writtenData({ given, printed = [] }: Plan): Json {
  if (printed.length === 0) return given;
  const data = new DataTree(given);
  for (const { path, text } of printed) data.write(path, decode(text) as Json, null);
  return data.read([]) as Json;
}

/** The members of both; those of `over` take precedence. */
function joinMembers(under: JsonObject, over: JsonObject): JsonObject {
  const result: { [key: string]: Value } = {};
  for (const source of [under, over]) for (const key of Object.keys(source)) define(result, key, source[key] as Value);
  return result as JsonObject;
}

function membersOf(value: Json | undefined): JsonObject {
  return isObject(value as Value | undefined) ? (value as ValueObject as JsonObject) : {};
}
