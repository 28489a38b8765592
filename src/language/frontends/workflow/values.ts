/** Converts values of a workflow file to parts of the tree: templates, expressions, shell text and arguments. */
import { nearest } from '../../../prelude/nearest.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { unreachable } from '../../../prelude/unreachable.js';
import { JSON_NUMBER, losesDigits } from '../../../prelude/yaml-help.js';
import { workflowMessages as words } from '../../source/catalogue/workflow.js';
import type { Diagnostic, Span } from '../../source/diagnostic.js';
import type { Argument, Option, ShellText } from '../../syntax/ast.js';
import type { Expression, Name, Template } from '../../syntax/expression-nodes.js';
import { noName } from '../../syntax/names.js';
import { parseExpressionText } from '../../syntax/parse.js';
import type { WorkflowCall } from '../../syntax/step-nodes.js';
import { type LocatedText, locatedTemplate, relocate, sourceOffset } from '../../syntax/tree/located-template.js';
import type { YamlMap, YamlMember, YamlNode, YamlScalar } from './yaml/yaml-nodes.js';

/**
 * A text with values. `{plan.agent}` without quotes is a mapping in YAML, and here it is the value. Returns null, after
 * reporting it, if the value is not a text.
 */
export function templateOf(context: ReaderContext, member: YamlMember, doubled = false): Template | undefined {
  const { value } = member;
  const braces = value.kind === 'map' ? loneValue(context, value) : undefined;
  if (braces !== undefined) return braces;
  const text = textOf(context, member);
  return text === undefined ? undefined : locatedTemplate(text.located, context.file, doubled);
}

/** A text for an agent. The line end after a YAML block is not part of the text. */
export function promptOf(context: ReaderContext, member: YamlMember): Template | undefined {
  const { key, value } = member;
  const file = value.kind === 'map' ? value.members.find((one) => one.key.text === 'file') : undefined;
  if (file?.value.kind === 'scalar') {
    const path = file.value.located.text.trim();
    const help = `put its text here, or write \`context: [{ file: ${path} }]\` next to a prompt that says what to do with it`;
    const why = 'a prompt is part of its workflow file';
    context.diagnostics.push(words.meaningless(file.key.span, { what: '`prompt: { file: … }`', why, help }));
    return undefined;
  }
  if (value.kind !== 'scalar') return templateOf(context, member, true);
  const located = { ...value.located, text: value.located.text.replace(/\n+$/, '') };
  return templateOf(context, { key, value: { ...value, located: located } }, true);
}

/** The template for `{a.b}` without quotes; undefined for any other mapping. */
function loneValue({ file }: ReaderContext, { flow, span }: YamlMap): Template | undefined {
  if (flow === null || flow.includes('\n')) return undefined;
  const template = locatedTemplate({ text: flow, pieces: [{ at: 0, source: span.start }] }, file);
  const [only, more] = template.parts;
  return more === undefined && typeof only === 'object' ? template : undefined;
}

/** A value that keeps its type: a number is a number, and a text may contain values. */
export function expressionOf(context: ReaderContext, node: YamlNode): Expression {
  const { span } = node;
  switch (node.kind) {
    case 'list':
      return { kind: 'list', items: node.items.map((item) => expressionOf(context, item)), span };
    case 'map': {
      const template = loneValue(context, node);
      if (template !== undefined) return textOrValue(template, span);
      const entries = node.members.map(({ key, value }) => ({ key: key.text, value: expressionOf(context, value) }));
      return { kind: 'object', entries, span };
    }
    case 'scalar': {
      const { value, located } = node;
      if (typeof value === 'number' && (losesDigits(located.text, value) || !Number.isFinite(value)))
        return { kind: 'text', template: plainText(located.text, span), span };
      if (typeof value === 'string') return textOrValue(locatedTemplate(located, context.file), span);
      if (typeof value === 'number') return numberAs(located.text, value, span);
      return { kind: 'constant', value, span };
    }
    default:
      return unreachable(node);
  }
}

