/**
 * Expressions of a test file. Constants are read from the tree. All others become states of one small program, whose inputs
 * are the names that they may use: so the ordinary compiler and interpreter give them their meaning.
 */
import { advance, type LinkedMachine, link, startRun } from '../../interpreter/run.js';
import { fromRecord, render } from '../../interpreter/values/json.js';
import type { Value } from '../../interpreter/values/value.js';
import { compile } from '../../language/check/compile.js';
import { BOOLEAN, LIST, NUMBER, OBJECT, TEXT, type Types, valueTypes } from '../../language/check/lints/value-types.js';
import { testMessages as say } from '../../language/source/catalogue/tests.js';
import type { Diagnostic, Span } from '../../language/source/diagnostic.js';
import type { Expression } from '../../language/syntax/expression-nodes.js';
import type { ExpressionText, TestFile } from '../../language/syntax/tests/test-tree.js';
import type { Expr, Json, SlotRef } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { nearest } from '../../prelude/nearest.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { boundedMatches } from '../../runtime/matches.js';
import { sha256Hex } from '../../runtime/sha256.js';

export type Evaluated = { readonly value: Json } | { readonly problem: string };

export interface TestExpressions {
  readonly diagnostics: readonly Diagnostic[];
  /** `values` may lack names, which then have no value. */
  evaluate(expression: Expression, values: Readonly<Record<string, Json>>): Evaluated;
}

/** Only the engine binds this name in programs. The replacement is as long, so that offsets stay. */
const RENAMED: ReadonlyMap<string, string> = new Map([['error', 'e_ror']]);
/** `error` without a field is the message, as it is in a handler. */
const MESSAGE = 'e_msg';

interface ExpressionRegion {
  readonly from: number;
  readonly to: number;
  /** Offset in the test file of `from`. */
  readonly start: number;
}

/** `names`: what expressions may use. */
export function compileExpressions(
  { texts, tests }: Pick<TestFile, 'texts' | 'tests'>,
  file: number,
  names: ReadonlySet<string>,
  types?: TypesByName,
): TestExpressions {
  const expected = new Set<unknown>(
    tests.flatMap(({ lines }) =>
      lines.flatMap((line) => (line.kind === 'expect' ? Object.values(line.expectation) : [])),
    ),
  );
  const answered = new Set<unknown>(
    tests.flatMap(({ lines }) =>
      lines.flatMap((line): readonly unknown[] =>
        line.kind === 'answer' ? line.texts : line.kind === 'signal' ? [line.payload] : [],
      ),
    ),
  );
  const whereOf = (one: Expression) => (expected.has(one) ? 'expected' : answered.has(one) ? 'answered' : undefined);
  const unknown = [...texts.keys()].flatMap((one) => unknownNames(one, names, whereOf(one)));
  const computed = [...texts]
    .filter(([expression]) => constantOf(expression) === undefined && unknownNames(expression, names).length === 0)
    .flatMap(withSides);
  const inputs = [...[...names].filter((name) => !RENAMED.has(name)), ...RENAMED.values(), MESSAGE];
  if (computed.length === 0)
    return { diagnostics: unknown, evaluate: (expression) => ({ value: constantOf(expression) ?? null }) };
  const conditions = new Set(
    tests.flatMap(({ lines }) =>
      lines.flatMap((line) =>
        line.kind === 'expect' && line.expectation.kind === 'condition' ? line.expectation.expression : [],
      ),
    ),
  );
  const isCondition = (expression: Expression): boolean => conditions.has(expression);
  const { machine, states, diagnostics } = compileStates(computed, inputs, file, types, isCondition);
  const linked = machine === null ? null : link(machine);
  return {
    diagnostics: [...unknown, ...diagnostics],
    evaluate(expression, values) {
      const constant = constantOf(expression);
      if (constant !== undefined) return { value: constant };
      const state = states.get(expression);
      if (linked === null || state === undefined) throw new Error('an expression of a test was not compiled');
      return run(linked, state, values);
    },
  };
}

/** How a name is declared as an input, with its type: ` (number)`, ` (one of: a, b)`. */
export type TypesByName = ReadonlyMap<string, string>;

