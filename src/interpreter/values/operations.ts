/**
 * The operations on values that linking compiles into expressions and instructions. A run has the concrete ones. An
 * exploration links with others, which also accept values that are not known yet; so a run pays nothing for it.
 */
import { readDuration } from '../../machine/duration.js';
import type { CheckLayout } from '../../machine/step.js';
import { badValue, excerpt, notBoolean, unboundName } from '../failure.js';
import type { UnknownData } from './data-tree.js';
import { type Callable, functionNamed } from './functions.js';
import { isJson } from './json.js';
import { add, areEqual, arithmetic, compare, finiteResult } from './operators.js';
import {
  aType,
  isList,
  isObject,
  longWhole,
  type Missing,
  member,
  numberOf,
  type Value,
  wholeNumber,
} from './value.js';

export interface ValueOperations {
  /** The member of an object; undefined if there is none, or if the value is not an object. */
  readonly memberOf: (of: Value | Missing, name: string) => Value | Missing;
  /** The element or member at an index; undefined if there is none. */
  readonly elementAt: (of: Value, index: Value) => Value | Missing;
  /** Whether what is not at this name or index counts as missing: in null, in an object, and behind the end of a list. */
  readonly forgives: (of: Value, at: Value) => boolean;
  readonly isNull: (value: Value) => boolean;
  readonly isEmpty: (value: Value | Missing) => boolean;
  readonly isValidJson: (value: Value) => boolean;
  /** The boolean that a condition or an operand is; fails for anything else. */
  readonly truthOf: (value: Value, what: string) => boolean;
  readonly areEqual: typeof areEqual;
  readonly compare: typeof compare;
  readonly arithmetic: typeof arithmetic;
  readonly negate: (value: Value) => Value;
  readonly increment: (current: Value | Missing, by: Value, name: string, isTracked: boolean) => Value;
  readonly functionNamed: (name: string) => Callable | null;
  /** The value as a list if it is one; any other value stays as it is. */
  readonly listIn: (value: Value) => Value;
  /** The same for the members of the parallel loop at this position. */
  readonly membersIn: (value: Value, pc: number) => Value;
  /** The number of members that an option gives; undefined if it is not a whole number of at least 1. */
  readonly countIn: (value: Value) => number | undefined;
  readonly durationMs: typeof durationMs;
  /** The filter `int`. `convert` is the concrete conversion. */
  readonly wholeNumber: (value: Value, convert: (value: Value) => Value) => Value;
  /** The text of an option that only a value determines; `likely` are texts that it may be. */
  readonly optionText: (text: string, likely: readonly string[]) => string;
  /** One of these names, if the value is one of them. */
  readonly nameAmong: (value: Value, names: ReadonlyMap<string, unknown>) => string | undefined;
  /** The text of `now()`. */
  readonly timeText: (ms: number) => Value;
  /** A measured result of steps, such as a cost. */
  readonly measure: (field: string, text: string) => string;
  /** Null: all values of data are known. */
  readonly unknownData: UnknownData | null;
  /** The result of a check of files, if it does not depend on a run. */
  readonly passesCheck: (check: CheckLayout) => boolean | undefined;
}

function memberOf(of: Value | Missing, name: string): Value | Missing {
  return isObject(of) ? member(of, name) : undefined;
}

function elementAt(of: Value, index: Value): Value | Missing {
  if (isList(of)) {
    const position = numberOf(index);
    return position !== undefined && position >= 0 ? of[position] : undefined;
  }
  return isObject(of) && typeof index === 'string' ? member(of, index) : undefined;
}

function forgives(of: Value, at: Value): boolean {
  return of === null || isObject(of) || (isList(of) && numberOf(at) !== undefined);
}