/** `.5` and `5.` are written as a program has them. */
function numberAs(text: string, value: number, span: Span): Expression {
  return { kind: 'number', value, text: JSON_NUMBER.test(text) ? text : String(value), span };
}

const plainText = (text: string, span: Name['span']): Template => ({ parts: [text], quote: 'none', raw: text, span });

/** A text that is a single value becomes that value, as after `with` in a program. */
function textOrValue(template: Template, span: Name['span']): Expression {
  const [only, more] = template.parts;
  const alone = typeof only === 'object' && more === undefined && only.filter === undefined;
  return alone ? { ...only.expression, span: only.span } : { kind: 'text', template, span };
}

/** A condition, written as an expression of the language. */
export function conditionOf(context: ReaderContext, node: YamlScalar): Expression {
  const { file } = context;
  // Line ends have no meaning inside the text, but would end an expression.
  const located: LocatedText = { ...node.located, text: node.located.text.replace(/\s*$/, '').replace(/[\r\n]/g, ' ') };
  const { expression, diagnostics, complete } = parseExpressionText(located.text, 0, file);
  context.diagnostics.push(...relocate(diagnostics, located, file));
  if (!complete && diagnostics.length === 0)
    wrongShape(context, node, 'this condition', 'one expression', 'write one like `cost < 5` or `attempt == 1`');
  return complete ? relocate(expression, located, file) : { kind: 'broken', span: node.span };
}

/** A whole number, such as a number of attempts, which may be in quotes; null for any other value. */
export function wholeNumber(node: YamlNode): number | null {
  if (node.kind !== 'scalar' || !/^\s*\d{1,9}\s*$/.test(node.located.text)) return null;
  return Number(node.located.text);
}

/** `key: value` written as one text, as in `"touched: *_test.go"`; null for other texts. */
export function partOf({ located, span }: YamlScalar): YamlMember | null {
  const found = /^(\s*)([A-Za-z_]+)(\s*:\s*)/.exec(located.text);
  if (found === null) return null;
  const [, before = '', word = '', colon = ''] = found;
  const from = before.length + word.length + colon.length;
  const text = located.text.slice(from).trimEnd();
  if (text === '') return null;
  const start = sourceOffset(located, before.length);
  const pieces = located.pieces.flatMap(({ at, source }) => (at > from ? [{ at: at - from, source }] : []));
  const value = { text, pieces: [{ at: 0, source: sourceOffset(located, from) }, ...pieces] };
  const where = { ...span, start: sourceOffset(located, from), end: sourceOffset(located, from + text.length - 1) + 1 };
  return {
    key: { text: word, span: { ...span, start, end: start + word.length } },
    value: { kind: 'scalar', span: where, value: text, located: value },
  };
}

/** Text for the shell. */
export function shellOf({ located, span }: YamlScalar): ShellText {
  const text = located.text.replace(/\s+$/, '');
  const lines: { at: number; source: number }[] = [];
  for (let at = 0; at >= 0; ) {
    lines.push({ at, source: sourceOffset(located, at) });
    const next = text.indexOf('\n', at);
    at = next < 0 ? -1 : next + 1;
  }
  return { text, lines, block: lines.length > 1, span };
}

/** The value after a keyword, such as a whole number. */
export function optionOf(context: ReaderContext, member: YamlMember, key: string): Option | undefined {
  const value = templateOf(context, member);
  if (value === undefined) return undefined;
  return { key: { text: key, span: member.key.span }, value, span: spanOf(member) };
}

/** The span from the key to the end of the value. */
export function spanOf({ key, value }: YamlMember): Name['span'] {
  return { ...key.span, end: Math.max(key.span.end, value.span.end) };
}

