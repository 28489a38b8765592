/** What can be written at a location: names that are visible there, nearest first, and words of the language. */

import type { ProgramSymbol } from '../../language/check/program-index.js';
import { lineText, positionAt, type SourceFile, type Span } from '../../language/source/diagnostic.js';
import type { Declaration } from '../../language/syntax/ast.js';
import { STEP_FIELDS } from '../../language/syntax/expression-nodes.js';
import { declarationVerbs } from '../../language/syntax/tokens/verbs.js';
import { ERROR_KINDS } from '../../machine/error-kinds.js';
import type { Json } from '../../machine/expression.js';
import { fieldsOfSchema, fieldsOfValue, parametersOfTool, resultOfTool, toolsOfValue } from './described-values.js';
import type { OpenProgram } from './open-program.js';
import { enclosing, machineAt, wholeSpan } from './outline.js';
import { FUNCTIONS, OPTIONS, SECTIONS, VERBS } from './reference-words.js';
import { fieldPosition, fieldsOf } from './value-fields.js';

export interface Completion {
  readonly label: string;
  readonly kind: ProgramSymbol['kind'] | 'verb' | 'option' | 'word' | 'field';
  readonly detail?: string;
  /** What is inserted; the label if absent. With `snippet`, what is in `<…>` is to be filled in. */
  readonly insert?: string;
  readonly snippet?: true;
  /** Lower is nearer. */
  readonly rank: number;
  readonly replace: Span;
}

/** Names that only the surroundings know. */
export interface KnownNames {
  readonly agents?: readonly string[];
  readonly gates?: readonly string[];
  readonly workflows?: readonly string[];
  readonly tools?: readonly string[];
  /** The schema of the calls of a tool. */
  readonly schemaOf?: (tool: string) => Json | null;
  /** The values that a variable or data reference had in the last run. */
  readonly lastValues?: (name: string) => readonly Json[];
  /** What an IMPORT can name. */
  readonly imports?: readonly string[];
  readonly plans?: readonly string[];
}

export function completionsAt(program: OpenProgram, offset: number, known: KnownNames = {}): Completion[] {
  const { source } = program;
  const { line, column } = positionAt(source, offset);
  const start = source.lineStarts[line - 1] as number;
  const before = lineText(source, line).slice(0, column - 1);
  const word = /[A-Za-z_][\w-]*$/.exec(before)?.[0] ?? '';
  const cursor: Cursor = { program, offset, before, word, known, lineStart: start };
  return proposals(cursor);
}

interface Cursor {
  readonly program: OpenProgram;
  readonly offset: number;
  /** The line up to the cursor. */
  readonly before: string;
  readonly word: string;
  readonly known: KnownNames;
  readonly lineStart: number;
}

type Proposed = Omit<Completion, 'replace'>;

/** Instructions begin a line, follow an arrow, or follow another action. */
const HEAD = /(?:^\s*(?:[-*]\s+)?|(?:→|->)\s*|,\s+)$/u;
const SHELL = /^\s*(?:[-*]\s+)?(?:DO|CHECK|UNDO)(?:\s*\[[^\]]*\])?:\s*(?![A-Za-z_]\w*\s*=\s)/;

