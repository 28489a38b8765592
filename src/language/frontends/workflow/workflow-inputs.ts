/**
 * The inputs of a workflow: the declared ones, and the bare names in its texts that have no other meaning. A file that
 * contains `{spec}` has an input `spec`.
 */
import { isMisspelling } from '../../../prelude/nearest.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { SourceFile, Span } from '../../source/diagnostic.js';
import type { InputDeclaration } from '../../syntax/ast.js';
import type { Expression, Interpolation, Name } from '../../syntax/expression-nodes.js';
import { noName } from '../../syntax/names.js';
import { parseProgram } from '../../syntax/parse.js';
import { scanInterpolation } from '../../syntax/tree/interpolation.js';
import { expressionOf, flagOf, isNothing, Members, nameOf, type ReaderContext, textOf, wrongShape } from './values.js';
import type { YamlMap, YamlMember, YamlNode, YamlScalar } from './yaml/yaml-nodes.js';

const LEAD = 'INPUT: ';
/** Types that nobody means as a text. */
const NOT_DEFAULTS = /^(?:string|number|boolean|bool|int|integer)$/;
const TYPES: readonly string[] = ['string', 'number', 'boolean', 'list', 'object'];
/** Names that every step can read, and names that only steps of a task can read. */
const GIVEN: ReadonlySet<string> = new Set(['error', 'diff', 'attempt', 'gate', 'prev', 'run', 'steps']);
const OF_TASKS: ReadonlySet<string> = new Set(['task', 'item']);

export function declaredInputs(context: ReaderContext, file: SourceFile, { value }: YamlMember): InputDeclaration[] {
  if (isNothing(value)) return [];
  if (value.kind === 'map') return value.members.flatMap((member) => namedInput(context, member) ?? []);
  if (value.kind === 'list') return value.items.flatMap((item) => inputOf(context, file, item) ?? []);
  return [inputOf(context, file, value) ?? []].flat();
}

