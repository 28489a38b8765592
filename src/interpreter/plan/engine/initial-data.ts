/**
 * What is there when a plan begins: what it gives itself, what the run has written before, and its inputs. An instance
 * sees the inputs of all and, over them, those that are meant for it.
 */
import type { Json } from '../../../machine/expression.js';
import type { Plan } from '../../../machine/plan.js';
import { define, isObject, type Value, type ValueObject } from '../../values/value.js';

type Members = { readonly [name: string]: Json };

export function initialData(plan: Plan, inputs: Members, data: Members): Json {
  const { given, targeted } = plan;
  const kinds = joined(given, data);
  const all = { ...kinds, input: joined(members(given.input), inputs) };
  if (targeted === null) return all;
  const instances: { [id: string]: Value } = {};
  for (const [id, own] of Object.entries(members(given.instance))) {
    const input = joined(joined(all.input, members((own as Members).input)), joined(inputs, targeted[id] ?? {}));
    define(instances, id, { ...(own as Members), input } as Value);
  }
  return { ...all, instance: instances as Json };
}

/** The members of both; those of `over` win. */
function joined(under: Members, over: Members): Members {
  const result: { [key: string]: Value } = {};
  for (const source of [under, over]) for (const key of Object.keys(source)) define(result, key, source[key] as Value);
  return result as Members;
}

function members(value: Json | undefined): Members {
  return isObject(value as Value | undefined) ? (value as ValueObject as Members) : {};
}