function proposals(cursor: Cursor): Completion[] {
  const { before, word, offset, program, known } = cursor;
  const lead = before.slice(0, before.length - word.length);
  const at = (list: readonly Proposed[], length = word.length): Completion[] =>
    list.map((one) => ({ ...one, replace: { file: 0, start: offset - length, end: offset } }));
  if (/^\s*#/.test(before)) return [];
  const path = /†[\w.[\]"]*$/.exec(before)?.[0];
  if (path !== undefined) return at(dataPaths(cursor, path), path.length);
  const key = /([A-Za-z_][\w-]*)\.(\w*)$/.exec(before);
  if (key !== null && isOpenBrace(before) && isStep(cursor, key[1] as string))
    return at(stepKeys(), (key[2] as string).length);
  const field =
    isOpenBrace(before) || (isExpression(lead) && !SHELL.test(before) && !isQuoted(before))
      ? fieldPosition(before)
      : null;
  if (field !== null) {
    const [root = '', ...inner] = field.path;
    if (inner.length === 0 && isStep(cursor, root)) return at(stepKeys(), field.word.length);
    return at(fields(cursor, root, inner, fieldsOf(program, field)), field.word.length);
  }
  if (isOpenBrace(before)) return at(values(cursor));
  const option = /^\s*(?:[-*]\s+)?(ELSE IF|FOR EACH|[A-Z]+)[^:[]*\[(?:[^\]]*\s)?(\w*)$/.exec(before);
  if (option !== null) return at(optionsFor(option[1] as string), (option[2] as string).length);
  const file = /\bIMPORT:\s*"?([^"\s]*)$/.exec(before)?.[1];
  if (file !== undefined) return at(plain(known.imports ?? [], 'import'), file.length);
  const plan = /\bPLAN:\s*(\S*)$/.exec(before)?.[1];
  if (plan !== undefined) return at(plain(known.plans ?? [], 'plan'), plan.length);
  if (/\bGOTO:?\s+$/.test(lead)) return at(states(cursor));
  if (/\bUSE:?\s+$/.test(lead)) return at(patterns(cursor));
  if (/\bON ERROR\s+$/.test(lead)) return at(plain(ERROR_KINDS, 'word'));
  const agent = /(?:^\s*AGENT:|\bTask\()\s*([\w-]*)$/.exec(before)?.[1];
  if (agent !== undefined) return at(plain(known.agents ?? [], 'agent'), agent.length);
  const gate = /^\s*GATE:\s*(?:[\w-]+,\s*)*([\w-]*)$/.exec(before)?.[1];
  if (gate !== undefined) return at(plain(known.gates ?? [], 'gate'), gate.length);
  const workflow = /(?:^\s*WORKFLOW:|\b[Vv]alidate:?)\s*([\w/-]*)$/.exec(before)?.[1];
  if (workflow !== undefined) return at(plain(known.workflows ?? [], 'workflow'), workflow.length);
  const tool = /\bCALL(?:\s*\[[^\]]*\])?:\s*(?:[A-Za-z_]\w*\s*=\s*)?([\w.-]*)$/.exec(before)?.[1];
  if (tool !== undefined) return at(plain(known.tools ?? toolsOf(program), 'tool'), tool.length);
  const called = CALLED.exec(lead);
  if (called !== null) return at(parametersLeft(cursor, called[1] as string, lead));
  const passed = /\b(GOTO|USE):?\s+([A-Za-z_]\w*)\s+with\s+(?:.*,\s*)?$/.exec(lead);
  if (passed !== null) return at(argumentsOf(cursor, passed[1] as string, passed[2] as string, lead));
  if (HEAD.test(lead)) return at(verbs(cursor));
  if (SHELL.test(before)) return [];
  const compared = /([A-Za-z_]\w*)\s*[=!]=\s*"([^"]*)$/.exec(before);
  if (compared !== null && isExpression(lead))
    return at(choicesOf(program, compared[1] as string), compared[2]?.length);
  return isExpression(lead) && !isQuoted(before) ? at(values(cursor)) : [];
}

/** Whether a position is in the braces of a text. */
export function isInBraces(source: SourceFile, offset: number): boolean {
  const { line, column } = positionAt(source, offset);
  return isOpenBrace(lineText(source, line).slice(0, column - 1));
}

