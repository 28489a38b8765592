/**
 * Values at run time: JSON, and numbers that keep the form in which a command printed them. Nothing here changes a value,
 * so lists and objects are shared instead of copied.
 */
import type { Json } from '../../machine/expression.js';
import { unreachable } from '../../prelude/unreachable.js';

/** A value that JSON does not have. It never leaves the interpreter: `plain` converts it. */
abstract class BeyondJson {
  abstract toJSON(): Json;
}

/**
 * A number whose printed form differs from what JavaScript would print: `1.10`, `1e3`, `12345678901234567890`.
 * It computes as the number and renders as the text.
 */
export class SourceNumber extends BeyondJson {
  constructor(
    readonly value: number,
    readonly text: string,
  ) {
    super();
  }

  toJSON(): number | string {
    return publicNumber(this);
  }
}

/** What a message says of an output that is not an answer. */
export interface UnreadableOutput {
  readonly name: string;
  readonly line: number;
  /** What it printed, for a sentence: `printed nothing`. */
  readonly printed: string;
  /** It printed nothing, which counts as missing wherever something may be missing. */
  readonly nothing: boolean;
  readonly tool: string | null;
  readonly exit: number | null;
}

/** The output of a CHECK that is not an answer. Names, lists and records hold it; reading it fails, except its exit code. */
export class Unreadable extends BeyondJson {
  constructor(readonly output: UnreadableOutput) {
    super();
  }

  toJSON(): Json {
    return { unreadable: this.output.printed };
  }
}

const MOST_OF_VERSION = 1000;
const VERSION_TEXT = /^v?(\d+(?:\.\d+)*)(?:-([0-9a-z-]+(?:\.[0-9a-z-]+)*))?(?:\+[0-9a-z-]+(?:\.[0-9a-z-]+)*)?$/i;

/** A version, which `version(…)` reads: it is ordered by its numbers and its pre-release, and renders as its text. */
export class Version extends BeyondJson {
  private constructor(
    readonly text: string,
    private readonly numbers: readonly bigint[],
    private readonly pre: readonly string[],
  ) {
    super();
  }

  /** Null: the text is not a version. */
  static read(text: string): Version | null {
    // Reading numbers of more digits takes long.
    const [, numbers, pre] = text.length > MOST_OF_VERSION ? [] : (VERSION_TEXT.exec(text) ?? []);
    if (numbers === undefined) return null;
    return new Version(text, numbers.split('.').map(BigInt), pre?.split('.') ?? []);
  }

  /** Negative, zero or positive. Missing numbers are 0, and a pre-release comes before its version. */
  compare(other: Version): number {
    const length = Math.max(this.numbers.length, other.numbers.length);
    for (let at = 0; at < length; at++) {
      const [a, b] = [this.numbers[at] ?? 0n, other.numbers[at] ?? 0n];
      if (a !== b) return a < b ? -1 : 1;
    }
    if (this.pre.length === 0 || other.pre.length === 0) return other.pre.length - this.pre.length;
    for (const [at, a] of this.pre.entries()) {
      const b = other.pre[at];
      const sign = b === undefined ? 1 : comparePre(a, b);
      if (sign !== 0) return sign;
    }
    return this.pre.length - other.pre.length;
  }

  /** A text that is the same for equal versions and only for them. */
  get key(): string {
    const last = this.numbers.findLastIndex((number) => number !== 0n);
    const pre = this.pre.map((part) => (/^\d+$/.test(part) ? BigInt(part) : part));
    return `${this.numbers.slice(0, last + 1).join('.')}-${pre.join('.')}`;
  }

  toJSON(): string {
    return this.text;
  }
}

/** Numbers come before words, as in semantic versioning. */
function comparePre(a: string, b: string): number {
  const [x, y] = [a, b].map((part) => (/^\d+$/.test(part) ? BigInt(part) : null));
  if (x != null && y != null) return x < y ? -1 : x > y ? 1 : 0;
  return x != null ? -1 : y != null ? 1 : compareText(a, b);
}

export type Value =
  | null
  | boolean
  | number
  | string
  | SourceNumber
  | Unreadable
  | Version
  | readonly Value[]
  | ValueObject;
export interface ValueObject {
  readonly [key: string]: Value;
}

/** A slot without a value, or a path that ends early. */
export type Missing = undefined;

/** How deep a value may be nested, so that no walk over a value can overflow the stack. */
export const MAX_DEPTH = 200;
/** How many UTF-16 units a text, or elements a list, of an expression may have. */
export const MAX_TEXT = 16 * 1024 * 1024;
export const MAX_LIST = 4 * 1024 * 1024;

