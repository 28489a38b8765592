/**
 * Reads JSON that commands print, so that numbers keep their printed form. `JSON.parse` does the work. Only if a literal
 * would print differently (`1.10`, `1e3`, 20 digits), our own reader keeps the text with the number.
 */
import type { Json } from '../../machine/expression.js';
import type { Input } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { unreadable } from '../failure.js';
import {
  deeperThan,
  define,
  isBeyondJson,
  isList,
  isObject,
  MAX_DEPTH,
  member,
  plain,
  SourceNumber,
  Unreadable,
  type UnreadableOutput,
  type Value,
  type ValueObject,
  Version,
} from './value.js';

/** What a text is as JSON. `too-deep` is valid JSON that is nested beyond the limit. */
type JsonResult =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly why: 'not-json' | 'too-deep' };

// Literals that may print differently: an exponent, a final zero, tiny fractions, many digits, minus zero.
const SUSPICIOUS = /\d[eE]|\.\d*0(?!\d)|0\.0{6}|[\d.]{16}|-0/;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const BLANK = /[ \t\r\n]*/y;

/**
 * A number literal as a value: the literal itself if no number can represent it. Whole numbers beyond 2^53 keep their
 * digits, by which they are compared.
 */
function numberValue(literal: string): Value {
  const value = Number(literal);
  if (!Number.isFinite(value)) return literal;
  const isPlain = String(value) === literal && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return isPlain ? value : new SourceNumber(value, literal);
}

function significantDigits(literal: string): number {
  const mantissa = literal.replace(/[eE].*$/, '').replace(/[-.]/g, '');
  return mantissa.replace(/^0+/, '').length;
}

/** A number alone on stdout: with more digits than a number can represent, it is an identifier and stays text. */
function scalarNumber(literal: string): Value {
  return significantDigits(literal) > 17 ? literal : numberValue(literal);
}

/**
 * Before the members of what JSON does not have, in snapshots: an `Unreadable` or a `Version`. No JSON contains this: inside a
 * text, its quote would be escaped.
 */
const MARK = '!{"';

function beyondJson(members: Value): Value {
  const { version, ...output } = plain(members) as { readonly version?: string };
  const found = version === undefined ? null : Version.read(version);
  return found ?? new Unreadable(output as unknown as UnreadableOutput);
}

/** Reads text that is known to be valid JSON, or JSON with unreadable outputs, keeping number literals. */
class LiteralReader {
  private at = 0;

  constructor(private readonly text: string) {}

  read(): Value {
    this.blank();
    switch (this.text[this.at]) {
      case '{':
        return this.object();
      case '[':
        return this.list();
      case '!':
        this.at++;
        return beyondJson(this.object());
      case '"':
        return this.string();
      case 't':
        this.at += 4;
        return true;
      case 'f':
        this.at += 5;
        return false;
      case 'n':
        this.at += 4;
        return null;
      default:
        return numberValue(this.take(NUMBER));
    }
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined) throw new Error(`no JSON at ${this.at}`);
    this.at += found.length;
    return found;
  }

  private blank(): void {
    this.take(BLANK);
  }

  private string(): string {
    // A regular expression over a long string would need stack space for each escape, so a loop is used instead.
    let end = this.at + 1;
    while (this.text[end] !== '"') end += this.text[end] === '\\' ? 2 : 1;
    const literal = this.text.slice(this.at, end + 1);
    this.at = end + 1;
    return JSON.parse(literal) as string;
  }

  private list(): Value {
    const items: Value[] = [];
    this.at++;
    this.blank();
    while (this.text[this.at] !== ']') {
      items.push(this.read());
      this.separator();
    }
    this.at++;
    return items;
  }

  private object(): Value {
    const object: { [key: string]: Value } = {};
    this.at++;
    this.blank();
    while (this.text[this.at] !== '}') {
      const key = this.string();
      this.separator(':');
      define(object, key, this.read());
      this.separator();
    }
    this.at++;
    return object;
  }

  private separator(mark = ','): void {
    this.blank();
    if (this.text[this.at] === mark) this.at++;
    this.blank();
  }
}

/** Reads any JSON. Numbers keep their text if it differs from what JavaScript prints. */
export function readJson(text: string): JsonResult {
  let parsed: Value;
  try {
    parsed = JSON.parse(text) as Value;
  } catch {
    return { ok: false, why: 'not-json' };
  }
  if (typeof parsed === 'number') return { ok: true, value: scalarNumber(text.trim()) };
  if (typeof parsed !== 'object' || parsed === null) return { ok: true, value: parsed };
  if (deeperThan(parsed, MAX_DEPTH)) return { ok: false, why: 'too-deep' };
  return { ok: true, value: SUSPICIOUS.test(text) ? new LiteralReader(text).read() : parsed };
}

