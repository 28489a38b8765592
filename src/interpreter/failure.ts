/**
 * Failures of a run, and every sentence that reports them. A failure is thrown inside one instruction and
 * caught by the loop that runs it; no other code throws it and none lets it out.
 */
import type { Expr, Json } from '../machine/expression.js';
import { nearest } from '../prelude/nearest.js';
import type { FailureCause } from './events/facts.js';
import { aType, isBeyondJson, isList, isObject, typeOf, Unreadable, type Value } from './values/value.js';

export class RuntimeFailure extends Error {
  constructor(
    readonly errorType: string,
    message: string,
    readonly tool: string | null = null,
    readonly exit: number | null = null,
    /**
     * The step that did not pass, and the gate that failed; where it happened, if not at the instruction; the values of a FAIL.
     */
    readonly about: {
      readonly step?: string;
      readonly gate?: string;
      readonly line?: number;
      readonly with?: Readonly<Record<string, Json>>;
      readonly printed?: Readonly<Record<string, string>>;
    } = {},
    /** The effects that caused it, if that is not the last outcome. */
    readonly source: {
      readonly effects?: readonly string[];
      readonly attempt?: number;
      /** Those of an earlier failure that this one passes on. */
      readonly causes?: readonly FailureCause[];
    } = {},
  ) {
    super(message);
  }
}

/** A path that ends early: `[k={x.y}]` omits its field. */
export class AbsentFailure extends RuntimeFailure {
  constructor(message: string, kind = 'bad_value', tool: string | null = null, exit: number | null = null) {
    super(kind, message, tool, exit);
  }
}

/** A name without a value. In a text of EMIT it is not a failure: the braces stay. */
export class UnboundFailure extends AbsentFailure {}

export function badValue(message: string): RuntimeFailure {
  return new RuntimeFailure('bad_value', message);
}

export function tooLarge(message: string): RuntimeFailure {
  return new RuntimeFailure('value_too_large', message);
}

/** Why an output cannot be read, and what the program can write instead. */
export function unreadable({ output }: Unreadable): RuntimeFailure {
  const { name, line, printed, nothing, tool, exit } = output;
  const help = nothing
    ? `\`${name}?\` is null then, and \`exit_code(${name})\` is its exit code`
    : `bind its text with \`DO [ok=any]: ${name} = …\`; \`lines(${name})\` gives its lines`;
  const message = `\`${name}\` cannot be read: its command in line ${line} ${printed}; ${help}`;
  return nothing
    ? new AbsentFailure(message, 'not_json', tool, exit)
    : new RuntimeFailure('not_json', message, tool, exit);
}

/** The value, if nothing in it is unreadable. */
export function readable<T extends Value>(value: T): T {
  if (isBeyondJson(value)) demandReadable(value);
  return value;
}

function demandReadable(value: Value): void {
  if (value instanceof Unreadable) throw unreadable(value);
  if (isList(value)) value.forEach(demandReadable);
  else if (isObject(value)) Object.values(value).forEach(demandReadable);
}

/** The first few names, so that a message stays on one line. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, 12).map((name) => `\`${name}\``);
  const rest = names.length - shown.length;
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ');
}

export function unboundName(name: string, where: 'tracked' | 'entry' | 'other', boundAt?: number): UnboundFailure {
  if (where === 'tracked')
    return new UnboundFailure(`\`${name}\` has no value here: the TRACK that creates it has not run yet`);
  if (where === 'entry')
    return new UnboundFailure(`\`${name}\` has no value here: no GOTO has passed it to this state`);
  const location =
    boundAt === undefined
      ? 'no instruction on the way to this line has bound it'
      : `line ${boundAt} binds it, but has not run`;
  return new UnboundFailure(`\`${name}\` has no value here: ${location}`);
}

/** Why a name is null: its member failed or was stopped. */
export function lostMember(lost: Readonly<Record<string, 'failed' | 'stopped'>> | null, of: Expr): string | undefined {
  if (of.op !== 'read' || lost === null || !Object.hasOwn(lost, of.name)) return undefined;
  const line = of.boundAt === undefined ? '' : ` in line ${of.boundAt}`;
  return `its member${line} ${lost[of.name] === 'stopped' ? 'was stopped' : 'failed'}`;
}