/** The types of the inputs and tracked variables of a program, as far as they are known. */
export function typesByName(machine: Machine): TypesByName {
  const types = valueTypes(machine);
  const inputs = machine.inputs.map(({ name, choices }, slot): [string, string] => {
    const isPlain = choices?.every((one) => /^[\w-]+$/.test(one)) === true;
    return [
      name,
      isPlain ? ` (one of: ${choices?.join(', ')})` : typeSuffix(types(readOf(name, { in: 'input', slot }), 0)),
    ];
  });
  const tracked = machine.tracked.map((name, slot): [string, string] => [
    name,
    typeSuffix(types(readOf(name, { in: 'tracked', slot }), 0)),
  ]);
  return new Map([...inputs, ...tracked]);
}

const readOf = (name: string, slot: SlotRef): Expr => ({ op: 'read', name, places: [slot] });

function typeSuffix(types: Types): string {
  const words: ReadonlyMap<Types, string> = new Map([
    [NUMBER, 'number'],
    [TEXT, 'string'],
    [BOOLEAN, 'boolean'],
    [LIST, 'list'],
    [OBJECT, 'object'],
  ]);
  const word = words.get(types);
  return word === undefined ? '' : ` (${word})`;
}

interface CompiledStates {
  /** State `n` sets its variable `n` to the value of an expression. */
  readonly machine: Machine | null;
  readonly states: ReadonlyMap<Expression, number>;
  readonly diagnostics: readonly Diagnostic[];
}

/** The small program: a state for each expression. */
export function compileStates(
  computed: readonly (readonly [Expression, ExpressionText])[],
  inputs: readonly string[],
  file: number,
  types: TypesByName = new Map(),
  isCondition: (expression: Expression) => boolean = () => false,
): CompiledStates {
  let text = inputs.map((name) => `INPUT: ${name}${types.get(name) ?? ''}\n`).join('');
  const regions: ExpressionRegion[] = [];
  const states = new Map<Expression, number>();
  for (const [at, [expression, { text: written, start }]] of computed.entries()) {
    text += `STATE: VALUE_${at}\n  TRACK: value_of_${at} = `;
    regions.push({ from: text.length, to: text.length + written.length, start });
    states.set(expression, at);
    text += `${rename(written, expression, start)}\n  RETURN with value_of_${at}\n`;
  }
  // Behind the others, which keep their numbers.
  for (const [at, [expression, { text: written, start }]] of computed.entries()) {
    if (!isCondition(expression)) continue;
    text += `STATE: CONDITION_${at}\n  IF: `;
    regions.push({ from: text.length, to: text.length + written.length, start });
    text += `${rename(written, expression, start)} → RETURN\n  RETURN\n`;
  }
  const { machines, diagnostics } = compile(text, { name: 'expressions.dsl' });
  const problems = diagnostics.filter(({ severity }) => severity === 'error');
  return {
    machine: machines[0] ?? null,
    states,
    diagnostics: withoutRepeats(problems.map((one) => ({ ...one, span: rebase(one.span, regions, file), labels: [] }))),
  };
}

/** A condition is compiled twice, as a value and as a condition. */
function withoutRepeats(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const known = new Set<string>();
  return diagnostics.filter(({ code, span }) => {
    const key = `${code} ${span.start} ${span.end}`;
    return !known.has(key) && known.add(key) !== undefined;
  });
}

/** Names that neither the program nor its run has. */
export function unknownNames(
  expression: Expression,
  names: ReadonlySet<string>,
  where?: 'expected' | 'answered',
): Diagnostic[] {
  return namesIn(expression)
    .filter(({ name }) => !names.has(name))
    .map(({ name, span, inText }) =>
      say.unknownValue(span, {
        name,
        inText,
        near: nearest(name, [...names]),
        ...omitUndefined({ where }),
      }),
    );
}

/** The sides of a comparison are evaluated as well, to show what is different. */
function withSides([expression, written]: [Expression, ExpressionText]): [Expression, ExpressionText][] {
  if (expression.kind !== 'compare') return [[expression, written]];
  const sides = [expression.left, expression.right].map((side): [Expression, ExpressionText] => {
    const { start, end } = side.span;
    return [side, { text: written.text.slice(start - written.start, end - written.start), start }];
  });
  return [[expression, written], ...sides];
}