/** What `JSON.parse` has read, in which a number that none can represent is a text as everywhere: `1e400`. `written`: by `readJson`. */
export function withinRange(parsed: unknown, written: Value): unknown {
  if (typeof parsed === 'number') return Number.isFinite(parsed) ? parsed : written;
  if (Array.isArray(parsed))
    return parsed.map((one, at) => withinRange(one, (written as readonly Value[])[at] as Value));
  if (typeof parsed !== 'object' || parsed === null) return parsed;
  const members: { [name: string]: Value } = {};
  for (const [name, one] of Object.entries(parsed))
    define(members, name, withinRange(one, member(written as ValueObject, name) as Value) as Value);
  return members;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Compact JSON, keys in source order, numbers as they were printed. Printing an unreadable output is reading it. */
export function printJson(value: Value): string {
  return isBeyondJson(value) ? printReadable(value) : JSON.stringify(value);
}

function printReadable(value: Value): string {
  if (value instanceof Unreadable) throw unreadable(value);
  return printLiterals(value, printReadable);
}

/** The same for snapshots, which keep what is unreadable. */
function printImage(value: Value): string {
  return isBeyondJson(value) ? printMarked(value) : JSON.stringify(value);
}

function printMarked(value: Value): string {
  if (value instanceof Version) return `!${JSON.stringify({ version: value.text })}`;
  return value instanceof Unreadable ? `!${JSON.stringify(value.output)}` : printLiterals(value, printMarked);
}

function printLiterals(value: Value, print = printLiterals as (value: Value) => string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (value instanceof SourceNumber) return value.text;
  if (value instanceof Unreadable || value instanceof Version) return JSON.stringify(value);
  if (isList(value)) return `[${value.map((item) => print(item)).join(',')}]`;
  const members = Object.keys(value).map((key) => `${JSON.stringify(key)}:${print(value[key] as Value)}`);
  return `{${members.join(',')}}`;
}

/** The text of a value that plain JSON would lose or print differently, such as `1.10`; undefined if it would not. */
export function printedForm(value: Value): string | undefined {
  return isBeyondJson(value) && losesForm(value) ? printLiterals(value) : undefined;
}

function losesForm(value: Value): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof SourceNumber) return String(value.value) !== value.text;
  if (value instanceof Unreadable || value instanceof Version) return false;
  return Object.values(value).some(losesForm);
}

/** The same for readers of JSON that would lose digits of whole numbers: these are texts, as in `plain`. */
export function publicForm(printed: string): string {
  return printPublic(decode(printed) as Value);
}

/** `publicForm` of a value. */
export function printPublic(value: Value): string {
  if (value instanceof SourceNumber && typeof value.toJSON() === 'string') return JSON.stringify(value.text);
  return printLiterals(value, printPublic);
}

/** JSON on several lines for people, with numbers as in `publicForm`. */
export function printIndented(value: Value, indent = ''): string {
  if (!isBeyondJson(value)) return JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
  if (typeof value !== 'object' || !(isList(value) || isObject(value))) return printPublic(value);
  const inner = `${indent}  `;
  const parts = isList(value)
    ? value.map((item) => printIndented(item, inner))
    : Object.entries(value as ValueObject).map(([key, one]) => `${JSON.stringify(key)}: ${printIndented(one, inner)}`);
  const [open, close] = isList(value) ? '[]' : '{}';
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`;
}

/** `printedForm` of named values; undefined if no value loses its form. */
export function printedForms(names: readonly string[], values: readonly (Value | undefined)[]): Printed | undefined {
  let printed: Record<string, string> | undefined;
  names.forEach((name, at) => {
    const value = values[at];
    const text = value === undefined ? undefined : printedForm(value);
    if (text === undefined) return;
    printed ??= {};
    define(printed, name, text);
  });
  return printed;
}

/** The JSON texts of values with a number that was written differently than JavaScript prints it, such as `1.10`, by name. */
export type Printed = Readonly<Record<string, string>>;

/** What a record has of a value: plain JSON, and its text if that loses the form of a number. */
export function withText(value: Json): { readonly value: Json; readonly printed?: string } {
  if (!isBeyondJson(value as Value)) return { value };
  return { value: plain(value as Value), ...omitUndefined({ printed: printedForm(value as Value) }) };
}

/** The default of an input, with numbers as they are written; undefined: it has none. */
export function defaultOf({ value, printed }: Pick<Input, 'value' | 'printed'>): Value | undefined {
  return value === undefined ? undefined : (fromRecord(value, printed) as Value);
}

/** Reverses `withText`. */
export function fromRecord(value: Json, printed: string | undefined): Json {
  return printed === undefined ? value : (decode(printed) as Json);
}

/** A value inside text: strings raw, null empty, a number as it was printed, lists and objects compact JSON. */
export function render(value: Value): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  return value instanceof Version ? value.text : printJson(value);
}

/** Values in a snapshot are text, so that printed numbers and what is unreadable survive. */
export function encode(value: Value | undefined): string | null {
  return value === undefined ? null : printImage(value);
}

const PACKED = '$printed';

/** JSON for a snapshot, in which a value with numbers that keep their form is its JSON text. */
export function packValue(value: Json): Json {
  const isLike = isObject(value as Value) && Object.hasOwn(value as object, PACKED);
  return isLike || isBeyondJson(value as Value) ? { [PACKED]: printImage(value as Value) } : value;
}

/** Reverses `packValue`. */
export function unpackValue(value: Json): Json {
  const text = isObject(value as Value) ? member(value as ValueObject, PACKED) : undefined;
  return typeof text === 'string' ? (decode(text) as Json) : value;
}

/** Whether a value in a snapshot is, or contains, an unreadable output. */
export function hasUnreadable(text: string): boolean {
  return text.includes(MARK);
}

/** A text without escapes. */
const PLAIN_TEXT = /^"[^"\\]*"$/;

export function decode(text: string | null): Value | undefined {
  if (text === null) return undefined;
  if (PLAIN_TEXT.test(text)) return text.slice(1, -1);
  if (hasUnreadable(text)) return new LiteralReader(text).read();
  const parsed = JSON.parse(text) as Value;
  if (typeof parsed === 'string') return parsed;
  return SUSPICIOUS.test(text) ? new LiteralReader(text).read() : parsed;
}
