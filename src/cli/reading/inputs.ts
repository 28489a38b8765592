/**
 * Values for the inputs of a machine: from `-i name=value`, from a file, and by default. Everything that is wrong is
 * found at once, and each mistake is drawn on what was typed, so that a flag is as easy to mend as a program.
 */
import { deeperThan, MAX_DEPTH } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import type { Input, Machine } from '../../machine/machine.js';
import { commandLineMessages as words } from '../../source/catalogue/command-line.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import { type SourceSet, type Span, sourceFile } from '../../source/source-file.js';
import { nearest } from '../../source/suggest.js';
import { MAX_INPUT_BYTES, readBytes } from './read-text.js';

/** A value and the place to blame for it. */
interface Given {
  readonly value: Json;
  readonly span: Span;
  /** From a flag: a text may have become a number. From a file types are what the file says. */
  readonly raw: string | null;
}

export interface InputsGiven {
  readonly values: Map<string, Json>;
  readonly diagnostics: Diagnostic[];
}

/** Members of an input file, with its name and text for messages. */
export interface FileInputs {
  readonly name: string;
  readonly text: string;
  readonly members: Readonly<Record<string, Json>>;
}

/** What a program declares; known also where errors leave no machine to run. */
type Declared = Pick<Machine, 'name' | 'inputs'>;

export interface InputSources {
  readonly flags: readonly string[];
  readonly file: FileInputs | null;
  readonly complete: boolean;
  readonly sources: SourceSet;
}

/**
 * `flags` are the texts after `-i`. New source files are added to `sources`, so that the diagnostics can be drawn.
 * With `complete` every required input has to have a value; a dry run needs none.
 */
export function readInputs(machine: Declared, { flags, file, complete, sources }: InputSources): InputsGiven {
  const diagnostics: Diagnostic[] = [];
  const given = new Map<string, Given>();
  if (file !== null) {
    const index = sources.length;
    for (const [name, value] of Object.entries(file.members))
      given.set(name, { value, span: memberSpan(file.text, name, index), raw: null });
    sources.push(sourceFile(file.name, drawnText(file, machine)));
  }
  const seen = new Set<string>();
  for (const flag of flags) {
    const read = readFlag(flag, machine, sources, seen);
    if (read.given !== null) given.set(read.name, read.given);
    else diagnostics.push(read.problem);
  }
  const values = new Map<string, Json>();
  for (const [name, one] of given) {
    const problem = check(name, one, machine);
    if (problem === null) values.set(name, one.value);
    else diagnostics.push(problem);
  }
  if (complete) diagnostics.push(...missing(machine, new Set([...given.keys(), ...seen]), sources));
  return { values, diagnostics };
}

type Flag = { readonly name: string; readonly given: Given } | { readonly given: null; readonly problem: Diagnostic };

function readFlag(flag: string, machine: Declared, sources: SourceSet, seen: Set<string>): Flag {
  const equals = flag.indexOf('=');
  const name = equals < 0 ? flag : flag.slice(0, equals);
  const input = machine.inputs.find((one) => one.name === name);
  const raw = flag.slice(equals + 1);
  const span = addFlag(sources, name, equals < 0 ? '' : `=${input === undefined || input.secret ? '…' : raw}`);
  if (equals < 0 || name === '') return { given: null, problem: words.inputForm(span, {}) };
  if (seen.has(name)) return { given: null, problem: words.inputTwice(span, { name }) };
  seen.add(name);
  if (!raw.startsWith('@')) return { name, given: { value: typed(raw, input), span, raw } };
  if (raw.startsWith('@@')) return { name, given: { value: typed(raw.slice(1), input), span, raw } };
  const path = raw.slice(1);
  const bytes = readBytes(path, MAX_INPUT_BYTES);
  const unreadable = (reason: string): Flag => ({
    given: null,
    problem: words.inputUnreadable(span, { name, path: input?.secret ? '…' : path, reason }),
  });
  if (bytes.kind === 'unreadable') return unreadable(bytes.reason);
  const text = textOf(bytes.bytes);
  if (text === null) return unreadable('it is not UTF-8 text');
  return { name, given: { value: typed(text, input), span, raw } };
}

/** The flag as a source file of its own; the span is that of the name. */
function addFlag(sources: SourceSet, name: string, rest: string): Span {
  const file = sources.push(sourceFile('command line', `-i ${name}${rest}`)) - 1;
  return { file, start: 3, end: 3 + name.length };
}

