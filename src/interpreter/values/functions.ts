/**
 * The functions of expressions, which are pure. An argument of a wrong type is a failure that names it. Nothing is coerced,
 * and no result is NaN. `default` is not here, because it accepts a path that ends early.
 */
import { badValue, excerpt, RuntimeFailure, readable } from '../failure.js';
import { printJson, readJson, render } from './json.js';
import { finiteResult, limitedLength, limitedList, limitedText } from './operators.js';
import {
  aType,
  codePoints,
  compareNumbers,
  compareText,
  isList,
  isLong,
  isNumber,
  isObject,
  longDigits,
  longWhole,
  MAX_LIST,
  numberKey,
  numberOf,
  SourceNumber,
  typeOf,
  type Value,
  type ValueObject,
  Version,
  type WholeMode,
  wholeNumber,
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

  numbers(list: readonly Value[]): readonly (number | SourceNumber)[] {
    for (const item of list)
      if (!isNumber(readable(item)))
        throw badValue(`\`${this.name}\` needs numbers, but the list contains ${aType(item)}`);
    return list as readonly (number | SourceNumber)[];
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
  // An output has lost its last line feed, but not the return before it.
  const found = a.text(0).replace(/\r$/, '').split(/\r?\n/);
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
  const to = a.count > 2 ? a.integer(2) : undefined;
  if (isList(value)) return value.slice(from, to);
  if (typeof value !== 'string') throw a.wrong(0, 'a text or a list', value);
  return codePoints(value) === value.length ? value.slice(from, to) : Array.from(value).slice(from, to).join('');
}

function sort(a: Arguments): Value {
  const list = a.list(0);
  const types = new Set(list.map((item) => typeOf(readable(item))));
  if (types.size > 1)
    throw badValue(`\`sort\` needs a list of numbers, texts or versions; the list mixes ${[...types].join(' and ')}`);
  if (types.has('text')) return [...(list as readonly string[])].sort(compareText);
  if (types.has('version')) return [...(list as readonly Version[])].sort((x, y) => x.compare(y));
  // Sorts the elements themselves, so that numbers keep their printed form.
  return [...a.numbers(list)].sort(compareNumbers);
}

/** A text that is the same for equal values and only for them. */
function identity(value: Value): string {
  if (isNumber(value)) return numberKey(value);
  if (value instanceof Version) return `v${value.key}`;
  if (isList(value)) return `[${value.map(identity).join(',')}]`;
  if (isObject(value))
    return `{${sortedKeys(value).map((key) => `${JSON.stringify(key)}:${identity(value[key] as Value)}`)}}`;
  return JSON.stringify(value);
}

function unique(a: Arguments): Value {
  const seen = new Set<string>();
  return a.list(0).filter((item) => {
    const key = identity(readable(item));
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** The smallest number (`sign` 1) or the largest one (`sign` -1). */
function extreme(a: Arguments, args: readonly Value[], sign: 1 | -1): Value {
  const numbers = a.numbers(a.count === 1 && isList(args[0]) ? a.nonEmpty(0) : args);
  return numbers.reduce((best, number) => (sign * compareNumbers(number, best) < 0 ? number : best));
}

/** The whole number that `mode` makes of a number. Of a number beyond 2^53 its digits decide, also those of its fraction. */
function whole(a: Arguments, mode: WholeMode, compute: (number: number) => number): Value {
  const number = a.number(0);
  const digits = longDigits(a.value(0), mode);
  return (digits === undefined ? null : wholeNumber(digits)) ?? finiteResult(compute(number), `\`${mode}\``);
}

function abs(a: Arguments): Value {
  const number = a.number(0);
  const value = a.value(0);
  // Beyond 2^53 it keeps its digits, also those of a fraction.
  if (value instanceof SourceNumber && isLong(number))
    return number < 0 ? new SourceNumber(-number, value.text.slice(1)) : value;
  return Math.abs(number);
}

function sum(a: Arguments): Value {
  const numbers = a.numbers(a.list(0));
  const total = numbers.reduce<number>((before, number) => before + (numberOf(number) as number), 0);
  if (Math.abs(total) <= Number.MAX_SAFE_INTEGER && !numbers.some((one) => longWhole(one) !== undefined))
    return finiteResult(total, '`sum`');
  const wholes = numbers.map(
    (one) => longWhole(one) ?? (Number.isInteger(numberOf(one)) ? BigInt(numberOf(one) as number) : null),
  );
  const exact = wholes.includes(null) ? null : wholeNumber((wholes as bigint[]).reduce((x, y) => x + y, 0n));
  return exact ?? finiteResult(total, '`sum`');
}

/** Rounds half away from zero, to a number of decimal places. */
function round(a: Arguments): Value {
  const value = a.number(0);
  const digits = a.count > 1 ? a.integer(1) : 0;
  if (digits < -300 || digits > 300) throw badValue('`round` needs between -300 and 300 decimal places');
  if (digits === 0) return whole(a, 'round', (number) => Math.sign(number) * Math.round(Math.abs(number)));
  // Shifting through the decimal text keeps 1.005 from becoming 1.00499….
  const shifted = Number(shift(Math.abs(value), digits));
  if (!Number.isFinite(shifted)) return value;
  return finiteResult(Math.sign(value) * Number(shift(Math.round(shifted), -digits)), '`round`');
}

function shift(value: number, digits: number): string {
  const [mantissa, exponent] = String(value).split('e');
  return `${mantissa}e${Number(exponent ?? 0) + digits}`;
}

const LONGEST_NUMBER = 1000;

function int(a: Arguments): Value {
  const value = a.value(0);
  const number = numberOf(value);
  if (number !== undefined) return whole(a, 'int', Math.trunc);
  if (typeof value !== 'string') throw a.wrong(0, 'a number or text', value);
  if (!/^\s*[+-]?\d+\s*$/.test(value)) throw badValue(`\`int\` cannot read \`${excerpt(value)}\` as a whole number`);
  // Reading more digits than any number has takes long.
  const read = value.length > LONGEST_NUMBER ? null : wholeNumber(BigInt(value.trim().replace('+', '')));
  if (read === null) throw badValue(`\`int\` cannot represent \`${excerpt(value)}\``);
  return read;
}

function float(a: Arguments): Value {
  const value = a.value(0);
  const number = numberOf(value);
  if (number !== undefined) return isLong(number) ? value : number;
  if (typeof value !== 'string') throw a.wrong(0, 'a number or text', value);
  if (!/^\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*$/.test(value))
    throw badValue(`\`float\` cannot read \`${excerpt(value)}\` as a number`);
  const read = finiteResult(Number(value), '`float`');
  if (!isLong(read)) return read;
  // Beyond 2^53 it keeps its digits, as a number that a command prints.
  if (value.length > LONGEST_NUMBER) throw badValue(`\`float\` cannot represent \`${excerpt(value)}\``);
  const text = value
    .trim()
    .replace(/^\+/, '')
    .replace(/^(-?)0+(?=\d)/, '$1')
    .replace(/\.(?=$|e)/i, '');
  return String(read) === text ? read : new SourceNumber(read, text);
}

function version(a: Arguments): Value {
  const value = a.value(0);
  if (value instanceof Version) return value;
  if (value instanceof SourceNumber || typeof value === 'number') return versionOf(render(value));
  if (typeof value !== 'string') throw a.wrong(0, 'text', value);
  return versionOf(value);
}

function versionOf(text: string): Version {
  const found = Version.read(text.trim());
  if (found === null) throw badValue(`\`version\` cannot read \`${excerpt(text)}\` as a version, such as \`1.10.2\``);
  return found;
}

function parseJson(a: Arguments): Value {
  const text = a.value(0);
  // The output of a DO, or an input, that is JSON has been read already.
  if (typeof text !== 'string' && !(text instanceof Version)) return text;
  if (typeof text !== 'string') throw a.wrong(0, 'text', text);
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
  sum,
  min: (a, args) => extreme(a, args, 1),
  max: (a, args) => extreme(a, args, -1),
  abs,
  round,
  floor: (a) => whole(a, 'floor', Math.floor),
  ceil: (a) => whole(a, 'ceil', Math.ceil),
  int,
  float,
  version,
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

/** How many bytes are converted at once: more would be too many arguments for one call. */
const CHUNK = 0x8000;

const DIGITS = /^[A-Za-z0-9+/]*={0,2}$/;

/** Base64 of the text's UTF-8 bytes, padded. A lone surrogate counts as U+FFFD, as in every encoder of UTF-8. */
export function base64Encode(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK)
    parts.push(String.fromCharCode.apply(null, bytes.subarray(at, at + CHUNK) as unknown as number[]));
  return btoa(parts.join(''));
}

/**
 * The bytes, or null if the text is not base64. Spaces, tabs and line ends between digits are skipped. Padding is optional,
 * but must be complete.
 */
export function base64Bytes(text: string): Uint8Array | null {
  const digits = text.replace(/[ \t\r\n]+/g, '');
  if (!DIGITS.test(digits)) return null;
  const isPadded = digits.endsWith('=');
  if (isPadded ? digits.length % 4 !== 0 : digits.length % 4 === 1) return null;
  const binary = atob(digits);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** The text of base64 digits, or null if they are not base64 or not UTF-8. */
export function base64Decode(text: string): string | null {
  const bytes = base64Bytes(text);
  if (bytes === null) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
