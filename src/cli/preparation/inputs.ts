/**
 * Values for the inputs of a machine: from `-i name=text` or `-i name:=JSON`, from a file, or from a default. All
 * mistakes are reported at once, each with the typed text, so that a flag is as easy to fix as a program.
 */
import { MAX_INPUT_BYTES, readBytes, whyNotRead } from '../../app/project/read-text.js';
import { printJson, readJson } from '../../interpreter/values/json.js';
import {
  deeperThan,
  isBeyondJson,
  MAX_DEPTH,
  SourceNumber,
  typeOf,
  type Value,
} from '../../interpreter/values/value.js';
import { commandLineMessages as words } from '../../language/source/catalogue/command-line.js';
import type { Diagnostic } from '../../language/source/diagnostic.js';
import { type SourceSet, type Span, sourceFile } from '../../language/source/diagnostic.js';
import type { Json } from '../../machine/expression.js';
import { type Input, type Machine, typeOfInput } from '../../machine/machine.js';
import { ambiguityIn } from '../../prelude/ambiguous-json.js';
import { nearest } from '../../prelude/nearest.js';
import { whyNamedRefused } from '../files/command-line-host.js';

/** A value and the source location at which its mistakes are reported. */
interface GivenInput {
  readonly value: Value;
  readonly span: Span;
  /** `text`: the value of a flag, read by its declared type. `json` and `file`: a value that has its own type. */
  readonly as: 'text' | 'json' | 'file';
}

interface InputsGiven {
  readonly values: Map<string, Json>;
  /** The JSON text of values with a number that JavaScript would print differently, such as `1.10`. */
  readonly printed: Record<string, string>;
  /** Secret inputs that the workers of an engine read from variables of their environment. */
  readonly variables: Record<string, string>;
  readonly diagnostics: Diagnostic[];
}

/** Members of an input file, with its name and text for messages. */
export interface FileInputs {
  readonly name: string;
  readonly text: string;
  readonly members: Readonly<Record<string, Value>>;
}

/** The declarations of a program. They exist even if errors leave no machine to run. */
type DeclaredNames = Pick<Machine, 'name' | 'inputs' | 'workflow'>;

interface InputSources {
  readonly flags: readonly string[];
  readonly file: FileInputs | null;
  /** What a cassette has, which anything else replaces. */
  readonly recorded?: Readonly<Record<string, Json>> | null;
  readonly complete: boolean;
  /** Whether the workers of an engine execute the run. */
  readonly isElsewhere?: boolean;
  readonly sources: SourceSet;
}

/**
 * `flags` are the texts after `-i`. New source files are added to `sources`, so that the diagnostics can be drawn.
 * With `complete` every required input has to have a value; a dry run needs none.
 */
export function readInputs(
  machine: DeclaredNames,
  { flags, file, recorded, complete, isElsewhere = false, sources }: InputSources,
): InputsGiven {
  const diagnostics: Diagnostic[] = [];
  const given = new Map<string, GivenInput>();
  for (const [name, value] of Object.entries(recorded ?? {}))
    given.set(name, { value: value as Value, span: addFlag(sources, name, `:=${JSON.stringify(value)}`), as: 'file' });
  if (file !== null) {
    const index = sources.length;
    for (const [name, value] of Object.entries(file.members))
      given.set(name, { value, span: memberSpan(file.text, name, index), as: 'file' });
    sources.push(sourceFile(file.name, drawnText(file, machine)));
  }
  const seen = new Set<string>();
  const variables: Record<string, string> = {};
  for (const flag of flags) {
    const read = readFlag(flag, machine, sources, { seen, isElsewhere });
    if ('variable' in read) variables[read.name] = read.variable;
    else if (read.given !== null) given.set(read.name, read.given);
    else diagnostics.push(read.problem);
  }
  const values = new Map<string, Json>();
  const printed: Record<string, string> = {};
  for (const [name, one] of given) {
    const problem = check(name, one, machine, sources);
    if (problem !== null) diagnostics.push(problem);
    else if (isBeyondJson(one.value)) {
      const text = printJson(one.value);
      values.set(name, JSON.parse(text) as Json);
      printed[name] = text;
    } else values.set(name, one.value as Json);
  }
  if (complete) diagnostics.push(...missingInputs(machine, new Set([...given.keys(), ...seen]), sources));
  return { values, printed, variables, diagnostics };
}

function findInput(machine: DeclaredNames, name: string): Input | undefined {
  return machine.inputs.find((one) => one.name === name);
}