function inputOf(
  context: ReaderContext,
  file: SourceFile,
  node: YamlNode,
): InputDeclaration | InputDeclaration[] | undefined {
  if (node.kind === 'map') {
    if (node.members.some(({ key }) => key.text === 'name')) return describedInput(context, node);
    const [first, more] = node.members;
    // `mode = fast (one of: a, b)` without quotes is a mapping in YAML.
    if (first !== undefined && more === undefined && /^\w+\s*[=(]/.test(first.key.text)) {
      const { start } = first.key.span;
      const text = file.text.slice(start, Math.max(node.span.end, first.value.span.end));
      const located = { text, pieces: [{ at: 0, source: start }] };
      return writtenInput(context, file, { kind: 'scalar', value: text, located: located, span: node.span });
    }
    return node.members.flatMap((member) => namedInput(context, member) ?? []);
  }
  if (node.kind === 'scalar' && typeof node.value === 'string') return writtenInput(context, file, node);
  wrongShape(context, node, 'an input', 'a name, or a name with a default', 'write `- spec` or `- tries: 3`');
  return undefined;
}

/** `name = value (one of: a, b)`, as after INPUT in a program. */
function writtenInput(
  context: ReaderContext,
  file: SourceFile,
  { located, span }: YamlScalar,
): InputDeclaration | undefined {
  const { text, pieces } = located;
  const start = (pieces[0]?.source ?? span.start) - LEAD.length;
  // The text before it in the file leaves room for the verb. Text that spans lines or contains escapes is not an input.
  const isVerbatim = start >= 0 && file.text.startsWith(text, start + LEAD.length) && !text.includes('\n');
  const end = start + LEAD.length + text.length;
  const parsed = isVerbatim ? parseProgram(file, context.file, { start, end, text: LEAD + text }) : null;
  const [item, more] = parsed?.program.items ?? [];
  if (item?.kind !== 'input' || more !== undefined) {
    wrongShape(
      context,
      { kind: 'scalar', value: text, located: located, span },
      'an input',
      'a name',
      'write `- spec`',
    );
    return undefined;
  }
  context.diagnostics.push(...(parsed?.diagnostics ?? []));
  return { ...item, span: { ...item.span, start: item.name.span.start } };
}

/** `tries: 3`. Without a value after the colon, there is no default. */
function namedInput(context: ReaderContext, { key, value }: YamlMember): InputDeclaration | undefined {
  if (value.kind === 'map' && isDescription(value)) return describedInput(context, value, key);
  if (value.kind === 'scalar' && NOT_DEFAULTS.test(String(value.value))) {
    const type = String(value.value)
      .replace(/^int.*/, 'number')
      .replace(/^bool$/, 'boolean');
    const help = `write \`${key.text}: { type: ${type} }\`, or \`${key.text}: { default: ${value.value} }\` if the word is meant`;
    wrongShape(context, value, 'the default of an input', 'a value', help);
    return inputWith(context, key, undefined);
  }
  return inputWith(context, key, value);
}

function inputWith(context: ReaderContext, name: Name, value: YamlNode | undefined): InputDeclaration | undefined {
  if (!/^[A-Za-z_]\w*$/.test(name.text)) {
    context.diagnostics.push(noName(name, 'an input'));
    return undefined;
  }
  const span = { ...name.span, end: Math.max(name.span.end, value?.span.end ?? 0) };
  const given = value === undefined || isNothing(value) ? {} : { value: expressionOf(context, value) };
  return { kind: 'input', name, ...given, secret: false, span };
}

function namedText(context: ReaderContext, member: YamlMember): Name | undefined {
  const text = textOf(context, member, 'the name of an input');
  return text === undefined ? undefined : nameOf(text);
}

/** The default of an optional input. */
export function emptyText(span: Span): Expression {
  return { kind: 'text', template: { parts: [], quote: '"', raw: '""', span }, span };
}

const DESCRIBED = ['default', 'type', 'one_of', 'secret', 'required', 'description'];

/** What hardly any default has as a member. */
const ONLY_DESCRIBED: ReadonlySet<string> = new Set(['default', 'one_of']);

/** `topic: { required: true }`, also with a mistake in it. Any other mapping is a default. */
function isDescription({ members }: YamlMap): boolean {
  const names = members.map(({ key }) => key.text);
  if (names.some((name) => ONLY_DESCRIBED.has(name))) return true;
  const isNear = (name: string): boolean => DESCRIBED.some((known) => isMisspelling(name, known, DESCRIBED));
  return names.length > 0 && names.every(isNear);
}

/** An input with its name as a member, or with the name `called`, its key. */
function describedInput(context: ReaderContext, map: YamlMap, called?: Name): InputDeclaration | undefined {
  const members = new Members(map, context);
  const name = members.take('name');
  const text = called ?? (name === undefined ? undefined : namedText(context, name));
  const given = members.take('default');
  const type = members.take('type');
  const choices = members.take('one_of');
  const secret = members.take('secret');
  const required = members.take('required');
  members.take('description');
  members.reportUnknown('an input', ['name', ...DESCRIBED]);
  if (text === undefined) return undefined;
  const named = inputWith(context, text, given?.value);
  if (named === undefined) return undefined;
  const { value, ...bare } = named;
  const optional = required !== undefined && !flagOf(context, required) && given === undefined;
  const words = choices === undefined ? [] : choicesOf(context, choices.value);
  const typed = type === undefined ? undefined : typeOf(context, type);
  return {
    ...bare,
    ...omitUndefined({
      // An optional input without a default is empty.
      value: optional ? emptyText(map.span) : given === undefined ? undefined : value,
      choices: words.length === 0 ? undefined : words,
      type: typed ?? (words.length > 0 ? 'string' : undefined),
    }),
    secret: secret === undefined ? false : flagOf(context, secret),
    span: map.span,
  };
}

function choicesOf(context: ReaderContext, value: YamlNode): string[] {
  const items = value.kind === 'list' ? value.items : [];
  if (items.length === 0) wrongShape(context, value, '`one_of`', 'a list of values');
  return items.flatMap((item) => {
    if (item.kind === 'scalar' && !isNothing(item)) return [item.located.text];
    wrongShape(context, item, 'a value of `one_of`', 'a text');
    return [];
  });
}

function typeOf(context: ReaderContext, member: YamlMember): InputDeclaration['type'] {
  const text = textOf(context, member, 'the name of a type');
  if (text === undefined) return undefined;
  if (TYPES.includes(text.located.text)) return text.located.text as InputDeclaration['type'];
  wrongShape(context, text, '`type` of an input', TYPES.map((name) => `\`${name}\``).join(', '));
  return undefined;
}

/** A name that is read: the first of a path or key, or a single name. */
export interface ReadName {
  readonly name: string;
  readonly alone: boolean;
  readonly span: Expression['span'];
  /** Whether it is inside EACH. */
  readonly inTask: boolean;
}

/** Calls `visit` for the names that are read in a tree. */
export function readNames(tree: unknown, visit: (read: ReadName) => void, inTask = false): void {
  if (Array.isArray(tree)) {
    for (const inner of tree) readNames(inner, visit, inTask);
    return;
  }
  if (typeof tree !== 'object' || tree === null) return;
  const node = tree as { readonly kind?: string } & Record<string, unknown>;
  const span = node.span as Expression['span'];
  if (node.kind === 'field' || node.kind === 'maybe') {
    const of = node.of as Expression;
    if (of.kind === 'name') visit({ name: of.name, alone: node.kind === 'maybe', span: of.span, inTask });
    else readNames(of, visit, inTask);
    return;
  }
  if (node.kind === 'name' && typeof node.name === 'string') visit({ name: node.name, alone: true, span, inTask });
  if (node.kind === 'step-key') visit({ name: node.path as string, alone: false, span, inTask });
  if (Array.isArray(node.lines) && typeof node.text === 'string') {
    for (const { expression } of shellInterpolations(node.text, span)) readNames(expression, visit, inTask);
    return;
  }
  for (const [key, inner] of Object.entries(node))
    if (key !== 'span') readNames(inner, visit, inTask || key === 'each');
}

/** Values in shell text. Compiling the text finds their exact locations again. */
function shellInterpolations(text: string, span: Expression['span']): Interpolation[] {
  const found: Interpolation[] = [];
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at + 1)) {
    if (text[at - 1] === '$') continue;
    const one = scanInterpolation(text, at, span.file, () => span.start, true);
    if (one === null) continue;
    found.push(one.interpolation);
    at = one.end - 1;
  }
  return found;
}

/** An input for every bare name that is neither declared nor the name of a step. */
export function deducedInputs(names: readonly ReadName[], known: ReadonlySet<string>): InputDeclaration[] {
  const found = new Map<string, InputDeclaration>();
  for (const { name, alone, span, inTask } of names) {
    if (!alone || known.has(name) || GIVEN.has(name) || found.has(name)) continue;
    if (inTask && OF_TASKS.has(name)) continue;
    found.set(name, { kind: 'input', name: { text: name, span }, secret: false, span });
  }
  return [...found.values()];
}