/** Whether a `{` is open to the left of the cursor. */
function isOpenBrace(before: string): boolean {
  const open = before.lastIndexOf('{');
  return (
    open >= 0 &&
    before.indexOf('}', open) < 0 &&
    before[open - 1] !== '$' &&
    /^\{[\w\s.,()+*/<>=!"'†[\]-]*$/.test(before.slice(open))
  );
}

/** What an input can be. */
function choicesOf({ tree }: OpenProgram, name: string): Proposed[] {
  return tree.items.flatMap((item) =>
    item.kind === 'input' && item.name.text === name ? plain(item.choices ?? [], 'word') : [],
  );
}

function isQuoted(before: string): boolean {
  return (before.replace(/\\./g, '').split('"').length - 1) % 2 === 1;
}

function isExpression(lead: string): boolean {
  return /\b(?:IF|WAIT|SET|TRACK|INCREMENT|FOR EACH|RETURN with)\b|\bwith\b.*=\s*$|^\s*(?:DO|SET|TRACK)(?:\s*\[[^\]]*\])?:\s*[A-Za-z_]\w*\s*\+?=\s/.test(
    lead,
  );
}

function plain(names: readonly string[], kind: Completion['kind']): Proposed[] {
  return names.map((label) => ({ label, kind, rank: 0 }));
}

function ownSymbols({ program }: Cursor, kind: ProgramSymbol['kind'], owner?: string): ProgramSymbol[] {
  return program.index.symbols.filter((one) => one.kind === kind && (owner === undefined || one.owner === owner));
}

function states(cursor: Cursor): Proposed[] {
  const { program, offset } = cursor;
  const around = enclosing(program, offset);
  const machine = around?.kind === 'pattern' ? undefined : machineAt(program, offset);
  const declared = ownSymbols(cursor, 'state', machine).filter(({ declarations }) => declarations.length > 0);
  const parameters = around?.kind === 'pattern' ? around.parameters : [];
  return [
    ...parameters.map(({ name }) => ({ label: `{${name.text}}`, kind: 'parameter' as const, rank: 0 })),
    ...declared.map(({ name, doc }) => ({
      label: name,
      kind: 'state' as const,
      rank: 1,
      ...(doc === null ? {} : { detail: firstLine(doc) }),
    })),
  ];
}

function patterns({ program, offset }: Cursor): Proposed[] {
  const around = enclosing(program, offset);
  const own = around?.kind === 'pattern' ? around.name.text : null;
  return program.index.symbols.flatMap((one): Proposed[] => {
    if (one.kind !== 'pattern' || one.declarations.length === 0 || one.name === own) return [];
    const parameters = parametersOf(program, one.name);
    return [{ label: one.name, kind: 'pattern', rank: 0, detail: parameters.join(', ') }];
  });
}

export function parametersOf({ index }: OpenProgram, pattern: string): string[] {
  return index.symbols
    .filter((one) => one.kind === 'parameter' && one.owner === pattern)
    .sort((a, b) => (a.declarations[0]?.start ?? 0) - (b.declarations[0]?.start ?? 0))
    .map(({ name }) => name);
}

/** The entry values that a state reads. */
export function entryValuesOf({ index }: OpenProgram, machine: string, state: string): string[] {
  const owner = `${machine}/${state}`;
  const read = new Set(index.occurrences.filter(({ role }) => role === 'read').flatMap(({ symbols }) => symbols));
  const names = index.symbols.flatMap((one, id) =>
    one.kind === 'entry' && one.owner === owner ? [{ name: one.name, id }] : [],
  );
  return [...names.filter(({ id }) => read.has(id)), ...names.filter(({ id }) => !read.has(id))].map(
    ({ name }) => name,
  );
}

/** The names after `with` that are still missing. */
function argumentsOf(cursor: Cursor, verb: string, target: string, lead: string): Proposed[] {
  const { program, offset } = cursor;
  const given = new Set(
    [...lead.slice(lead.indexOf(' with ')).matchAll(/([A-Za-z_]\w*)\s*=/g)].map(([, name]) => name),
  );
  const names =
    verb === 'USE' ? parametersOf(program, target) : entryValuesOf(program, machineAt(program, offset), target);
  const kind = verb === 'USE' ? 'parameter' : 'entry';
  return names.filter((name) => !given.has(name)).map((label) => ({ label, kind, insert: `${label}=`, rank: 0 }));
}

/** Variables and functions, the nearest scope first. */
function values(cursor: Cursor): Proposed[] {
  const { program, offset } = cursor;
  const { index } = program;
  const around = enclosing(program, offset);
  const machine = machineAt(program, offset);
  const proposed = new Map<string, Proposed>();
  const add = (one: Proposed): void => {
    if (!proposed.has(one.label)) proposed.set(one.label, one);
  };
  index.symbols
    .map((symbol) => ({ symbol, rank: nearness(symbol, { around, machine, offset }) }))
    .filter(({ rank }) => rank >= 0)
    .sort((a, b) => a.rank - b.rank)
    .forEach(({ symbol, rank }) => {
      add({ label: symbol.name, kind: symbol.kind, rank });
    });
  for (const [label, [parameters, text]] of Object.entries(FUNCTIONS))
    add({
      label,
      kind: 'function',
      detail: text,
      insert: parameters.length === 0 ? `${label}()` : `${label}(`,
      rank: 9,
    });
  return [...proposed.values()];
}

interface Viewpoint {
  readonly around: Extract<Declaration, { kind: 'state' | 'pattern' }> | null;
  readonly machine: string;
  readonly offset: number;
}

/** How far a name is from a location; -1 if it is not visible there. */
function nearness(symbol: ProgramSymbol, { around, machine, offset }: Viewpoint): number {
  const { kind, owner, name, declarations } = symbol;
  const isInside = declarations.some(
    ({ file, start }) => around !== null && file === 0 && start >= around.span.start && start < wholeSpan(around).end,
  );
  switch (kind) {
    case 'parameter':
      return around?.kind === 'pattern' && owner === around.name.text ? 0 : -1;
    case 'loop':
      return isInside && declarations.some(({ start }) => start < offset) ? 1 : -1;
    case 'local':
      if (around === null || around.kind === 'pattern') return around === null || isInside ? 2 : -1;
      return owner === `${machine}/${around.name.text}` ? 2 : -1;
    case 'entry':
      return around?.kind === 'state' && (owner === `${machine}/${around.name.text}` || owner === `${machine}/*`)
        ? 3
        : -1;
    case 'fact':
      return around?.kind === 'state' && around.name.text === 'ERROR' ? 3 : -1;
    case 'tracked':
      return owner === machine || around?.kind === 'pattern' ? 4 : -1;
    case 'input':
      return owner === '' && declarations.length > 0 && name !== '' ? 5 : -1;
    case 'step':
      return 6;
    default:
      return -1;
  }
}

function isStep({ program: { index } }: Cursor, root: string): boolean {
  return index.symbols.some(({ kind, name }) => kind === 'step' && name === root);
}

/** The keys of a step after its name. */
function stepKeys(): Proposed[] {
  return STEP_FIELDS.map((label) => ({ label, kind: 'step-key', rank: 0 }));
}

function dataPaths({ program, known }: Cursor, written: string): Proposed[] {
  const { index } = program;
  const paths = index.symbols.filter(({ kind }) => kind === 'data-reference').map(({ name }) => name);
  const inputs = index.symbols
    .filter(({ kind, owner }) => kind === 'input' && owner === '')
    .map(({ name }) => `†input.${name}`);
  const tracked = index.symbols.filter(({ kind }) => kind === 'tracked').map(({ name }) => `†track.${name}`);
  const own: Proposed[] = [...new Set([...paths, ...inputs, ...tracked])].map((label) => ({
    label,
    kind: 'data-reference',
    rank: 0,
  }));
  // What is in a value that a call has written.
  const of = written.slice(0, written.lastIndexOf('.'));
  if (!/^†\w+\./.test(of)) return own;
  const inner = [...new Set(paths)].filter((path) => of === path || of.startsWith(`${path}.`));
  return [
    ...own,
    ...inner.flatMap((path) => {
      const below = of
        .slice(path.length)
        .split('.')
        .filter((one) => one !== '');
      return fields({ program, known, before: '' }, path, below, []).map(
        (one): Proposed => ({ ...one, label: `${of}.${one.label}` }),
      );
    }),
  ];
}

/** The fields of a value: those of the program first, then what a schema or the last run says. */
function fields(
  { program, known, before }: Pick<Cursor, 'program' | 'known' | 'before'>,
  root: string,
  path: readonly string[],
  own: readonly string[],
): Proposed[] {
  const word = /\w*$/.exec(before)?.[0] ?? '';
  const found = new Map<string, Proposed>();
  const add = (names: readonly string[], rank: number, detail?: string): void => {
    for (const label of names) {
      const isWritten = detail === undefined && label === word;
      if (!isWritten && !found.has(label))
        found.set(label, { label, kind: 'field', rank, ...(detail === undefined ? {} : { detail }) });
    }
  };
  add(own, 0);
  for (const tool of toolsOfValue(program, root))
    add(fieldsOfSchema(resultOfTool(known.schemaOf?.(tool) ?? null), path), 1, `by the schema of ${tool}`);
  for (const value of known.lastValues?.(root) ?? []) add(fieldsOfValue(value, path), 2, 'in the last run');
  return [...found.values()];
}

const CALLED = /\bCALL(?:\s*\[[^\]]*\])?:\s*(?:[A-Za-z_]\w*\s*=\s*)?([\w.-]+)\s+with\s+(?:.*,\s*)?$/;