/** Splits `name=text` or `name:=JSON`. `rest` is the value as typed. */
export function partsOfFlag(flag: string): { readonly name: string; readonly rest: string; readonly isJson: boolean } {
  const equals = flag.indexOf('=');
  if (equals < 0) return { name: flag, rest: '', isJson: false };
  const isJson = flag[equals - 1] === ':';
  return { name: flag.slice(0, isJson ? equals - 1 : equals), rest: flag.slice(equals + 1), isJson };
}

type Flag =
  | { readonly name: string; readonly given: GivenInput }
  | { readonly name: string; readonly variable: string }
  | { readonly given: null; readonly problem: Diagnostic };

function readFlag(
  flag: string,
  machine: DeclaredNames,
  sources: SourceSet,
  { seen, isElsewhere }: { readonly seen: Set<string>; readonly isElsewhere: boolean },
): Flag {
  const { name, rest, isJson } = partsOfFlag(flag);
  const input = findInput(machine, name);
  const hidden = input === undefined || input.secret === true;
  const hasValue = flag.includes('=');
  const span = addFlag(sources, name, hasValue ? `${isJson ? ':=' : '='}${hidden ? '…' : rest}` : '');
  if (!hasValue || name === '')
    return { given: null, problem: words.inputForm(span, { name: /^\w+$/.test(name) ? name : 'name' }) };
  if (seen.has(name)) return { given: null, problem: words.inputTwice(span, { name }) };
  seen.add(name);
  const variable = rest.startsWith(VARIABLE) ? rest.slice(VARIABLE.length) : null;
  if (variable !== null && !/^\w+$/.test(variable))
    return { given: null, problem: words.inputForm(span, { name: /^\w+$/.test(name) ? name : 'name' }) };
  if (variable !== null && isElsewhere && input?.secret === true) return { name, variable };
  const text = variable !== null ? textOfVariable(variable) : textOfRest(rest, isJson);
  if (typeof text !== 'string')
    return {
      given: null,
      problem: words.inputUnreadable(span, {
        name,
        path: hidden && variable === null ? '…' : rest.slice(1),
        reason: text.reason,
        isJson,
      }),
    };
  const typed = isJson ? undefined : parseTyped(text, input);
  if (typeof typed === 'string') return { name, given: { value: typed, span, as: 'text' } };
  const problem = ambiguityIn(text);
  if (problem !== null)
    return {
      given: null,
      problem: words.inputAmbiguous(span, { name, problem: hidden ? 'has a member twice' : problem }),
    };
  if (typed !== undefined) return { name, given: { value: typed, span, as: 'text' } };
  const value = fromJson(text);
  if (value !== undefined) return { name, given: { value, span, as: 'json' } };
  const isFile = rest.startsWith('@');
  return { given: null, problem: words.inputNotJson(span, { name, isFile, isText: !hidden && /^\w+$/.test(text) }) };
}

/** Before the name of an environment variable. */
const VARIABLE = '@env:';

function textOfVariable(name: string): string | { readonly reason: string } {
  return process.env[name] ?? { reason: 'there is no such variable' };
}

function textOfRest(rest: string, isJson: boolean): string | { readonly reason: string } {
  if (rest.startsWith('@@') && !isJson) return rest.slice(1);
  return rest.startsWith('@') ? textOfFile(rest.slice(1)) : rest;
}