/** The exit code of a member that was stopped or failed: there is none. */
export function lostExitCode(
  lost: Readonly<Record<string, 'failed' | 'stopped'>> | null,
  read: string,
): RuntimeFailure | undefined {
  const name = lost === null ? undefined : /^exit_code\((.+)\)$/.exec(read)?.[1];
  if (lost === null || name === undefined || !Object.hasOwn(lost, name)) return undefined;
  const how = lost[name] === 'stopped' ? 'was stopped' : 'failed';
  return badValue(`\`${read}\` has no value: the member that binds \`${name}\` ${how}`);
}

/** What other tools call the parts of a result. */
const OF_OUTPUT = /^(?:text|stdout|output|out|code|exit_?code|exitCode|exit|rc|status_?code|returncode)$/;

/** `lost`: how the member ended that should have bound it. */
export function missingField(path: string, of: Value, name: string, lost?: string): RuntimeFailure {
  if (of === null && lost !== undefined)
    return new AbsentFailure(`\`${path}\` has no field \`${name}\`: it is null, since ${lost}`);
  if (!isObject(of)) {
    const isLength = of !== null && /^(?:length|len|size|count)$/.test(name);
    const isOutput = of !== null && OF_OUTPUT.test(name);
    const hint = isLength
      ? `; write \`len(${path})\``
      : isOutput
        ? `; the output is \`${path}\`, its exit code \`exit_code(${path})\``
        : '';
    const message = `\`${path}\` is ${aType(of)}, which has no field \`${name}\`${hint}`;
    // Only null is like nothing. Of a text or a number, a field is a mistake that nothing forgives.
    return of === null ? new AbsentFailure(message) : badValue(message);
  }
  const fields = Object.keys(of);
  if (fields.length === 0) return new AbsentFailure(`\`${path}\` has no field \`${name}\`: it is an empty object`);
  const near = nearest(name, fields);
  const isPath = /^[A-Za-z_][\w.]*$/.test(path);
  const hint =
    near !== undefined
      ? `; did you mean \`${near}\`?`
      : isPath
        ? `; write \`${path}.${name}?\` if it may be missing`
        : '';
  return new AbsentFailure(`\`${path}\` has no field \`${name}\`; it has ${listNames(fields)}${hint}`);
}

export function missingIndex(path: string, of: Value, index: Value, lost?: string): RuntimeFailure {
  if (of === null && lost !== undefined)
    return new AbsentFailure(`\`${path}\` has no element \`${String(index)}\`: it is null, since ${lost}`);
  if (typeOf(of) === 'list') {
    const length = (of as readonly Value[]).length;
    const message = `\`${path}\` has no element ${String(index)}: it has ${length} (the first is 0)`;
    return typeof index === 'string' ? badValue(message) : new AbsentFailure(message);
  }
  const message = `\`${path}\` is ${aType(of)}, which has no element \`${String(index)}\``;
  return of === null || isObject(of) ? new AbsentFailure(message) : badValue(message);
}

export function notBoolean(what: string, value: Value): RuntimeFailure {
  const name = typeOf(value);
  const word = typeof value === 'string' && /^(?:true|false|yes|no|on|off|ok)$/i.test(value) ? value : null;
  const hint =
    word !== null
      ? `compare it with the word that was printed, as in \`== "${word}"\``
      : name === 'number'
        ? 'compare it, as in `> 0`'
        : name === 'null'
          ? 'test it with `is not null`'
          : 'test it with `is not empty`, or compare it';
  return badValue(`${what} is ${aType(value)}, not true or false; ${hint}`);
}

