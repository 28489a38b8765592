/** What a hover says, as lines that also read well as plain text. */
import type { ProgramSymbol } from '../../language/check/program-index.js';
import { lineText, positionAt, type Span } from '../../language/source/diagnostic.js';
import { type LastFacts, lastValueOf } from './last-facts.js';
import { type OpenProgram, occurrencesAt, symbolAt, targetsAt } from './open-program.js';
import { FUNCTIONS, OPTIONS, SECTIONS, VERBS } from './reference-words.js';

export interface Hover {
  readonly span: Span;
  readonly text: string;
}

/** What the surroundings know: the program of an agent, and whether it is installed. */
export interface HoverLookups {
  readonly agent?: (name: string) => string | null;
  /** What the tools file says about a tool. */
  readonly tool?: (name: string) => string | null;
  readonly last?: LastFacts | null;
}

/** How many places are shown. */
const MOST = 5;

const KINDS: Readonly<Record<ProgramSymbol['kind'], string>> = {
  machine: 'machine',
  state: 'state',
  pattern: 'pattern',
  parameter: 'parameter',
  input: 'input',
  tracked: 'tracked variable',
  local: 'local',
  entry: 'entry value',
  loop: 'variable of FOR EACH',
  fact: 'part of a failure',
  event: 'event',
  step: 'step',
  'step-key': 'key of a step',
  agent: 'agent',
  gate: 'gate',
  workflow: 'workflow',
  tool: 'tool',
  plan: 'plan',
  'data-reference': 'data',
  import: 'file',
  function: 'function',
};

/** What the engine says of a failure. */
const FACTS: Readonly<Record<string, string>> = {
  error_type: 'the kind of the failure',
  tool: 'what failed',
  error: 'the text of the failure',
  exit_code: 'the exit code of the command, or null',
  from_state: 'the state in which it failed',
  line: 'the line in which it failed',
  file: 'the file of that line',
};

export function hoverAt(program: OpenProgram, offset: number, lookups: HoverLookups = {}): Hover | null {
  const { index } = program;
  const [first, ...others] = occurrencesAt(index, offset);
  if (first === undefined) return wordAt(program, offset);
  const ids = [...new Set([first, ...others].flatMap(({ symbols }) => symbols))];
  const texts = ids.map((id) => symbolText(program, id, lookups));
  const targets = targetsAt(index, offset).map((id) => symbolAt(index, id).name);
  if (targets.length > 0) texts.push(`leads to ${targets.join(', ')}`);
  return { span: first.span, text: texts.join('\n\n') };
}

function symbolText(program: OpenProgram, id: number, lookups: HoverLookups): string {
  const symbol = symbolAt(program.index, id);
  const { kind, name, owner, doc } = symbol;
  if (kind === 'function') return functionText(name);
  const of = ownerText(program, symbol, owner);
  const lines = [`${KINDS[kind]} \`${name}\`${of}`];
  if (kind === 'fact' && Object.hasOwn(FACTS, name)) lines.push(FACTS[name] as string);
  const said = (kind === 'agent' ? lookups.agent?.(name) : kind === 'tool' ? lookups.tool?.(name) : null) ?? null;
  if (said !== null) lines.push(said);
  lines.push(...bindings(program, symbol));
  if (kind === 'state' || kind === 'pattern') lines.push(...signature(program, symbol));
  if (kind === 'data-reference') lines.push(...writers(program, name));
  const last = lookups.last == null ? null : lastValueOf(lookups.last, symbol);
  if (last !== null) lines.push(`in the last run: \`${last}\``);
  if (doc !== null) lines.push('', doc);
  return lines.join('\n');
}

function ownerText({ compilation }: OpenProgram, { kind }: ProgramSymbol, owner: string): string {
  if (owner === '' || /[:+]/.test(owner)) return '';
  if (kind === 'state' || kind === 'tracked') return compilation.machines.length > 1 ? ` of ${owner}` : '';
  return ` of ${owner.slice(owner.lastIndexOf('/') + 1)}`;
}

/** The lines that declare or bind a name, as written. */
function bindings({ compilation: { sources } }: OpenProgram, { declarations }: ProgramSymbol): string[] {
  const lines = declarations.slice(0, MOST).map(({ file, start }) => {
    const source = sources[file];
    if (source === undefined) return '';
    const { line } = positionAt(source, start);
    const text = lineText(source, line).trim();
    const where = file === 0 ? `line ${line}` : `${source.name}:${line}`;
    return `${where}: \`${text.length > 200 ? `${text.slice(0, 199)}…` : text}\``;
  });
  const distinct = [...new Set(lines)];
  return declarations.length > MOST ? [...distinct, `and ${declarations.length - MOST} more`] : distinct;
}

/** The entry values that a state gets. */
function signature({ index }: OpenProgram, { kind, name, owner }: ProgramSymbol): string[] {
  if (kind !== 'state') return [];
  const own = `${owner}/${name}`;
  const values = index.symbols.filter((one) => one.kind === 'entry' && one.owner === own).map((one) => one.name);
  return values.length === 0 ? [] : [`gets ${values.map((value) => `\`${value}\``).join(', ')}`];
}

function writers({ index, source }: OpenProgram, name: string): string[] {
  const lines = index.occurrences
    .filter(({ role, symbols }) => role === 'write' && symbols.some((id) => symbolAt(index, id).name === name))
    .filter(({ span }) => span.file === 0)
    .map(({ span }) => positionAt(source, span.start).line);
  return [...new Set(lines)]
    .slice(0, MOST)
    .map((line) => `written in line ${line}: \`${lineText(source, line).trim()}\``);
}

function functionText(name: string): string {
  const known = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (known === undefined) return `function \`${name}\``;
  return `\`${name}(${known[0].join(', ')})\`\n${known[1]}`;
}

/** A verb, a section of a step, or an option in brackets. */
function wordAt({ source }: OpenProgram, offset: number): Hover | null {
  const { line } = positionAt(source, offset);
  const start = source.lineStarts[line - 1] as number;
  const text = lineText(source, line);
  const at = offset - start;
  const spanOf = (from: number, length: number): Span => ({ file: 0, start: start + from, end: start + from + length });
  for (const match of text.matchAll(/\b(?:ELSE IF|FOR EACH|ON ERROR|[A-Z]{2,})\b/g)) {
    const [word] = match;
    if (at < match.index || at > match.index + word.length) continue;
    const says =
      (Object.hasOwn(VERBS, word) ? VERBS[word]?.[1] : undefined) ??
      (Object.hasOwn(SECTIONS, word) ? SECTIONS[word] : undefined);
    return says === undefined ? null : { span: spanOf(match.index, word.length), text: `${word}\n${says}` };
  }
  const verb = /^\s*(?:[-*]\s+)?(FOR EACH|[A-Z]+)\s*\[/.exec(text)?.[1] ?? '';
  for (const match of text.matchAll(/[\w.]+(?==|[ \]])/g)) {
    const [word] = match;
    if (at < match.index || at > match.index + word.length) continue;
    const key = word.startsWith('env.') ? 'env.NAME' : word;
    const says = OPTIONS[verb]?.[key];
    if (says !== undefined)
      return { span: spanOf(match.index, word.length), text: `option \`${word}\` of ${verb}\n${says}` };
  }
  return null;
}
