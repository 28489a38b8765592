/** From the properties of a test file to rules that an exploration watches: names are slots of the machine, and conditions code. */
import { isToolCall } from '../../interpreter/plan/call-request.js';
import { testMessages as say } from '../../language/source/catalogue/tests.js';
import type { Diagnostic } from '../../language/source/diagnostic.js';
import type { Expression } from '../../language/syntax/expression-nodes.js';
import type {
  Condition,
  ExpressionText,
  MomentTree,
  PropertyCase,
  Rule,
  Selector,
} from '../../language/syntax/tests/test-tree.js';
import type { Expr, Json, SlotRef } from '../../machine/expression.js';
import { agentTools, type Machine } from '../../machine/machine.js';
import { nearest } from '../../prelude/nearest.js';
import { calledAgent } from '../foresight/explored-graph.js';
import type { Moment, MomentCondition as WatchedCondition } from '../foresight/monitors.js';
import { momentsOf, type MonitoredRule as WatchedRule } from '../foresight/monitors.js';
import type { Property } from '../foresight/properties.js';
import { selects } from './selectors.js';
import { compileStates, constantOf, namesIn, type TypesByName, typesByName } from './test-expressions.js';

export interface CompiledProperties {
  /** Usable if no diagnostic is an error. */
  readonly properties: readonly Property[];
  readonly diagnostics: readonly Diagnostic[];
}

/** `file`: the number of the file with the properties among the sources. */
export function compileProperties(cases: readonly PropertyCase[], machine: Machine, file: number): CompiledProperties {
  const slots = slotsOf(machine);
  const diagnostics: Diagnostic[] = [];
  const conditions = cases.flatMap((one) => {
    diagnostics.push(
      ...one.assumptions.flatMap((each) => unknownIn(each, machine, true)),
      ...one.rules.flatMap(whensOf).flatMap((each) => unknownIn(each, machine, false)),
    );
    return [...one.assumptions, ...one.rules.flatMap(whensOf)].map(
      ({ expression }): TextOfExpression => [expression, one.texts.get(expression) as ExpressionText],
    );
  });
  if (diagnostics.length > 0) return { properties: [], diagnostics };
  const values = valuesOf(conditions, [...slots.keys()], file, diagnostics, typesByName(machine));
  const condition = ({ expression, text }: Condition): WatchedCondition => ({
    text,
    value: inMachine(values.get(expression) ?? { op: 'const', value: null }, slots),
  });
  const agents = agentTools(machine);
  const properties = cases.map(
    ({ name, rules, assumptions }): Property => ({
      name,
      rules: rules.map((rule) => watchedRule(rule, { condition, agents })),
      assumptions: assumptions.map(condition),
    }),
  );
  return { properties, diagnostics };
}

type TextOfExpression = readonly [Expression, ExpressionText];

function slotsOf({ inputs, tracked }: Machine): ReadonlyMap<string, SlotRef> {
  return new Map<string, SlotRef>([
    ...inputs.map(({ name }, slot) => [name, { in: 'input', slot }] as const),
    ...tracked.map((name, slot) => [name, { in: 'tracked', slot }] as const),
  ]);
}

function unknownIn({ expression }: Condition, { inputs, tracked }: Machine, isAtStart: boolean): Diagnostic[] {
  const given = inputs.map(({ name }) => name);
  const names = isAtStart ? given : [...given, ...tracked];
  return namesIn(expression)
    .filter(({ name }) => !names.includes(name))
    .map(({ name, span }) =>
      say.unknownVariable(span, {
        name,
        isAtStart: isAtStart && tracked.includes(name),
        near: nearest(name, names),
      }),
    );
}

/** The expression of each condition, as the compiler makes it of a small program with these inputs. */
function valuesOf(
  written: readonly TextOfExpression[],
  inputs: readonly string[],
  file: number,
  diagnostics: Diagnostic[],
  types: TypesByName,
): ReadonlyMap<Expression, Expr> {
  if (written.length === 0) return new Map();
  const { machine, states, diagnostics: problems } = compileStates(written, inputs, file, types, () => true);
  diagnostics.push(...problems);
  const values = new Map<Expression, Expr>();
  for (const [expression, at] of states) {
    const code = machine?.states.find(({ name }) => name === `VALUE_${at}`)?.code ?? [];
    const track = code.find((one) => one.op === 'track');
    if (track?.op === 'track') values.set(expression, track.value);
  }
  return values;
}