export function notComparable(operator: string, left: Value, right: Value): RuntimeFailure {
  const structured = typeOf(left) === 'list' || typeOf(left) === 'object' ? left : right;
  const fields = isObject(structured) ? Object.keys(structured) : [];
  const hint =
    fields.length > 0
      ? `; compare one of its fields (${listNames(fields)})`
      : typeOf(structured) === 'list'
        ? '; compare an element, its `len(…)`, or use `contains`'
        : (quotedHint(left, right) ?? unlikeHint([typeOf(left), typeOf(right)]));
  return badValue(`\`${operator}\` cannot compare ${aType(left)} with ${aType(right)}${hint}`);
}

/** The text that looks like the other value: CHECK binds a number, and the text is in quotes. */
function quotedHint(left: Value, right: Value): string | undefined {
  const [text, other] = typeof left === 'string' ? [left, right] : [right, left];
  if (typeof text !== 'string' || (typeof other !== 'boolean' && typeOf(other) !== 'number')) return undefined;
  const looks = typeof other === 'boolean' ? /^(?:true|false)$/ : /^-?\d+(?:\.\d+)?$/;
  const converted = typeof other === 'boolean' ? '' : ', or `int(…)` for the number in a text';
  return looks.test(text) ? `; write \`${text}\` without quotes if that is the value${converted}` : undefined;
}

/** How two scalars of different types become comparable. */
function unlikeHint(types: readonly string[]): string {
  if (types.includes('version')) return '; use `version(…)` on both sides';
  if (!types.includes('text')) return '';
  const literal = types.includes('number') ? '`"5"`' : '`"true"`';
  const converted = types.includes('number') ? '`int(…)`, ' : '';
  return `; use ${converted}a text in quotes such as ${literal}, or bind the output with CHECK`;
}

/** No element of a list has the kind of the value that is looked for. */
export function notAmong(operator: string, list: readonly Value[], value: Value): RuntimeFailure {
  const types = [...new Set(list.map(typeOf))];
  const [type = 'text'] = types;
  const names = {
    boolean: 'booleans',
    number: 'numbers',
    text: 'texts',
    version: 'versions',
    list: 'lists',
    object: 'objects',
  };
  const elements = types.length === 1 && type !== 'null' ? `a list of ${names[type]}` : 'this list';
  return badValue(`\`${operator}\` cannot find ${aType(value)} in ${elements}${unlikeHint([typeOf(value), ...types])}`);
}

export function notOrdered(operator: string, left: Value, right: Value): RuntimeFailure {
  const types = [typeOf(left), typeOf(right)].sort().join();
  const hint = types.includes('version')
    ? '; use `version(…)` on both sides'
    : types === 'number,text'
      ? '; bind the text with CHECK, or use `int(…)` or `float(…)`'
      : '';
  return badValue(`\`${operator}\` cannot order ${aType(left)} and ${aType(right)}${hint}`);
}

export function notAdded(left: Value, right: Value): RuntimeFailure {
  const types = [typeOf(left), typeOf(right)];
  const hint = types.includes('list')
    ? '; write `[…]` around an element, as in `items + [x]`'
    : types.includes('text') && types.includes('number')
      ? '; use `int(…)` or `float(…)` for the sum, or one text, as in `"{a}{b}"`'
      : types.includes('text') && !types.includes('object')
        ? '; write one text, as in `"{a}{b}"`'
        : '';
  return badValue(`\`+\` cannot add ${aType(left)} and ${aType(right)}${hint}`);
}

export function notNumbers(operator: string, left: Value, right: Value): RuntimeFailure {
  const wrong = typeOf(left) === 'number' ? right : left;
  const hint = typeOf(wrong) === 'text' ? '; use `int(…)` or `float(…)`' : '';
  return badValue(`\`${operator}\` needs two numbers, not ${aType(left)} and ${aType(right)}${hint}`);
}

/** A value as a message shows it: one line, shortened. */
export function excerpt(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}