/** The parameters of a tool that are still missing. */
function parametersLeft({ known }: Cursor, tool: string, lead: string): Proposed[] {
  const given = new Set([...lead.matchAll(/([A-Za-z_]\w*)\s*=/g)].map(([, name]) => name));
  return parametersOfTool(known.schemaOf?.(tool) ?? null)
    .filter(({ name }) => !given.has(name))
    .map(({ name, type, says, isRequired }) => ({
      label: name,
      kind: 'parameter',
      insert: `${/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)}=`,
      rank: isRequired ? 0 : 1,
      detail: [type, says].filter((one) => one !== null).join(': '),
    }));
}

function toolsOf({ index }: OpenProgram): string[] {
  return index.symbols.filter(({ kind }) => kind === 'tool').map(({ name }) => name);
}

function optionsFor(verb: string): Proposed[] {
  const known = Object.hasOwn(OPTIONS, verb) ? OPTIONS[verb] : undefined;
  return Object.entries(known ?? {}).map(([label, detail]) => ({
    label,
    kind: 'option',
    detail,
    insert: label === 'once' || label === 'memo' ? label : label === 'env.NAME' ? 'env.' : `${label}=`,
    rank: 0,
  }));
}

/** Words that belong to the whole file, and are written in the first column. */
const OUTER: ReadonlySet<string> = new Set(declarationVerbs);