function isEmpty(value: Value | Missing): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (isList(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

function truthOf(value: Value, what: string): boolean {
  if (value === true) return true;
  if (value === false) return false;
  throw notBoolean(what, value);
}

function negate(value: Value): Value {
  const number = numberOf(value);
  if (number === undefined) throw badValue(`\`-\` needs a number, not ${aType(value)}`);
  const whole = longWhole(value);
  return (whole === undefined ? null : wholeNumber(-whole)) ?? finiteResult(-number, '`-`');
}

function increment(current: Value | Missing, by: Value, name: string, isTracked: boolean): Value {
  if (current === undefined) throw unboundName(name, isTracked ? 'tracked' : 'other');
  const [a, b] = [numberOf(current), numberOf(by)];
  if (a === undefined) throw badValue(`INCREMENT needs a number, but \`${name}\` is ${aType(current)}`);
  if (b === undefined) throw badValue(`INCREMENT needs a number after \`by\`, not ${aType(by)}`);
  return add(current, by, 'INCREMENT');
}

function countIn(value: Value): number | undefined {
  const count = numberOf(value);
  return count !== undefined && Number.isInteger(count) && count >= 1 ? count : undefined;
}

function nameAmong(value: Value, names: ReadonlyMap<string, unknown>): string | undefined {
  return typeof value === 'string' && names.has(value) ? value : undefined;
}

export const concreteOperations: ValueOperations = {
  memberOf,
  elementAt,
  forgives,
  isNull: (value) => value === null,
  isEmpty,
  isValidJson: (value) => typeof value !== 'string' || isJson(value),
  truthOf,
  areEqual,
  compare,
  arithmetic,
  negate,
  increment,
  functionNamed,
  listIn: (value) => value,
  membersIn: (value) => value,
  countIn,
  durationMs,
  wholeNumber: (value, convert) => convert(value),
  optionText: (text) => text,
  nameAmong,
  timeText: isoTime,
  measure: (_, text) => text,
  unknownData: null,
  passesCheck: () => undefined,
};

let current = concreteOperations;

/** The operations for what is compiled now. Read them while compiling, never while running. */
export function operations(): ValueOperations {
  return current;
}

/** Compiles with other operations. */
export function withOperations<T>(others: ValueOperations, compileAll: () => T): T {
  const before = current;
  current = others;
  try {
    return compileAll();
  } finally {
    current = before;
  }
}

/** Year, month and day of a day number since 1970-01-01, in the proleptic Gregorian calendar (Hinnant's algorithm). */
function civil(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');

/** `2026-03-01T12:00:00.000Z` of milliseconds since the epoch. */
export function isoTime(ms: number): string {
  const whole = Math.floor(ms);
  const days = Math.floor(whole / 86_400_000);
  const rest = whole - days * 86_400_000;
  const { year, month, day } = civil(days);
  const [hour, minute] = [Math.floor(rest / 3_600_000), Math.floor(rest / 60_000) % 60];
  const [second, millisecond] = [Math.floor(rest / 1000) % 60, rest % 1000];
  return `${pad(year, 4)}-${pad(month)}-${pad(day)}T${pad(hour)}:${pad(minute)}:${pad(second)}.${pad(millisecond, 3)}Z`;
}

const WRITE = 'write a number and `ms`, `s`, `m`, `h` or `d`, as in `30s`';

/** The milliseconds of `30s`, `1.5h`, `250ms`; fails with `bad_value` for anything else. */
export function durationMs(value: Value, what: string): number {
  if (typeof value !== 'string')
    throw badValue(
      `${what} is ${aType(value)}; a duration needs a unit: \`ms\`, \`s\`, \`m\`, \`h\` or \`d\`, as in \`30s\``,
    );
  const read = readDuration(value);
  if (read.ms !== null) return read.ms;
  if (read.why === 'too-long') throw badValue(`${what}: \`${excerpt(value)}\` is longer than 10,000 days`);
  throw badValue(
    `${what}: ${read.why === 'no-unit' ? 'it has no unit' : `\`${excerpt(value)}\` is not a duration`}; ${WRITE}`,
  );
}