/** A workflow with the arguments under `with`, and those next to its name (`adjacent`). */
export function callOf(
  context: ReaderContext,
  name: YamlMember,
  given: YamlMember | undefined,
  adjacent: readonly YamlMember[] = [],
): WorkflowCall | undefined {
  const written = given === undefined ? [] : argumentsOf(context, given);
  const args = [...written, ...adjacent.map((member) => argumentOf(context, member))];
  for (const { name: key } of args.slice(written.length)) {
    const first = written.find((one) => one.name.text === key.text)?.name.span;
    if (first === undefined) continue;
    const facts = { key: key.text, of: 'this workflow', first: { span: first, text: 'given here first' } };
    context.diagnostics.push(words.twice(key.span, facts));
  }
  const text = textOf(context, name, 'the name of a workflow');
  return text === undefined ? undefined : { name: nameOf(text), args, span: spanOf(given ?? adjacent.at(-1) ?? name) };
}

function argumentsOf(context: ReaderContext, given: YamlMember): Argument[] {
  const { key, value: map } = given;
  if (isNothing(map)) return [];
  if (map.kind !== 'map') {
    wrongShape(context, map, `\`${key.text}\``, 'a mapping of names to values', 'write `with: { diff: "{diff}" }`');
    return [];
  }
  return map.members.map((member) => argumentOf(context, member));
}

function argumentOf(context: ReaderContext, member: YamlMember): Argument {
  if (!/^[A-Za-z_]\w*$/.test(member.key.text)) context.diagnostics.push(noName(member.key, 'an argument'));
  const { span } = member.value;
  const value = { kind: 'expression', expression: expressionOf(context, member.value), span } as const;
  return { name: member.key, value, span: spanOf(member) };
}

/** A number, which may be in quotes. */
export function numberOf(context: ReaderContext, node: YamlScalar): Expression {
  const { value, located, span } = node;
  const text = located.text.trim();
  if (typeof value === 'string' && /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(text)) return numberAs(text, Number(text), span);
  if (typeof value === 'number' && /^\+[\d.]+$/.test(text)) return numberAs(text, value, span);
  return expressionOf(context, node);
}

/** True or false. Any other value is reported and counts as false. */
export function flagOf(context: ReaderContext, { key, value }: YamlMember): boolean {
  if (value.kind === 'scalar' && typeof value.value === 'boolean') return value.value;
  wrongShape(context, value, `\`${key.text}\``, '`true` or `false`', `write \`${key.text}: true\``);
  return false;
}

/** The items of a list, or a single value as a list of one. */
export function itemsOf(node: YamlNode): readonly YamlNode[] {
  return node.kind === 'list' ? node.items : [node];
}

/** Reports a step or an entry with several keys of which it can have only one. */
export function reportOneOf(context: ReaderContext, members: readonly YamlMember[], what: string): void {
  const second = members[1];
  if (second !== undefined)
    context.diagnostics.push(words.oneOf(second.key.span, { what, names: members.map(({ key }) => key.text) }));
}

export type Dialect = 'current' | 'older';

/** A form that only one dialect has. */
export interface Sign {
  readonly dialect: Dialect;
  /** The form as written: `foreach`, `{task.`. */
  readonly text: string;
  readonly span: Span;
  /** A weak sign, which counts only if there is no other. */
  readonly weak?: true;
  /** Files with this form also use words of the current dialect, which then show nothing. */
  readonly oldest?: true;
}

/** The context that the readers of a workflow file share: diagnostics, access to keys, and signs of its dialect. */
export interface ReaderContext {
  readonly file: number;
  readonly diagnostics: Diagnostic[];
  readonly signs: Sign[];
  /** The offsets of the names of steps with `session: reuse`. */
  readonly reused: Set<number>;
}

/** The suggestion for a known foreign key. It may depend on the value of the key. */
export type Hints = Readonly<Record<string, string | ((value: YamlNode) => string)>>;

/** The members of a mapping by key. Each is taken once; keys that remain at the end are unknown. */
export class Members {
  private readonly left: Map<string, YamlMember>;

  constructor(
    readonly map: YamlMap,
    private readonly context: ReaderContext,
  ) {
    this.left = new Map(map.members.map((member) => [member.key.text, member]));
  }

