/**
 * `--start "STATE with a=1, b=text"`: the first state and its entry values. A state cannot start without the entry
 * values that it reads, so missing values are reported before anything runs.
 */
import { readJson } from '../../interpreter/values/json.js';
import { checkMessages } from '../../language/source/catalogue/check.js';
import { commandLineMessages as words } from '../../language/source/catalogue/command-line.js';
import { patternMessages } from '../../language/source/catalogue/patterns.js';
import type { Diagnostic } from '../../language/source/diagnostic.js';
import { type SourceSet, type Span, sourceFile } from '../../language/source/diagnostic.js';
import type { Json, SlotRef } from '../../machine/expression.js';
import type { Machine, State } from '../../machine/machine.js';
import { nearest } from '../../prelude/nearest.js';

export interface Start {
  readonly state: string;
  readonly with: Readonly<Record<string, Json>>;
}

/** The start, or its mistakes, which are shown in the text of the flag. */
export function readStart(
  flag: string,
  machine: Machine,
  sources: SourceSet,
): { readonly start: Start } | { readonly diagnostics: Diagnostic[] } {
  const lead = '--start ';
  const file = sources.push(sourceFile('command line', lead + flag)) - 1;
  const match = /^\s*(\S+)(?:\s+with\s+([\s\S]*))?\s*$/.exec(flag);
  const name = match?.[1] ?? flag.trim();
  const at = lead.length + flag.indexOf(name);
  const span: Span = { file, start: at, end: at + name.length };
  const state = machine.states.find((one) => one.name === name);
  if (match === null || state === undefined) {
    const near = nearest(
      name,
      machine.states.map((one) => one.name),
    );
    return { diagnostics: [checkMessages.unknownStart(span, { name, near })] };
  }
  const twice = new Set<string>();
  const given = entryValues(match[2] ?? '', twice);
  const diagnostics = problems(state, { given, flag: flag.trim() }, span);
  for (const name of twice) diagnostics.push(patternMessages.duplicateArgument(span, { name }));
  if (diagnostics.length > 0) return { diagnostics };
  return { start: { state: name, with: Object.fromEntries(given) as Record<string, Json> } };
}

/** Values by name; a name alone has no value. */
type Entries = ReadonlyMap<string, Json | undefined>;

function problems(state: State, { given, flag }: { given: Entries; flag: string }, span: Span): Diagnostic[] {
  const out: Diagnostic[] = [];
  for (const name of given.keys()) {
    if (!state.entry.includes(name))
      out.push(words.unknownEntryValue(span, { state: state.name, name, near: nearest(name, state.entry) }));
  }
  const bare = [...given.keys()].filter((name) => given.get(name) === undefined && state.entry.includes(name));
  const names = [...new Set([...bare, ...neededValues(state).filter((name) => given.get(name) === undefined)])];
  if (names.length > 0) {
    const more = names.map((name) => `${name}=…`).join(', ');
    const kept = given.size > 0 && bare.length === 0 && out.length === 0;
    const example = kept ? `${flag}, ${more}` : `${state.name} with ${more}`;
    out.push(words.missingEntryValue(span, { state: state.name, names, example }));
  }
  return out;
}

/**
 * `a=1, b="x, y", c=word`: values are JSON where they parse as JSON, else text; commas in brackets and quotes belong to
 * them. Adds the names that are given twice to `twice`.
 */
function entryValues(text: string, twice: Set<string>): Entries {
  const values = new Map<string, Json | undefined>();
  for (const part of splitAtCommas(text)) {
    const match = /^\s*([A-Za-z_]\w*)\s*=\s*([\s\S]*?)\s*$/.exec(part);
    const name = match?.[1] ?? part.trim();
    if (values.has(name)) twice.add(name);
    if (match === null) {
      if (name !== '') values.set(name, undefined);
      continue;
    }
    values.set(name, value(match[2] as string));
  }
  return values;
}

function value(text: string): Json {
  const read = readJson(text);
  if (read.ok) return read.value as Json;
  return /^'[^']*'$/.test(text) ? text.slice(1, -1) : text;
}

function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote: string | null = null;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (quote !== null) {
      if (character === '\\' && quote === '"') at += 1;
      else if (character === quote) quote = null;
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}

/**
 * Entry values that the state reads and that nothing else can supply. `x?`, `x exists` and `default(x, …)` need no
 * value.
 */
function neededValues(state: State): string[] {
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit);
    else if (node !== null && typeof node === 'object') {
      if (doesWithout(node)) return;
      const { op, places } = node as { op?: unknown; places?: unknown };
      if (op === 'read' && Array.isArray(places)) {
        const [first, ...others] = places as SlotRef[];
        if (first?.in === 'entry' && others.length === 0) found.add(state.entry[first.slot] as string);
      } else if (op !== 'const') Object.values(node).forEach(visit);
    }
  };
  visit(state.code);
  return [...found];
}

function doesWithout(node: object): boolean {
  const { op, name, test, optional } = node as Record<string, unknown>;
  if (op === 'maybe' || optional === true) return true;
  return (op === 'call' && name === 'default') || (op === 'test' && (test === 'exists' || test === 'empty'));
}
