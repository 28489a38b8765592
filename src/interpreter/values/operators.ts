/**
 * Operators over two values. A comparison without a meaning fails instead of being false, because false would fall through
 * every IF and look like success.
 */
import type { Comparison } from '../../machine/expression.js';
import { unreachable } from '../../prelude/unreachable.js';
import {
  badValue,
  excerpt,
  notAdded,
  notAmong,
  notComparable,
  notNumbers,
  notOrdered,
  readable,
  tooLarge,
} from '../failure.js';
import {
  aType,
  compareNumbers,
  compareText,
  equal,
  excess,
  isList,
  isLong,
  isNumber,
  isObject,
  longWhole,
  MAX_DEPTH,
  MAX_LIST,
  MAX_TEXT,
  numberOf,
  SourceNumber,
  typeOf,
  type Value,
  Version,
  wholeNumber,
} from './value.js';

/**
 * Equality of two values. Fails for scalars of different types, and for a list or object against a scalar. Null may be
 * compared with anything. Inside lists and objects, values of different types are simply different.
 */
export function areEqual(operator: '==' | '!=', left: Value, right: Value): boolean {
  if (left === null || right === null) return left === right;
  const kind = kindOf(left);
  if (kind !== kindOf(right)) throw notComparable(operator, left, right);
  return kind === 'structure' ? equal(readable(left), readable(right)) : left === right || equal(left, right);
}

/** The kind of a value: values of one kind can be compared. Lists and objects are one kind. */
function kindOf(value: Value): 'text' | 'boolean' | 'number' | 'version' | 'structure' {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  if (value instanceof Version) return 'version';
  return value !== null && numberOf(value) !== undefined ? 'number' : 'structure';
}

/** Negative, zero or positive; only two numbers, two texts or two versions have an order. */
export function order(operator: string, left: Value, right: Value): number {
  if (isNumber(left) && isNumber(right)) return compareNumbers(left, right);
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right);
  if (left instanceof Version && right instanceof Version) return left.compare(right);
  throw notOrdered(operator, left, right);
}

function contains(operator: string, whole: Value, part: Value): boolean {
  if (isList(whole)) {
    readable(part);
    if (readable(whole).some((item) => equal(item, part))) return true;
    if (whole.length > 0 && part !== null && whole.every((item) => item !== null && kindOf(item) !== kindOf(part)))
      throw notAmong(operator, whole, part);
    return false;
  }
  if (typeof whole !== 'string' && !isObject(whole))
    throw badValue(`\`${operator}\` needs a text, a list or an object to look in, not ${aType(whole)}`);
  if (typeof part !== 'string') {
    const where = typeOf(whole) === 'text' ? 'a text' : 'the keys of an object';
    throw badValue(`\`${operator}\` looks for text in ${where}, not for ${aType(part)}`);
  }
  return typeof whole === 'string' ? whole.includes(part) : Object.hasOwn(whole, part);
}

function texts(operator: string, left: Value, right: Value): [string, string] {
  if (typeof left === 'string' && typeof right === 'string') return [left, right];
  throw badValue(`\`${operator}\` needs two texts, not ${aType(left)} and ${aType(right)}`);
}

function matches(left: Value, right: Value, test: (regex: RegExp, text: string) => boolean | null): boolean {
  const [text, source] = texts('matches', left, right);
  let regex: RegExp;
  try {
    regex = new RegExp(source, 'u');
  } catch {
    throw badValue(`\`matches\` cannot read the pattern \`${excerpt(source)}\``);
  }
  const found = test(regex, text);
  if (found === null) throw badValue(`\`matches\` took too long with the pattern \`${excerpt(source)}\``);
  return found;
}

/** Any comparison. `test` matches a regular expression in bounded time; null if it took too long. */
export function compare(
  operator: Comparison,
  left: Value,
  right: Value,
  test: (regex: RegExp, text: string) => boolean | null,
): boolean {
  switch (operator) {
    case '==':
      return areEqual('==', left, right);
    case '!=':
      return !areEqual('!=', left, right);
    case '<':
      return order('<', left, right) < 0;
    case '<=':
      return order('<=', left, right) <= 0;
    case '>':
      return order('>', left, right) > 0;
    case '>=':
      return order('>=', left, right) >= 0;
    case 'contains':
      return contains('contains', left, right);
    case 'not-contains':
      return !contains('not contains', left, right);
    case 'in':
      return contains('in', right, left);
    case 'not-in':
      return !contains('not in', right, left);
    case 'matches':
      return matches(left, right, test);
    case 'starts-with': {
      const [text, start] = texts('starts with', left, right);
      return text.startsWith(start);
    }
    case 'ends-with': {
      const [text, end] = texts('ends with', left, right);
      return text.endsWith(end);
    }
    default:
      return unreachable(operator);
  }
}

