/**
 * The facts that bound a cycle: a counter that every round changes in one direction, and a test that allows another
 * round only until the counter is far enough. This file reads both from single instructions; the search for cycles
 * combines them.
 */
import type { Comparison, Expr, Json } from '../../../machine/expression.js';
import type { Instruction } from '../../../machine/machine.js';

/** A tracked variable by its slot, or an entry value of one state. */
export type Counter = string;

/** `any`: the new value depends on the old one in an unknown way. `to`: it is set to this constant. */
type CountedChange = 'up' | 'down' | 'any' | 'reset' | { readonly to: Json };

export interface CounterChange {
  readonly counter: Counter;
  readonly change: CountedChange;
  /** The amount, if the text contains it as a number. */
  readonly by?: number;
  /** The counters that the new value is computed from. */
  readonly reads?: ReadonlySet<Counter>;
}

/** A fact about a counter that holds for one outcome of a test. */
export interface Fact {
  readonly counter: Counter;
  readonly is: '<' | '>' | '==' | '!=' | 'some';
  /** The other operand of the comparison. */
  readonly with: Expr;
}

export const trackedCounter = (slot: number): Counter => `tracked ${slot}`;
const entryCounter = (state: number, slot: number): Counter => `entry ${state} ${slot}`;

/** The counter that an expression reads, directly or as its length. */
function counterOf(expr: Expr, state: number): Counter | null {
  if (expr.op === 'call' && (expr.name === 'len' || expr.name === 'int') && expr.args.length === 1)
    return counterOf(expr.args[0] as Expr, state);
  if (expr.op === 'maybe') return counterOf(expr.of, state);
  if (expr.op === 'call' && expr.name === 'default') return counterOf(expr.args[0] as Expr, state);
  if (expr.op !== 'read') return null;
  for (const slot of expr.places) {
    if (slot.in === 'tracked') return trackedCounter(slot.slot);
    if (slot.in === 'entry') return entryCounter(state, slot.slot);
  }
  return null;
}

/** All counters that an expression reads. */
export function countersIn(expr: Expr, state: number, into = new Set<Counter>()): Set<Counter> {
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const v of value) visit(v);
    else if (typeof value === 'object' && value !== null) {
      const e = value as Expr;
      const counter = e.op === 'read' ? counterOf(e, state) : null;
      if (counter !== null) into.add(counter);
      if (e.op !== 'const') for (const key in e) visit(e[key as keyof typeof e]);
    }
  };
  visit(expr);
  return into;
}

// ---- changes ----------------------------------------------------------------------------------------

/** The counters that an instruction of `state` changes. */
export function changesOf(i: Instruction, state: number): CounterChange[] {
  if (i.op === 'increment' && i.to.in === 'tracked') return [by(trackedCounter(i.to.slot), i.by, 1)];
  if (i.op === 'set' && i.to.in === 'tracked') return [changeOf(trackedCounter(i.to.slot), i.value, state)];
  return [];
}

/** The changes that a GOTO from `from` makes to the entry values of its target; `entry` has their slots by name. */
export function changesOfGoto(i: Instruction, from: number, entry: readonly string[]): CounterChange[] {
  if (i.op !== 'goto') return [];
  const slots = slotsIn(entry);
  return i.args.flatMap(({ name, value }): CounterChange[] => {
    const slot = slots.get(name);
    if (slot === undefined) return [];
    const counter = entryCounter(i.state, slot);
    if (i.state === from && counterOf(value, from) === counter) return [];
    return [changeOf(counter, value, from)];
  });
}

/** A list of thousands would be looked through for each argument of each GOTO. */
const knownSlots = new WeakMap<readonly string[], ReadonlyMap<string, number>>();

function slotsIn(entry: readonly string[]): ReadonlyMap<string, number> {
  const slots = knownSlots.get(entry) ?? new Map(entry.map((name, slot) => [name, slot]));
  knownSlots.set(entry, slots);
  return slots;
}

function changeOf(counter: Counter, value: Expr, state: number): CounterChange {
  const self = (expr: Expr) => counterOf(expr, state) === counter;
  if (value.op === 'template' && value.template.length === 1 && typeof value.template[0] === 'object')
    return changeOf(counter, value.template[0].value, state);
  if (value.op === 'arithmetic' && (value.operator === '+' || value.operator === '-')) {
    if (self(value.left)) return by(counter, value.right, value.operator === '+' ? 1 : -1);
    if (value.operator === '+' && self(value.right)) return by(counter, value.left, 1);
  }
  if (value.op === 'call' && value.name === 'slice' && value.args.length === 2 && self(value.args[0] as Expr))
    return { counter, change: 'down' };
  if (value.op === 'const') return { counter, change: { to: value.value } };
  const reads = countersIn(value, state);
  return reads.has(counter) ? { counter, change: 'any' } : { counter, change: 'reset', reads };
}