export function isList(value: Value | Missing): value is readonly Value[] {
  return Array.isArray(value);
}

export function isObject(value: Value | Missing): value is ValueObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof BeyondJson);
}

export function isNumber(value: Value | Missing): value is number | SourceNumber {
  return typeof value === 'number' || value instanceof SourceNumber;
}

/** The number that a value is; undefined for everything else. */
export function numberOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  return value instanceof SourceNumber ? value.value : undefined;
}

type TypeName = 'null' | 'boolean' | 'number' | 'text' | 'version' | 'list' | 'object';

export function typeOf(value: Value): TypeName {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number' || value instanceof SourceNumber) return 'number';
  if (value instanceof Version) return 'version';
  return isList(value) ? 'list' : 'object';
}

/** The type of a value for messages: `a list`, `an object`, `null`. */
export function aType(value: Value): string {
  const name = typeOf(value);
  if (name === 'null' || name === 'text') return name;
  return name === 'object' ? 'an object' : `a ${name}`;
}

/** Why FOR EACH cannot iterate over a value, and what makes a list of it. */
export function noList(value: Value): string {
  const help = { text: '; `lines(…)` gives its lines', object: '; `keys(…)` and `values(…)` give lists of it' };
  return `FOR EACH needs a list, not ${aType(value)}${help[typeOf(value) as keyof typeof help] ?? ''}`;
}

/** Own members only: `constructor` and `__proto__` of an object are not fields of a value. */
export function member(object: ValueObject, name: string): Value | Missing {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Defines a member without ever assigning through a prototype: `__proto__` is data like any other name. */
export function define<Member>(object: { [key: string]: Member }, name: string, value: Member): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
  else object[name] = value;
}

/** Whether a value has a part that JSON does not have. */
export function isBeyondJson(value: Value): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof BeyondJson) return true;
  if (isList(value)) {
    // A list that grows in a loop comes here with each item.
    for (let at = 0; at < value.length; at++) {
      const item = value[at] as Value;
      if (typeof item === 'object' && isBeyondJson(item)) return true;
    }
    return false;
  }
  for (const key in value) if (isBeyondJson((value as ValueObject)[key] as Value)) return true;
  return false;
}

const INTEGER = /^-?\d+$/;

/** The plain value: the number, or the digits of a whole number that no number can represent, because they may be an identifier. */
function publicNumber({ value, text }: SourceNumber): number | string {
  return INTEGER.test(text) && BigInt(text) !== BigInt(value) ? text : value;
}

function withoutSource(value: Value): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof BeyondJson) return value.toJSON();
  if (isList(value)) return value.map(withoutSource);
  const copy: { [key: string]: Value } = {};
  for (const key of Object.keys(value)) define(copy, key, withoutSource((value as ValueObject)[key] as Value));
  return copy as Json;
}

/** The value as JSON for events and results, with plain numbers. The same object if nothing changes. */
export function plain(value: Value): Json {
  return isBeyondJson(value) ? withoutSource(value) : (value as Json);
}

/** Values that exist, as plain JSON by name. */
export function plainByName(names: readonly string[], values: readonly (Value | Missing)[]): Record<string, Json> {
  const result: Record<string, Json> = {};
  names.forEach((name, at) => {
    const value = values[at];
    if (value !== undefined) define(result, name, plain(value));
  });
  return result;
}

/** Whether a value is nested deeper than `limit`. Never walks deeper than that. */
export function deeperThan(value: Value, limit: number): boolean {
  if (typeof value !== 'object' || value === null || value instanceof BeyondJson) return false;
  if (limit === 0) return true;
  if (isList(value)) {
    for (const item of value) if (typeof item === 'object' && deeperThan(item, limit - 1)) return true;
    return false;
  }
  for (const key in value) if (deeperThan((value as ValueObject)[key] as Value, limit - 1)) return true;
  return false;
}

/** How many scalars, lists and objects printing a value would write. */
const MAX_NODES = 16 * 1024 * 1024;

/**
 * Whether a value of an expression is nested too deep or too large. Parts are shared, so a few rounds of `[x, x]` can make
 * more than fits into any memory when printed; the walk ends at the limit.
 */