function verbs({ before, program, offset }: Cursor): Proposed[] {
  const isIndented = /^\s/.test(before);
  const isInline = /(?:→|->)/.test(before);
  const around = enclosing(program, offset);
  const inStep = isIndented && around !== null && isBelowStep(program, offset);
  const words = Object.entries(VERBS).filter(([word]) => (isIndented ? !OUTER.has(word) || word === 'INPUT' : true));
  const shown = isInline ? words.filter(([word]) => !OUTER.has(word)) : words;
  return [
    ...(inStep
      ? Object.entries(SECTIONS).map(([label, detail]) => ({
          label,
          kind: 'verb' as const,
          detail,
          insert: `${label}: `,
          rank: 0,
        }))
      : []),
    ...shown.map(([label, [snippet, detail]]) => ({
      label,
      kind: 'verb' as const,
      detail,
      insert: snippet,
      snippet: true as const,
      rank: OUTER.has(label) === isIndented ? 2 : 1,
    })),
  ];
}

/** Whether a line above with less indentation is a STEP. */
function isBelowStep({ source }: OpenProgram, offset: number): boolean {
  const { line } = positionAt(source, offset);
  const indentation = (text: string): number => text.length - text.trimStart().length;
  const own = indentation(lineText(source, line));
  for (let at = line - 1; at > 0; at--) {
    const text = lineText(source, at);
    if (text.trim() === '' || indentation(text) >= Math.max(own, 1)) continue;
    return /^\s*STEP:/.test(text);
  }
  return false;
}

const firstLine = (text: string): string => text.split('\n', 1)[0] as string;

/** The symbols of a program that match what somebody types, the best first. */
export function matchingSymbols({ index }: OpenProgram, query: string): ProgramSymbol[] {
  const wanted = query.toLowerCase();
  return index.symbols
    .filter(({ kind, declarations }) => SEARCHED.has(kind) && declarations[0]?.file === 0)
    .filter(({ name }) => isSubsequence(wanted, name.toLowerCase()))
    .sort((a, b) => score(a.name, wanted) - score(b.name, wanted));
}

const SEARCHED: ReadonlySet<ProgramSymbol['kind']> = new Set([
  'machine',
  'state',
  'pattern',
  'input',
  'tracked',
  'step',
]);

function isSubsequence(letters: string, text: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

function score(name: string, wanted: string): number {
  const at = name.toLowerCase().indexOf(wanted);
  return at === 0 ? 0 : at > 0 ? 1 : 2;
}