/** An amount that is not a constant is assumed to change the counter. */
function by(counter: Counter, amount: Expr, sign: 1 | -1): CounterChange {
  const negative = amount.op === 'negate' && amount.of.op === 'const' && typeof amount.of.value === 'number';
  const number = amount.op === 'const' ? amount.value : negative ? -(amount.of as { value: number }).value : null;
  if (typeof number !== 'number') return { counter, change: sign > 0 ? 'up' : 'down' };
  const delta = number * sign;
  // Adding 0 does not change the value, so it bounds nothing.
  if (delta === 0) return { counter, change: 'reset' };
  return { counter, change: delta > 0 ? 'up' : 'down', by: delta };
}

// ---- tests ------------------------------------------------------------------------------------------

const MIRRORED: Partial<Record<Comparison, Comparison>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };
const NEGATED: Partial<Record<Comparison, Comparison>> = {
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
  '==': '!=',
  '!=': '==',
};

/** The facts about counters if `condition` has the value `outcome`. */
export function factsOf(condition: Expr, outcome: boolean, state: number): Fact[] {
  switch (condition.op) {
    case 'not':
      return factsOf(condition.of, !outcome, state);
    case 'and':
    case 'or': {
      const left = factsOf(condition.left, outcome, state);
      const right = factsOf(condition.right, outcome, state);
      if ((condition.op === 'and') === outcome) return [...left, ...right];
      return left.filter((a) => right.some((b) => a.counter === b.counter && a.is === b.is));
    }
    case 'compare':
      return factsOfComparison(condition, outcome, state);
    case 'test': {
      const counter = counterOf(condition.of, state);
      if (counter === null) return [];
      if (condition.test !== 'empty') return unclearFacts(condition, state);
      const isEmpty = condition.negated !== outcome;
      return [{ counter, is: isEmpty ? '<' : '>', with: { op: 'const', value: 0 } }];
    }
    case 'read': {
      const counter = counterOf(condition, state);
      return counter === null ? [] : [{ counter, is: '==', with: { op: 'const', value: outcome } }];
    }
    default:
      return unclearFacts(condition, state);
  }
}

function factsOfComparison(
  { operator, left, right }: Extract<Expr, { op: 'compare' }>,
  outcome: boolean,
  state: number,
): Fact[] {
  return [
    ...factsOfSide(operator, left, right, outcome, state),
    ...factsOfSide(MIRRORED[operator] ?? operator, right, left, outcome, state),
  ];
}

function factsOfSide(operator: Comparison, side: Expr, other: Expr, outcome: boolean, state: number): Fact[] {
  // Only operators that can be negated compare amounts. The others search in texts and lists.
  const opposite = NEGATED[operator];
  if (opposite === undefined) return unclearFacts(side, state);
  const holds = outcome ? operator : opposite;
  const counter = counterOf(side, state);
  const is = holds === '==' || holds === '!=' ? holds : holds === '<' || holds === '<=' ? '<' : '>';
  if (counter !== null) return [{ counter, is, with: other }];
  const ofSum = side.op === 'arithmetic' ? factsOfSum(side, is, other, state) : null;
  return ofSum ?? unclearFacts(side, state);
}

/** Solves for the counter: `n + 1 < 3` is the fact `n < 2`, and `5 - n > 0` is `n < 5`. */
function factsOfSum(
  { operator, left, right }: Extract<Expr, { op: 'arithmetic' }>,
  is: Fact['is'],
  other: Expr,
  state: number,
): Fact[] | null {
  if (operator !== '+' && operator !== '-') return null;
  const first = counterOf(left, state);
  const second = counterOf(right, state);
  const exact = is === '==' || is === '!=';
  if (exact) return null;
  if (first !== null && second === null) return [{ counter: first, is, with: other }];
  if (second === null || first !== null) return null;
  const turned = operator === '+' ? is : is === '<' ? '>' : '<';
  return [{ counter: second, is: turned, with: other }];
}

/** A test that reads a counter in a way that is not analysed. It is assumed to end the cycle. */
function unclearFacts(expr: Expr, state: number): Fact[] {
  return [...countersIn(expr, state)].map((counter) => ({ counter, is: 'some', with: { op: 'const', value: null } }));
}