export function excess(value: Value): 'deep' | 'large' | null {
  let left = MAX_NODES;
  let found: 'deep' | 'large' | null = null;
  const walk = (node: Value, depth: number): boolean => {
    if (--left < 0) found = 'large';
    if (typeof node !== 'object' || node === null || node instanceof BeyondJson) return left >= 0;
    if (depth === 0) found = 'deep';
    if (found !== null) return false;
    if (isList(node)) return node.every((item) => walk(item, depth - 1));
    for (const key in node) if (!walk((node as ValueObject)[key] as Value, depth - 1)) return false;
    return true;
  };
  walk(value, MAX_DEPTH);
  return found;
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** A decimal number without loss: `digits` times ten to the power `exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function decimalOf(number: number | SourceNumber): Decimal {
  const text = typeof number === 'number' ? String(number) : number.text;
  const [, sign, whole = '0', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? [];
  const digits = BigInt(whole + fraction);
  return { digits: sign === '-' ? -digits : digits, exponent: Number(exponent) - fraction.length };
}

/**
 * The order of two numbers: negative, zero or positive. Beyond 2^53 different whole numbers, such as two long
 * identifiers, round to the same number, so their digits decide.
 */
export function compareNumbers(a: number | SourceNumber, b: number | SourceNumber): number {
  const x = typeof a === 'number' ? a : a.value;
  const y = typeof b === 'number' ? b : b.value;
  if (x !== y || (typeof a === 'number' && typeof b === 'number') || Math.abs(x) <= Number.MAX_SAFE_INTEGER)
    return x - y;
  const [left, right] = [decimalOf(a), decimalOf(b)];
  const least = Math.min(left.exponent, right.exponent);
  const difference =
    left.digits * 10n ** BigInt(left.exponent - least) - right.digits * 10n ** BigInt(right.exponent - least);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** A text that is the same for equal numbers and only for them. */
export function numberKey(number: number | SourceNumber): string {
  const value = typeof number === 'number' ? number : number.value;
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value === 0 ? 0 : value);
  const { digits, exponent } = decimalOf(number);
  const zeros = /0*$/.exec(String(digits))?.[0].length ?? 0;
  return `${digits / 10n ** BigInt(zeros)}e${exponent + zeros}`;
}

/** A whole number, exactly; null if it is too large for a number. */
export function wholeNumber(digits: bigint): number | SourceNumber | null {
  const value = Number(digits);
  if (Number.isSafeInteger(value)) return value;
  return Number.isFinite(value) ? new SourceNumber(value, String(digits)) : null;
}

/** Whether a number is beyond 2^53, where computing with it may round it. */
export const isLong = (number: number): boolean => Math.abs(number) > Number.MAX_SAFE_INTEGER;

/** How a number becomes a whole one: the name of the function that does it. */
export type WholeMode = 'int' | 'floor' | 'ceil' | 'round';

/** The whole number that a number beyond 2^53 is, without loss; undefined for all others. */
export function longWhole(value: Value): bigint | undefined {
  return longDigits(value, null);
}

/** The whole number that `mode` makes of a number beyond 2^53, without loss; undefined for others, and without a mode for fractions. */
export function longDigits(value: Value, mode: WholeMode | null): bigint | undefined {
  if (!isNumber(value) || !isLong(typeof value === 'number' ? value : value.value)) return undefined;
  const { digits, exponent } = decimalOf(value as number | SourceNumber);
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  const unit = 10n ** BigInt(-exponent);
  const [whole, rest] = [digits / unit, digits % unit];
  if (rest === 0n) return whole;
  const sign = digits < 0n ? -1n : 1n;
  switch (mode) {
    case null:
      return undefined;
    case 'int':
      return whole;
    case 'floor':
      return sign < 0n ? whole - 1n : whole;
    case 'ceil':
      return sign < 0n ? whole : whole + 1n;
    case 'round':
      // Half away from zero.
      return 2n * sign * rest >= unit ? whole + sign : whole;
    default:
      return unreachable(mode);
  }
}

/** Deep equality without coercion. Scalars of different types are different. */
export function equal(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a === null || b === null || typeof a === 'string' || typeof a === 'boolean') return false;
  if (typeof a === 'number' || a instanceof SourceNumber)
    return (typeof b === 'number' || b instanceof SourceNumber) && compareNumbers(a, b) === 0;
  if (a instanceof Version) return b instanceof Version && a.compare(b) === 0;
  if (typeof b !== 'object' || a instanceof BeyondJson || b instanceof BeyondJson) return false;
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, i) => equal(item, b[i] as Value));
  if (isList(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equal(a[key] as Value, b[key] as Value))
  );
}

/** Order by code point, which differs from JavaScript's order only where surrogates meet U+E000–U+FFFF. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
    return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Length in code points. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(i + 1);
    if (next >= 0xdc00 && next <= 0xdfff) {
      count--;
      i++;
    }
  }
  return count;
}