/** The same expression with the slots of another machine. */
function inMachine(expr: Expr, slots: ReadonlyMap<string, SlotRef>): Expr {
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert);
    if (typeof value !== 'object' || value === null) return value;
    const { op, name } = value as { readonly op?: unknown; readonly name?: unknown };
    const slot = op === 'read' && typeof name === 'string' ? slots.get(name) : undefined;
    if (slot !== undefined) return { op: 'read', name, places: [slot] };
    if (op === 'const') return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, convert(inner)]));
  };
  return convert(expr) as Expr;
}

function whensOf(rule: Rule): Condition[] {
  return momentsOf(rule).flatMap(({ when }) => (when === null ? [] : [when]));
}

interface RuleSurroundings {
  readonly condition: (condition: Condition) => WatchedCondition;
  /** By the tools of CALLs that they are. */
  readonly agents: ReadonlyMap<string, string>;
}

function watchedRule(rule: Rule, surroundings: RuleSurroundings): WatchedRule {
  const { text } = rule;
  switch (rule.kind) {
    case 'never': {
      const unless = rule.unless === null ? null : watchedMoment(rule.unless, surroundings);
      return { kind: 'never', text, moment: watchedMoment(rule.moment, surroundings), unless };
    }
    case 'after':
      return {
        kind: 'after',
        text,
        moment: watchedMoment(rule.moment, surroundings),
        following: watchedMoment(rule.following, surroundings),
      };
    case 'at-most':
      return { kind: 'at-most', text, moment: watchedMoment(rule.moment, surroundings), count: rule.count };
    case 'reaches':
      return { kind: 'reaches', text, moment: watchedMoment(rule.moment, surroundings) };
    case 'ends':
      return { kind: 'ends', text, statuses: rule.statuses?.map((status) => status.text) ?? null };
  }
}

function watchedMoment(moment: MomentTree, { condition, agents }: RuleSurroundings): Moment {
  const when = moment.when === null ? null : condition(moment.when);
  switch (moment.kind) {
    case 'state':
      return { kind: 'state', when, name: moment.name.text };
    case 'event':
      return {
        kind: 'event',
        when,
        name: moment.name.text,
        fields: moment.fields.map(({ name, value }) => [name.text, constant(value)]),
      };
    case 'run':
      return { kind: 'run', when, isCall: callsOf(moment.selector, agents) };
    case 'answered':
      return { kind: 'answered', when, name: moment.name.text, value: constant(moment.value) };
    case 'failed':
      return { kind: 'failed', when, state: moment.state?.text ?? null, error: moment.error?.text ?? null };
    case 'returned':
      return { kind: 'returned', when, ...(moment.value === null ? {} : { value: constant(moment.value) }) };
  }
}

const constant = (value: Expression): Json => constantOf(value) ?? null;

const KINDS: Readonly<Record<string, 'agent' | 'tool' | 'command'>> = {
  agent: 'agent',
  tool: 'tool',
  shell: 'command',
  argv: 'command',
  function: 'command',
};

/** The calls that a selector means. A repeated attempt is a call, too. */
function callsOf(selector: Selector, agents: ReadonlyMap<string, string>): Extract<Moment, { kind: 'run' }>['isCall'] {
  return ({ kind, tool, text, state, line, step }, isEqual) => {
    const called = KINDS[kind];
    if (called === undefined) return false;
    if (selector.kind === 'tool') return isToolCall({ kind, tool, text }) && tool === selector.name;
    // The agent of a step may only be known during the run.
    if (selector.kind === 'agent')
      return called === 'agent' && tool !== null && isEqual(calledAgent({ kind, tool, text }, agents), selector.name);
    const name = called === 'command' ? null : tool;
    return selects(selector, { kind: called, name, text, state, line, step: step ?? null });
  };
}
