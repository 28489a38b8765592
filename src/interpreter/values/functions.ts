/**
 * The functions of expressions, which are pure. An argument of a wrong type is a failure that names it. Nothing is coerced,
 * and no result is NaN. `default` is not here, because it accepts a path that ends early.
 */

import { badValue, excerpt, RuntimeFailure } from '../failure.js';
import { base64Decode, base64Encode } from './base64.js';
import { printJson, readJson, render } from './json.js';
import { finiteResult, limitedLength, limitedList, limitedText } from './operators.js';
import {
  aType,
  codePoints,
  compareText,
  isList,
  isObject,
  MAX_LIST,
  numberOf,
  SourceNumber,
  typeOf,
  type Value,
  type ValueObject,
} from './value.js';

/** What functions need from the platform. */
export interface Host {
  /** SHA-256 of the text's UTF-8 bytes, in lower-case hexadecimal. */
  readonly sha256: (text: string) => string;
}

export type Callable = (args: readonly Value[], host: Host) => Value;

/** Arguments of one call, checked as they are taken. */
class Arguments {
  constructor(
    private readonly name: string,
    private readonly args: readonly Value[],
  ) {}

  get count(): number {
    return this.args.length;
  }

  value(at: number): Value {
    const value = this.args[at];
    if (value === undefined) throw this.wrong(at, 'a value', undefined);
    return value;
  }

  text(at: number): string {
    const value = this.args[at];
    if (typeof value !== 'string') throw this.wrong(at, 'text', value);
    return value;
  }

  list(at: number): readonly Value[] {
    const value = this.args[at];
    if (!isList(value)) throw this.wrong(at, 'a list', value);
    return value;
  }

  object(at: number): ValueObject {
    const value = this.args[at];
    if (!isObject(value)) throw this.wrong(at, 'an object', value);
    return value;
  }

  number(at: number): number {
    const value = this.args[at];
    const number = value === undefined ? undefined : numberOf(value);
    if (number === undefined) throw this.wrong(at, 'a number', value);
    return number;
  }

  integer(at: number): number {
    const number = this.number(at);
    if (!Number.isSafeInteger(number)) throw badValue(`\`${this.name}\` needs a whole number, not ${number}`);
    return number;
  }

  numbers(list: readonly Value[]): number[] {
    return list.map((item) => {
      const number = numberOf(item);
      if (number === undefined) throw badValue(`\`${this.name}\` needs numbers, but the list contains ${aType(item)}`);
      return number;
    });
  }

  nonEmpty(at: number): readonly Value[] {
    const list = this.list(at);
    if (list.length === 0) throw badValue(`\`${this.name}\` of an empty list has no value; test it with \`is empty\``);
    return list;
  }

  wrong(at: number, wanted: string, value: Value | undefined): RuntimeFailure {
    const which = this.args.length > 1 ? `${['first', 'second', 'third'][at] ?? 'last'} argument is` : 'argument is';
    const found = value === undefined ? 'missing' : aType(value);
    return badValue(`\`${this.name}\` needs ${wanted}; its ${which} ${found}`);
  }
}

function len(a: Arguments): Value {
  const value = a.value(0);
  if (typeof value === 'string') return codePoints(value);
  if (isList(value)) return value.length;
  if (isObject(value)) return Object.keys(value).length;
  throw a.wrong(0, 'a text, a list or an object', value);
}

function split(a: Arguments): Value {
  const text = a.text(0);
  if (a.count === 1) return text.trim() === '' ? [] : text.trim().split(/\s+/);
  const separator = a.text(1);
  return limitedList(separator === '' ? Array.from(text) : text.split(separator));
}

function join(a: Arguments): Value {
  const separator = a.count > 1 ? a.text(1) : ',';
  const parts = a.list(0).map(render);
  limitedLength(parts.reduce((total, part) => total + part.length + separator.length, 0));
  return parts.join(separator);
}

function lines(a: Arguments): Value {
  const found = a.text(0).split(/\r?\n/);
  if (found.at(-1) === '') found.pop();
  return limitedList(found);
}

function replace(a: Arguments): Value {
  const [text, what, by] = [a.text(0), a.text(1), a.text(2)];
  if (what === '') throw badValue('`replace` needs a text to look for; its second argument is empty');
  const parts = text.split(what);
  // Checks the length before the text is made, because making it could exhaust memory.
  limitedLength(text.length + (parts.length - 1) * (by.length - what.length));
  return parts.join(by);
}

const sortedKeys = (object: ValueObject): string[] => Object.keys(object).sort(compareText);

/** Half-open; negative positions count from the end; positions beyond an end are the end. */
function slice(a: Arguments): Value {
  const value = a.value(0);
  const from = a.integer(1);
  const to = a.count > 2 && a.value(2) !== null ? a.integer(2) : undefined;
  if (isList(value)) return value.slice(from, to);
  if (typeof value !== 'string') throw a.wrong(0, 'a text or a list', value);
  return codePoints(value) === value.length ? value.slice(from, to) : Array.from(value).slice(from, to).join('');
}

function sort(a: Arguments): Value {
  const list = a.list(0);
  const types = new Set(list.map(typeOf));
  if (types.size > 1)
    throw badValue(`\`sort\` needs a list of numbers or a list of texts; the list mixes ${[...types].join(' and ')}`);
  if (types.has('text')) return [...(list as readonly string[])].sort(compareText);
  const numbers = a.numbers(list);
  // Sorts the elements themselves, so that numbers keep their printed form.
  return list
    .map((item, i) => [item, numbers[i] as number] as const)
    .sort((x, y) => x[1] - y[1])
    .map(([item]) => item);
}

