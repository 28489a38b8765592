/**
 * A command as the log shows it: the instruction with its values, each shortened so that it fits on a line. The values
 * come from the record, where secrets are already replaced.
 */
import type { Json } from '../../machine/expression.js';
import type { Requested } from '../../runtime/record/record-facts.js';
import { cut, cutColumns, oneLine } from '../drawing/visible-text.js';

const LONGEST_VALUE = 40;
const LONGEST_PROMPT = 60;

/** The command with its values; null if it has none or they are not available. */
export function commandLine(event: Requested): string | null {
  const { kind, text, tool, args, holes, prompt } = event;
  switch (kind) {
    case 'argv':
      return args === undefined ? null : args.map(word).join(' ');
    case 'function':
      return args === undefined || args.length === 0 ? null : [tool ?? '', ...args.map(word)].join(' ');
    case 'agent': {
      if (prompt === undefined || !text.includes('{') || !text.startsWith('Task(')) return null;
      return `Task(${tool}) "${cut(oneLine(prompt.trim()), LONGEST_PROMPT)}"`;
    }
    case 'shell':
      // A text with a secret differs in the record, so its offsets are not valid there.
      return args === undefined || holes?.every(([at]) => text[at] === '{') !== true
        ? null
        : fillHoles(text, holes, args);
    default:
      return null;
  }
}

function fillHoles(text: string, holes: NonNullable<Requested['holes']>, args: readonly Json[]): string {
  let line = '';
  let from = 0;
  holes.forEach(([start, end], at) => {
    const before = text.slice(from, start);
    line += before;
    const value = args[at];
    if (value === undefined) line += text.slice(start, end);
    else line += isQuoted(text.slice(0, start)) ? shortValue(value) : word(value);
    from = end;
  });
  return line + text.slice(from);
}

/**
 * Whether a quote is open at the end of a beginning of shell text. A guess is enough, because the result is only shown.
 */
function isQuoted(before: string): boolean {
  let open = '';
  for (let at = 0; at < before.length; at++) {
    const c = before[at] as string;
    if (c === '\\' && open !== "'") at++;
    else if (open === '' ? c === '"' || c === "'" : c === open) open = open === '' ? c : '';
  }
  return open !== '';
}

/** A large value is stored elsewhere, and the record only refers to it: its size; null: it is in the record itself. */
export function storedSize(value: Json): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  const { $artifact, bytes } = value as { readonly [key: string]: Json };
  return typeof $artifact === 'string' && typeof bytes === 'number' ? `(${bytes} bytes)` : null;
}

function shortValue(value: Json): string {
  const size = storedSize(value);
  if (size !== null) return size;
  const text = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
  return cutColumns(oneLine(text), LONGEST_VALUE);
}

/** A value as a word of a command: a list as its elements, in quotes if it would not be one word. */
function word(value: Json): string {
  if (Array.isArray(value)) return value.map(word).join(' ');
  const size = storedSize(value);
  if (size !== null) return size;
  const text = shortValue(value);
  return text === '' || /[\s"'|&;<>()]/.test(text) ? `'${text}'` : text;
}