  has(key: string): boolean {
    return this.left.has(key);
  }

  take(key: string): YamlMember | undefined {
    const member = this.left.get(key);
    this.left.delete(key);
    return member;
  }

  /** The first of several spellings of one key. */
  takeOne(...keys: readonly string[]): YamlMember | undefined {
    for (const key of keys) {
      const member = this.take(key);
      if (member !== undefined) return member;
    }
    return undefined;
  }

  /** The keys that were not taken, in the written order. */
  rest(): YamlMember[] {
    return [...this.left.values()];
  }

  /** Reports every key that was not taken as unknown. `hints` has suggestions for some of them. */
  reportUnknown(of: string, known: readonly string[], hints: Hints = {}): void {
    for (const { key, value } of this.left.values()) {
      const name = key.text;
      const plain = name.toLowerCase().replaceAll('-', '_');
      const hint = Object.hasOwn(hints, name) ? hints[name] : Object.hasOwn(hints, plain) ? hints[plain] : undefined;
      const help = hint === undefined ? {} : { help: typeof hint === 'string' ? hint : hint(value) };
      const near = nearest(name, known);
      this.context.diagnostics.push(words.unknownKey(key.span, { name, of, near, known, ...help }));
    }
  }
}

/** Reports a value that does not have the form that its key requires. */
export function wrongShape(context: ReaderContext, node: YamlNode, what: string, wanted: string, help?: string): void {
  const span = node.span.start === node.span.end ? node.span : firstLine(node);
  context.diagnostics.push(words.shape(span, { what, wanted, ...omitUndefined({ help }) }));
}

/** Marks only the first key of a mapping, because a whole mapping is too long. */
function firstLine(node: YamlNode): Span {
  if (node.kind === 'map' && node.flow === null && node.members[0] !== undefined) return node.members[0].key.span;
  if (node.kind === 'list' && node.items[0] !== undefined) return { ...node.span, end: node.span.start + 1 };
  return node.span;
}

export function isNothing(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}

/** A text that is written as a list or a mapping. */
function textMeant(key: string, value: YamlNode): string {
  const inBrackets = 'put a text that begins with `{` or `[` in quotes';
  if (value.kind === 'list') {
    const texts = value.items.flatMap((item) => (item.kind === 'scalar' ? [item.located.text] : []));
    if (texts.length === 1 && value.items.length === 1) return `write \`${key}: ${texts[0]}\``;
    return key === 'agent'
      ? 'write one agent; make each other one a step of its own'
      : `write one text: \`${key}: |\`, and its lines indented below`;
  }
  if (value.kind !== 'map') return inBrackets;
  const named = value.members.find(({ key }) =>
    /^(?:name|type|id|adapter|text|content|value|template)$/.test(key.text),
  );
  if (key === 'schema') return 'write it to a file, and name that: `schema: answer.schema.json`';
  const model = value.members.find((one) => one.key.text === 'model')?.value;
  if (key === 'agent' && named?.value.kind === 'scalar' && model?.kind === 'scalar')
    return `name the model with the agent: \`agent: ${named.value.located.text}-${model.located.text}\``;
  return named?.value.kind === 'scalar' && named.value.value !== null
    ? `write \`${key}: ${named.value.located.text}\``
    : inBrackets;
}

/** A scalar that is not empty; otherwise undefined, after reporting it. */
export function textOf(context: ReaderContext, { key, value }: YamlMember, wanted = 'a text'): YamlScalar | undefined {
  if (value.kind === 'scalar' && value.value !== null && value.located.text.trim() !== '') return value;
  if (value.kind === 'scalar') wrongShape(context, { ...value, span: key.span }, `\`${key.text}\``, wanted);
  else wrongShape(context, value, `\`${key.text}\``, wanted, textMeant(key.text, value));
  return undefined;
}

/** A name as written. */
export function nameOf(node: YamlScalar): Name {
  return { text: node.located.text.trim(), span: node.span };
}