function run(linked: LinkedMachine, state: number, values: Readonly<Record<string, Json>>): Evaluated {
  const inputs = Object.fromEntries(Object.entries(values).map(([name, value]) => [RENAMED.get(name) ?? name, value]));
  const { error } = values;
  if (error !== undefined) inputs[MESSAGE] = (error as { readonly message?: Json } | null)?.message ?? null;
  const started = startRun(linked, {
    inputs,
    start: { state, with: {} },
    jobs: 1,
    record: false,
    autoEvents: false,
    limits: {},
    effectTimeoutMs: null,
    matches: boundedMatches(),
    sha256: sha256Hex,
    digest: '',
    version: '',
  });
  while (advance(started) === 'more');
  const { result } = started;
  if (result === null) return { problem: 'it needs a value that only a run has' };
  return result.status === 'returned'
    ? { value: fromRecord(result.value, result.printed) }
    : { problem: originalNames(result.error?.message ?? '') };
}

function rename(text: string, expression: Expression, start: number): string {
  let renamed = text;
  for (const { name, span, hasField } of namesIn(expression)) {
    const other = RENAMED.has(name) && !hasField ? MESSAGE : RENAMED.get(name);
    const at = span.start - start;
    if (other !== undefined) renamed = renamed.slice(0, at) + other + renamed.slice(at + name.length);
  }
  return renamed;
}

/** The names that an expression reads. */
export function namesIn(expression: Expression): NameRead[] {
  const found: NameRead[] = [];
  const visit = (node: unknown, hasField: boolean, inText: boolean): void => {
    if (Array.isArray(node)) for (const one of node) visit(one, false, inText);
    else if (typeof node === 'object' && node !== null) {
      const { kind, name, span } = node as { kind?: unknown; name?: unknown; span?: unknown };
      if (kind === 'name' && typeof name === 'string') found.push({ name, span: span as Span, hasField, inText });
      const isPath = kind === 'field' || kind === 'index' || kind === 'maybe';
      for (const [key, member] of Object.entries(node))
        visit(member, isPath && key === 'of', inText || kind === 'text');
    }
  };
  visit(expression, false, false);
  return found;
}

interface NameRead {
  readonly name: string;
  readonly span: Span;
  /** Whether a field of it is read. */
  readonly hasField: boolean;
  /** Whether it is in braces in a text. */
  readonly inText: boolean;
}

const originalNames = (message: string): string => {
  let text = message;
  for (const [name, other] of RENAMED) text = text.replaceAll(other, name).replaceAll(MESSAGE, name);
  return text;
};

/** Places outside of all expressions belong to the nearest one before. */
function rebase(span: Span, regions: readonly ExpressionRegion[], file: number): Span {
  const region = regions.findLast(({ from }) => from <= span.start) ?? (regions[0] as ExpressionRegion);
  const within = (offset: number): number =>
    region.start + Math.min(Math.max(offset - region.from, 0), region.to - region.from);
  return { file, start: within(span.start), end: within(span.end) };
}

/** A value as a text, with numbers as they are written. */
export const textOf = (value: Json): string => (value === null ? 'null' : render(value as Value));

/** A number that keeps how it is written. */
function numberOf(text: string): Json {
  return fromRecord(Number(text), text);
}

/** The value of a constant; undefined: it must be computed. */
export function constantOf(expression: Expression): Json | undefined {
  switch (expression.kind) {
    case 'number':
      return numberOf(expression.text);
    case 'constant':
      return expression.value;
    case 'text':
      return expression.template.parts.every((part) => typeof part === 'string')
        ? expression.template.parts.join('')
        : undefined;
    case 'list': {
      const items = expression.items.map(constantOf);
      return items.includes(undefined) ? undefined : (items as Json[]);
    }
    case 'object': {
      const entries = expression.entries.map(({ key, value }) => [key, constantOf(value)] as const);
      return entries.some(([, value]) => value === undefined) ? undefined : (Object.fromEntries(entries) as Json);
    }
    case 'negate': {
      const of = constantOf(expression.of);
      if (typeof of === 'number') return -of;
      return of !== undefined && expression.of.kind === 'number' ? numberOf(`-${expression.of.text}`) : undefined;
    }
    default:
      return undefined;
  }
}