function textOfFile(path: string): string | { readonly reason: string } {
  const reason = whyNamedRefused(path);
  if (reason !== null) return { reason };
  const bytes = readBytes(path, MAX_INPUT_BYTES);
  if (bytes.kind === 'unreadable') return { reason: whyNotRead(bytes, path) };
  return textOf(bytes.bytes) ?? { reason: 'it is not UTF-8 text' };
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
 * The value of a flag is text unless the declaration or the default of the input has another type. Then the value is
 * read as JSON. If it is not JSON, it stays text, which the type check refuses.
 */
function parseTyped(text: string, input: Input | undefined): Value {
  const type = input === undefined ? undefined : typeOfInput(input);
  return type === undefined || type === 'string' ? text : (fromJson(text) ?? text);
}

/** Parses JSON and keeps numbers as they are written. Returns undefined for other text. */
function fromJson(text: string): Value | undefined {
  const read = readJson(text);
  if (!read.ok) return read.why === 'too-deep' ? (JSON.parse(text) as Value) : undefined;
  const { value } = read;
  // A number with more digits than a number can hold stays a number, because its type is declared.
  const literal = text.trim();
  return typeof value === 'string' && literal[0] !== '"' && Number.isFinite(Number(literal))
    ? new SourceNumber(Number(literal), literal)
    : value;
}

function check(
  name: string,
  { value, span, as }: GivenInput,
  machine: DeclaredNames,
  sources: SourceSet,
): Diagnostic | null {
  const input = findInput(machine, name);
  if (input === undefined) {
    const names = machine.inputs.map((one) => one.name);
    // Errors leave no machine that says what it is.
    const isWorkflow = machine.workflow !== undefined || /\.ya?ml$/i.test(sources[0]?.name ?? '');
    return words.unknownInput(span, { name, machine: machine.name, near: nearest(name, names), names, isWorkflow });
  }
  if (deeperThan(value, MAX_DEPTH)) return words.inputTooDeep(span, { name, limit: MAX_DEPTH });
  const found = typeName(value);
  const wanted = typeOfInput(input);
  if (wanted !== undefined && wanted !== found)
    return words.inputType(span, {
      name,
      wanted: article(wanted),
      found: article(found),
      isDefault: input.type === undefined,
      help: typeHelp(name, wanted, found, as),
    });
  if (input.choices !== undefined && !isChoice(value, input.choices)) {
    const text = typeof value === 'string' ? value : printJson(value);
    return words.inputChoice(span, { name, choices: input.choices, near: nearest(text.slice(0, 100), input.choices) });
  }
  return null;
}

function isChoice(value: Value, choices: readonly string[]): boolean {
  if (typeof value === 'string') return choices.includes(value);
  const text = printJson(value);
  return choices.some((choice) => choice === text || (typeName(value) === 'number' && Number(choice) === Number(text)));
}

const EXAMPLES: Readonly<Record<string, string>> = {
  number: '20',
  boolean: 'true',
  list: '\'["a", "b"]\'',
  object: '\'{"a": 1}\'',
};

function typeHelp(name: string, wanted: string, found: string, as: GivenInput['as']): string | undefined {
  if (as === 'file')
    return wanted === 'string' && (found === 'number' || found === 'boolean')
      ? 'put the value in quotes: in a file, numbers and `true` are not text'
      : undefined;
  if (wanted === 'string') return `write \`-i ${name}=…\` for text`;
  const how = wanted === 'list' || wanted === 'object' ? 'it as JSON, such as' : `${article(wanted)}, such as`;
  return `write ${how} \`-i ${name}=${EXAMPLES[wanted]}\``;
}

function missingInputs(machine: DeclaredNames, given: ReadonlySet<string>, sources: SourceSet): Diagnostic[] {
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
 * The location where the program declares an input, or where a workflow file reads an undeclared one; the first
 * character if there is none.
 */
function declaration(sources: SourceSet, name: string): Span {
  const text = sources[0]?.text ?? '';
  const found =
    new RegExp(`^[ \\t]*INPUT:[ \\t]*(?=${name}\\b)`, 'm').exec(text) ?? new RegExp(`\\{(?=${name}[:}?])`).exec(text);
  if (found === null) return { file: 0, start: 0, end: 0 };
  const start = found.index + found[0].length;
  return { file: 0, start, end: start + name.length };
}

/** The location of a member in a file; the first character if it is unknown. */
function memberSpan(text: string, name: string, file: number): Span {
  const word = name.replace(/[^\w]/g, '\\$&');
  const found = new RegExp(`(?<=")${word}(?="\\s*:)|(?<=^\\s*)${word}(?=\\s*:)`, 'm').exec(text);
  const start = found?.index ?? 0;
  return { file, start, end: found === null ? 0 : start + name.length };
}

/**
 * The part of an input file that a message may show. If a member is secret, or unknown and so perhaps a misspelled
 * secret, only the names are shown, each at its original position.
 */
function drawnText({ text, members }: FileInputs, machine: DeclaredNames): string {
  const names = Object.keys(members);
  const shown = names.every((name) => machine.inputs.some((input) => input.name === name && !input.secret));
  if (shown) return text;
  const drawn = text.replace(/[^\r\n]/g, ' ').split('');
  for (const name of names) {
    const { start, end } = memberSpan(text, name, 0);
    if (end === 0) continue;
    const colon = /^"?\s*:/.exec(text.slice(end, end + 100))?.[0].length ?? 0;
    const from = text[start - 1] === '"' ? start - 1 : start;
    const label = `${text.slice(from, end + colon)} ***`;
    for (let i = 0; i < label.length && !/[\r\n]/.test(drawn[from + i] ?? '\n'); i++)
      drawn[from + i] = label[i] as string;
  }
  return drawn.join('');
}

function typeName(value: Value): string {
  const name = typeOf(value);
  return name === 'text' ? 'string' : name;
}

function article(type: string): string {
  if (type === 'null') return type;
  return type === 'object' ? 'an object' : `a ${type}`;
}
