/** What is known of an unknown value: its possible types, its value, an interval, members, and what was decided of it. */
import { isList, isObject, typeOf, type Value } from '../../../interpreter/values/value.js';
import type { Json } from '../../../machine/expression.js';

export const TYPE = { null: 1, boolean: 2, number: 4, text: 8, list: 16, object: 32, version: 64 } as const;
/** What a command or a person may give: only `version(…)` gives versions. */
export const ANY_TYPE = 63;
export const STRUCTURE = TYPE.list | TYPE.object;

/** An end of an interval. */
export interface IntervalEnd {
  readonly at: number;
  /** Whether the number itself is outside. */
  readonly open: boolean;
}

/** Facts are replaced, never changed, so that copies of a knowledge share them. */
export interface Facts {
  /** The possible types, as bits. */
  readonly types: number;
  readonly fixed?: { readonly value: Json };
  /** The JSON of all values that it may have. */
  readonly among?: readonly string[];
  /** The JSON of constants that it is not. */
  readonly not?: readonly string[];
  readonly low?: IntervalEnd;
  readonly high?: IntervalEnd;
  readonly whole?: true;
  /** Of a list. */
  readonly length?: number;
  readonly empty?: boolean;
  /** Whether an object has the member. */
  readonly members?: Readonly<Record<string, boolean>>;
  /** Answers to other questions, by question. A question may mention other unknown values. */
  readonly answers?: Readonly<Record<string, number>>;
}

export function typeBit(value: Value): number {
  return TYPE[typeOf(value)];
}

/** Types that `==` compares with each other, other than null. */
export function comparableTypes(value: Value): number {
  return isList(value) || isObject(value) ? STRUCTURE : typeBit(value);
}

/** Facts after a decision, in a form that is the same for equal knowledge; null: no value fits. */
export function normalFacts(facts: Facts): Facts | null {
  let { types, low, high, not } = facts;
  if (types === 0) return null;
  const hasOnlyTypes = low === undefined && high === undefined && not === undefined && facts.among === undefined;
  if (hasOnlyTypes && types !== TYPE.null) return facts;
  if ((types & TYPE.number) === 0) low = high = undefined;
  if (facts.whole === true) {
    if (low !== undefined) low = { at: low.open ? Math.floor(low.at) + 1 : Math.ceil(low.at), open: false };
    if (high !== undefined) high = { at: high.open ? Math.ceil(high.at) - 1 : Math.floor(high.at), open: false };
    while (low !== undefined && not?.includes(String(low.at))) {
      const out = String(low.at);
      low = { at: low.at + 1, open: false };
      not = not.filter((one) => one !== out);
    }
    while (high !== undefined && not?.includes(String(high.at))) {
      const out = String(high.at);
      high = { at: high.at - 1, open: false };
      not = not.filter((one) => one !== out);
    }
  }
  not = not?.filter((one) => canBe({ ...facts, low, high, not: undefined }, JSON.parse(one) as Json));
  if (low !== undefined && high !== undefined) {
    const isPoint = low.at === high.at && !low.open && !high.open;
    if (low.at > high.at || (low.at === high.at && !isPoint) || (isPoint && not?.includes(String(low.at)))) {
      types &= ~TYPE.number;
      if (types === 0) return null;
      low = high = undefined;
    } else if (isPoint && types === TYPE.number) return fixedTo(low.at, facts);
  }
  const among = facts.among?.filter((one) => !not?.includes(one));
  if (among?.length === 0) return null;
  if (among?.length === 1) return fixedTo(JSON.parse(among[0] as string) as Json, facts);
  if (types === TYPE.boolean && not !== undefined && not.length > 0)
    return not.length > 1 ? null : fixedTo(not[0] !== 'true', facts);
  if (types === TYPE.null) return fixedTo(null, facts);
  const { low: _, high: __, not: ___, among: ____, ...rest } = facts;
  return {
    ...rest,
    types,
    ...(low === undefined ? {} : { low }),
    ...(high === undefined ? {} : { high }),
    ...(among === undefined ? {} : { among }),
    ...(not === undefined || not.length === 0 ? {} : { not: [...not].sort() }),
  };
}

function fixedTo(value: Json, { answers, whole }: Facts): Facts {
  return {
    types: typeBit(value),
    fixed: { value },
    ...(whole === true && typeof value === 'number' ? { whole } : {}),
    ...(answers === undefined ? {} : { answers }),
  };
}

/** Whether a text shows the value as it is: a program may print the number 1 as `1.0`. */
export function hasOneForm({ fixed, whole }: Facts): boolean {
  return (
    fixed !== undefined &&
    (whole === true || !/(?<!")\b\d/.test(JSON.stringify(fixed.value).replaceAll(/"(?:\\.|[^"\\])*"/g, '""')))
  );
}

/** Whether a constant fits all facts. */
export function canBe(facts: Facts, value: Json): boolean {
  if ((facts.types & typeBit(value)) === 0) return false;
  if (facts.fixed !== undefined) return JSON.stringify(facts.fixed.value) === JSON.stringify(value);
  if (facts.not?.includes(JSON.stringify(value))) return false;
  if (facts.among !== undefined && !facts.among.includes(JSON.stringify(value))) return false;
  if (typeof value === 'number') return fitsInterval(facts, value);
  if (facts.empty !== undefined && isEmptyConstant(value) !== facts.empty) return false;
  if (Array.isArray(value) && facts.length !== undefined && value.length !== facts.length) return false;
  if (isObject(value))
    for (const [name, isThere] of Object.entries(facts.members ?? {}))
      if (Object.hasOwn(value, name) !== isThere) return false;
  return true;
}

function fitsInterval({ low, high, whole }: Facts, value: number): boolean {
  if (whole === true && !Number.isInteger(value)) return false;
  if (low !== undefined && (value < low.at || (low.open && value === low.at))) return false;
  return high === undefined || !(value > high.at || (high.open && value === high.at));
}

function isEmptyConstant(value: Json): boolean {
  if (value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