function textOf(bytes: Buffer): string | null {
  try {
    // A byte order mark belongs to the text of an input: the value is exactly what the file holds.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/**
 * A flag's text is JSON where it parses as JSON, unless the input is declared as a string, which a default that is one
 * does as well: `version=1.10` in the place of "1.0" must not become 1.1. A number with more digits than a number can
 * hold is an identifier, and stays the text it is.
 */
function typed(text: string, input: Input | undefined): Json {
  if (input !== undefined && isText(input)) return text;
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === 'number' && !isHeldExactly(value, text) ? text : value;
  } catch {
    return text;
  }
}

function isText(input: Input): boolean {
  return input.type === 'string' || (input.type === undefined && typeof input.value === 'string');
}

function isHeldExactly(value: number, text: string): boolean {
  if (!Number.isFinite(value)) return false;
  return /[.eE]/.test(text) ? text.replace(/[eE].*$|\D|^-?0\.0*/g, '').length <= 17 : Number.isSafeInteger(value);
}

function check(name: string, { value, span, raw }: Given, machine: Declared): Diagnostic | null {
  const input = machine.inputs.find((one) => one.name === name);
  if (input === undefined) {
    const names = machine.inputs.map((one) => one.name);
    return words.unknownInput(span, { name, machine: machine.name, near: nearest(name, names), names });
  }
  if (deeperThan(value, MAX_DEPTH)) return words.inputTooDeep(span, { name, limit: MAX_DEPTH });
  const found = typeName(value);
  if (input.type !== undefined && input.type !== found)
    return words.inputType(span, {
      name,
      wanted: article(input.type),
      found: article(found),
      quote: raw === null && input.type === 'string' && (found === 'number' || found === 'boolean'),
    });
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (input.choices !== undefined && !input.choices.includes(text))
    return words.inputChoice(span, { name, choices: input.choices, near: nearest(text.slice(0, 100), input.choices) });
  return null;
}

function missing(machine: Declared, given: ReadonlySet<string>, sources: SourceSet): Diagnostic[] {
  return machine.inputs
    .filter((input) => input.value === undefined && !given.has(input.name))
    .map((input) =>
      words.missingInput(declaration(sources, input.name), {
        name: input.name,
        machine: machine.name,
        hint: input.choices?.[0] ?? '…',
      }),
    );
}

/**
 * Where the program declares an input, or a workflow file reads one that it does not declare; its first character
 * where that cannot be found.
 */
function declaration(sources: SourceSet, name: string): Span {
  const text = sources[0]?.text ?? '';
  const found =
    new RegExp(`^[ \\t]*INPUT:[ \\t]*(?=${name}\\b)`, 'm').exec(text) ?? new RegExp(`\\{(?=${name}[:}?])`).exec(text);
  if (found === null) return { file: 0, start: 0, end: 0 };
  const start = found.index + found[0].length;
  return { file: 0, start, end: start + name.length };
}

/** Where a file gives a member; its first character where that cannot be told. */
function memberSpan(text: string, name: string, file: number): Span {
  const word = name.replace(/[^\w]/g, '\\$&');
  const found = new RegExp(`(?<=")${word}(?="\\s*:)|(?<=^\\s*)${word}(?=\\s*:)`, 'm').exec(text);
  const start = found?.index ?? 0;
  return { file, start, end: found === null ? 0 : start + name.length };
}

/**
 * What of an input file may be drawn: where a member is secret, or unknown and so perhaps a secret under a wrong
 * name, only the names, at their places.
 */
function drawnText({ text, members }: FileInputs, machine: Declared): string {
  const names = Object.keys(members);
  const shown = names.every((name) => machine.inputs.some((input) => input.name === name && !input.secret));
  if (shown) return text;
  const drawn = text.replace(/[^\r\n]/g, ' ').split('');
  for (const name of names) {
    const { start, end } = memberSpan(text, name, 0);
    if (end === 0) continue;
    const behind = /^"?\s*:/.exec(text.slice(end, end + 100))?.[0].length ?? 0;
    const from = text[start - 1] === '"' ? start - 1 : start;
    const label = `${text.slice(from, end + behind)} ***`;
    for (let i = 0; i < label.length && !/[\r\n]/.test(drawn[from + i] ?? '\n'); i++)
      drawn[from + i] = label[i] as string;
  }
  return drawn.join('');
}

function typeName(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return typeof value;
}

function article(type: string): string {
  if (type === 'null') return type;
  return type === 'object' ? 'an object' : `a ${type}`;
}