/** A text that is the same for equal values and only for them. */
function identity(value: Value): string {
  if (value instanceof SourceNumber) return /^-?\d+$/.test(value.text) ? value.text : String(value.value);
  if (isList(value)) return `[${value.map(identity).join(',')}]`;
  if (isObject(value))
    return `{${sortedKeys(value).map((key) => `${JSON.stringify(key)}:${identity(value[key] as Value)}`)}}`;
  return JSON.stringify(value);
}

function unique(a: Arguments): Value {
  const seen = new Set<string>();
  return a.list(0).filter((item) => {
    const key = identity(item);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function extreme(a: Arguments, args: readonly Value[], better: (x: number, y: number) => boolean): Value {
  const list = a.count === 1 && isList(args[0]) ? a.nonEmpty(0) : args;
  const numbers = a.numbers(list);
  let best = 0;
  for (let i = 1; i < numbers.length; i++) if (better(numbers[i] as number, numbers[best] as number)) best = i;
  return list[best] as Value;
}

/** Rounds half away from zero, to a number of decimal places. */
function round(a: Arguments): Value {
  const value = a.number(0);
  const digits = a.count > 1 ? a.integer(1) : 0;
  if (digits < -300 || digits > 300) throw badValue('`round` needs between -300 and 300 decimal places');
  if (digits === 0) return finiteResult(Math.sign(value) * Math.round(Math.abs(value)), '`round`');
  // Shifting through the decimal text keeps 1.005 from becoming 1.00499….
  const shifted = Number(shift(Math.abs(value), digits));
  if (!Number.isFinite(shifted)) return value;
  return finiteResult(Math.sign(value) * Number(shift(Math.round(shifted), -digits)), '`round`');
}

function shift(value: number, digits: number): string {
  const [mantissa, exponent] = String(value).split('e');
  return `${mantissa}e${Number(exponent ?? 0) + digits}`;
}

function int(a: Arguments): Value {
  const value = a.value(0);
  const number = numberOf(value);
  if (number !== undefined) return finiteResult(Math.trunc(number), '`int`');
  if (typeof value !== 'string') throw a.wrong(0, 'a number or text', value);
  if (!/^\s*[+-]?\d+\s*$/.test(value)) throw badValue(`\`int\` cannot read \`${excerpt(value)}\` as a whole number`);
  const parsed = Number(value);
  if (!Number.isSafeInteger(parsed)) throw badValue(`\`int\` cannot represent \`${excerpt(value)}\` exactly`);
  return finiteResult(parsed, '`int`');
}

function float(a: Arguments): Value {
  const value = a.value(0);
  const number = numberOf(value);
  if (number !== undefined) return number;
  if (typeof value !== 'string') throw a.wrong(0, 'a number or text', value);
  if (!/^\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*$/.test(value))
    throw badValue(`\`float\` cannot read \`${excerpt(value)}\` as a number`);
  return finiteResult(Number(value), '`float`');
}

function parseJson(a: Arguments): Value {
  const text = a.text(0);
  const read = readJson(text);
  if (read.ok) return read.value;
  throw read.why === 'too-deep'
    ? badValue('`parse_json`: the text is nested deeper than 200 levels')
    : badValue(`\`parse_json\` cannot read \`${excerpt(text)}\` as JSON`);
}

function decode(a: Arguments): Value {
  const text = a.text(0);
  const decoded = base64Decode(text);
  if (decoded === null) throw badValue(`\`base64_decode\` cannot read \`${excerpt(text)}\` as base64 of UTF-8 text`);
  return decoded;
}

function range(a: Arguments): Value {
  const [from, to] = a.count > 1 ? [a.integer(0), a.integer(1)] : [0, a.integer(0)];
  const length = Math.max(0, to - from);
  if (length > MAX_LIST)
    throw new RuntimeFailure('value_too_large', `\`range\` of ${length} numbers is over the limit of ${MAX_LIST}`);
  return Array.from({ length }, (_, i) => from + i);
}

const TABLE: Readonly<Record<string, (a: Arguments, args: readonly Value[], host: Host) => Value>> = {
  len,
  upper: (a) => a.text(0).toUpperCase(),
  lower: (a) => a.text(0).toLowerCase(),
  trim: (a) => a.text(0).trim(),
  split,
  join,
  lines,
  replace,
  keys: (a) => sortedKeys(a.object(0)),
  values: (a) => {
    const object = a.object(0);
    return sortedKeys(object).map((key) => object[key] as Value);
  },
  first: (a) => a.nonEmpty(0)[0] as Value,
  last: (a) => a.nonEmpty(0).at(-1) as Value,
  slice,
  sort,
  unique,
  sum: (a) =>
    finiteResult(
      a.numbers(a.list(0)).reduce((total, number) => total + number, 0),
      '`sum`',
    ),
  min: (a, args) => extreme(a, args, (x, y) => x < y),
  max: (a, args) => extreme(a, args, (x, y) => x > y),
  abs: (a) => Math.abs(a.number(0)),
  round,
  floor: (a) => finiteResult(Math.floor(a.number(0)), '`floor`'),
  ceil: (a) => finiteResult(Math.ceil(a.number(0)), '`ceil`'),
  int,
  float,
  string: (a) => render(a.value(0)),
  json: (a) => limitedText(printJson(a.value(0))),
  parse_json: parseJson,
  base64_encode: (a) => limitedText(base64Encode(a.text(0))),
  base64_decode: decode,
  range,
  sha256: (a, _args, host) => host.sha256(a.text(0)),
};

/** The function with this name, or null. */
export function functionNamed(name: string): Callable | null {
  const found = Object.hasOwn(TABLE, name) ? TABLE[name] : undefined;
  return found === undefined ? null : (args, host) => found(new Arguments(name, args), args, host);
}
