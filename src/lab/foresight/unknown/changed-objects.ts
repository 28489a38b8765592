/**
 * Data in which parts of unknown values are read and written. An unknown object in which something was written, or with
 * which another one was merged, is an unknown value that is made of both.
 */
import type { UnknownData } from '../../../interpreter/values/data-tree.js';
import { isList, isObject, type Missing, type Value } from '../../../interpreter/values/value.js';
import type { Json } from '../../../machine/expression.js';
import { type Knowledge, mentionsUnknown, unknownId } from './knowledge.js';
import { TYPE } from './known-facts.js';

/** What an unknown value is made of, if it is an object that was changed. Such values keep what they are made of. */
export const CHANGES: ReadonlySet<string> = new Set(['with', 'merge', 'assign']);

export function unknownData(
  knowledge: () => Knowledge,
  {
    partOf,
    isFalse,
  }: {
    readonly partOf: (of: Value, segment: string) => Value | Missing;
    readonly isFalse: (value: Value) => boolean;
  },
): UnknownData {
  const resolve = (value: Json): Value => knowledge().resolve(value as Value);
  const objectIn = (value: Json): boolean => {
    const known = resolve(value);
    const id = unknownId(known);
    return id === null ? isObject(known) : knowledge().decideType(id, TYPE.object, 'an object');
  };
  return {
    isUnknown: (value) => typeof value === 'string' && mentionsUnknown(value),
    partOf: (of, segment) => partOf(of as Value, segment) as Json | undefined,
    open: (value) => {
      if (typeof value !== 'string' || !mentionsUnknown(value)) return value;
      const opened = knowledge().listIn(value);
      return (isList(opened) ? [...opened] : opened) as Json;
    },
    isObject: objectIn,
    isNumber: (value) => {
      const known = resolve(value);
      const id = unknownId(known);
      return id === null ? typeof known === 'number' : knowledge().decideType(id, TYPE.number, 'a number');
    },
    isFalse: (value) => isFalse(value as Value),
    withMember: (of, name, value) => objectMadeOf(knowledge(), 'with', [of, name, value]),
    join: (old, value, method) => objectMadeOf(knowledge(), method, [old, value]),
  };
}

function objectMadeOf(k: Knowledge, op: string, args: readonly Json[]): Json {
  const facts = { types: TYPE.object, ...(op === 'with' ? { empty: false } : {}) };
  return k.derive(op, args as readonly Value[], facts, k.labelOf(args[0])) as Json;
}

/** The member of an object that was changed; null: the value is no such object. `inside` reads it from another object. */
export function changedMember(
  k: Knowledge,
  id: number,
  name: string,
  inside: (of: Value) => Value | Missing,
): { readonly value: Value | Missing } | null {
  const { made: origin } = k.of(id);
  if (origin === null || !CHANGES.has(origin.op)) return null;
  const [first, second, third] = origin.args.map((arg) => JSON.parse(arg) as Value);
  if (origin.op === 'with') return { value: second === name ? k.resolve(third as Value) : inside(first as Value) };
  const added = inside(second as Value);
  if (added === undefined) return { value: inside(first as Value) };
  const old = origin.op === 'merge' ? inside(first as Value) : undefined;
  return { value: old === undefined ? added : mergeMembers(k, old, added) };
}

/** Two members of the same name: objects are merged, anything else is replaced. */
function mergeMembers(k: Knowledge, old: Value, added: Value): Value {
  const areObjects = [old, added].every((value) => {
    const id = unknownId(value);
    return id === null ? isObject(value) : k.decideType(id, TYPE.object, 'an object');
  });
  if (!areObjects) return added;
  if (unknownId(old) !== null || unknownId(added) !== null)
    return k.derive('merge', [old, added], { types: TYPE.object }, k.labelOf(old));
  const all: Record<string, Value> = { ...(old as Record<string, Value>) };
  for (const [name, value] of Object.entries(added as Record<string, Value>))
    all[name] = all[name] === undefined ? value : mergeMembers(k, all[name], value);
  return all;
}

/** Whether an object that was changed has the member; null: the value is no such object. */
export function hasChangedMember(k: Knowledge, id: number, name: string, has: (of: Value) => boolean): boolean | null {
  const { made: origin } = k.of(id);
  if (origin === null || !CHANGES.has(origin.op)) return null;
  const [first, second] = origin.args.map((arg) => JSON.parse(arg) as Value);
  if (origin.op === 'with') return second === name || has(first as Value);
  return has(second as Value) || has(first as Value);
}