/** Sums and products of whole numbers beyond 2^53, without loss; null if an operand is not whole. */
function exactResult(operator: '+' | '-' | '*' | '%', left: Value, right: Value): Value | null {
  const a = wholeOf(left);
  const b = wholeOf(right);
  if (a === undefined || b === undefined) return null;
  switch (operator) {
    case '+':
      return wholeNumber(a + b);
    case '-':
      return wholeNumber(a - b);
    case '*':
      return wholeNumber(a * b);
    case '%':
      return b === 0n ? null : wholeNumber(a % b);
    default:
      return unreachable(operator);
  }
}

function wholeOf(value: Value): bigint | undefined {
  const number = numberOf(value);
  return longWhole(value) ?? (Number.isInteger(number) ? BigInt(number as number) : undefined);
}

/** A sum or product: exact, if it or an operand is a whole number beyond 2^53. */
function compute(
  operator: '+' | '-' | '*' | '%',
  result: number,
  left: Value,
  right: Value,
  operation = `\`${operator}\``,
): Value {
  const isShort =
    Math.abs(result) <= Number.MAX_SAFE_INTEGER && longWhole(left) === undefined && longWhole(right) === undefined;
  return (isShort ? null : exactResult(operator, left, right)) ?? finiteResult(result, operation);
}

/** Whether computing with a number rounds it: it has more digits than JavaScript can represent. */
export function isRounded(value: Value): value is SourceNumber {
  // No number of JavaScript beyond 2^53 has a fraction.
  return value instanceof SourceNumber && isLong(value.value) && longWhole(value) !== BigInt(value.value);
}

/** A number as a result: infinity and NaN are failures, and minus zero becomes zero. */
export function finiteResult(result: number, operation: string): number {
  if (!Number.isFinite(result)) throw badValue(`${operation} does not give a finite number`);
  return result === 0 ? 0 : result;
}

export function limitedLength(length: number): void {
  if (length > MAX_TEXT) throw tooLarge(`a text of ${length} characters is over the limit of 16 MiB`);
}

/** Text of a length that a value may have. */
export function limitedText(text: string): string {
  limitedLength(text.length);
  return text;
}

export function limitedList<T>(list: readonly T[]): readonly T[] {
  if (list.length > MAX_LIST) throw tooLarge(`a list of ${list.length} elements is over the limit of ${MAX_LIST}`);
  return list;
}

/** A list or object that an expression made, within the limits of values. */
export function limitedValue<T extends Value>(value: T): T {
  switch (excess(value)) {
    case 'deep':
      throw badValue(`the value is nested deeper than ${MAX_DEPTH} levels`);
    case 'large':
      throw tooLarge('the value has more than 16 million parts');
    default:
      return value;
  }
}

/** Checked in full only if the length passes a power of two, so that appending in a loop stays linear. */
function joinLists(left: readonly Value[], right: readonly Value[]): readonly Value[] {
  const list = limitedList(left.concat(right));
  return Math.clz32(list.length) === Math.clz32(left.length) ? list : limitedValue(list);
}

export function add(left: Value, right: Value, operation = '`+`'): Value {
  const a = numberOf(left);
  const b = numberOf(right);
  if (a !== undefined && b !== undefined) return compute('+', a + b, left, right, operation);
  if (typeof left === 'string' && typeof right === 'string') return limitedText(left + right);
  if (isList(left) && isList(right)) return joinLists(left, right);
  throw notAdded(left, right);
}

export function arithmetic(operator: '+' | '-' | '*' | '/' | '%', left: Value, right: Value): Value {
  if (operator === '+') return add(left, right);
  const a = numberOf(left);
  const b = numberOf(right);
  if (a === undefined || b === undefined) throw notNumbers(operator, left, right);
  switch (operator) {
    case '-':
      return compute('-', a - b, left, right);
    case '*':
      return compute('*', a * b, left, right);
    case '/':
      if (b === 0) throw badValue('division by zero');
      return finiteResult(a / b, '`/`');
    case '%':
      if (b === 0) throw badValue('the remainder of a division by zero');
      return compute('%', a % b, left, right);
    default:
      return unreachable(operator);
  }
}
