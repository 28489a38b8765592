/**
 * Counters that only grow, or only shrink, by constants and are only compared with constants: past all of these constants
 * their value no longer matters.
 */
import type { Expr, Json, SlotRef } from '../../../machine/expression.js';
import type { Machine } from '../../../machine/machine.js';
import type { Monitors } from '../monitors.js';
import { controlParts, LOOKING, type Variable, variableOf } from './reads.js';

export interface Saturation {
  /** Beyond this value, in this direction, all values are alike. */
  readonly beyond: number;
  readonly direction: 1 | -1;
}

interface SaturatedCounter {
  steps: number[];
  limits: number[];
  isCounter: boolean;
}

/** `inputs`: the values of inputs that are fixed. */
export function saturatedCounters(
  machine: Machine,
  inputs: readonly (Json | undefined)[],
  relevant: ReadonlySet<Variable>,
  { conditions, partsOf }: Pick<Monitors, 'conditions' | 'partsOf'>,
): ReadonlyMap<Variable, Saturation> {
  const counters = new Map<Variable, SaturatedCounter>();
  const counterOf = (variable: Variable): SaturatedCounter => {
    let counter = counters.get(variable);
    if (counter === undefined) {
      counter = { steps: [], limits: [], isCounter: true };
      counters.set(variable, counter);
    }
    return counter;
  };
  const constantOf = (expr: Expr): number | null => {
    if (expr.op === 'const') return typeof expr.value === 'number' ? expr.value : null;
    const [only, second] = expr.op === 'read' ? expr.places : [];
    if (only?.in !== 'input' || second !== undefined) return null;
    const value = inputs[only.slot];
    return typeof value === 'number' ? value : null;
  };
  const variablesOf = (expr: Expr, state: number): Variable[] =>
    expr.op === 'read' ? expr.places.map((ref: SlotRef) => variableOf(state, ref)) : [];

  /** Notes comparisons with constants; any other look at a variable spoils it. */
  const note = (value: unknown, state: number): void => {
    if (Array.isArray(value)) for (const item of value) note(item, state);
    else if (typeof value === 'object' && value !== null) {
      const expr = value as Expr;
      if (expr.op === 'compare') {
        for (const [side, other] of [
          [expr.left, expr.right],
          [expr.right, expr.left],
        ] as const) {
          const limit = constantOf(other);
          const names = variablesOf(side, state);
          if (names.length === 1 && limit !== null) counterOf(names[0] as Variable).limits.push(limit);
          else note(side, state);
        }
        return;
      }
      if (expr.op === 'test' && expr.test === 'exists' && expr.of.op === 'read') return;
      if (expr.op === 'read') for (const name of variablesOf(expr, state)) counterOf(name).isCounter = false;
      else if (expr.op === 'dagger') for (const name of counters.keys()) counterOf(name).isCounter = false;
      else if (expr.op !== 'const') for (const inner of Object.values(value)) note(inner, state);
    }
  };

  note(conditions, 0);
  machine.states.forEach(({ code }, state) => {
    for (const one of code) {
      for (const part of [...controlParts(one), ...partsOf(one)]) note(part, state);
      if (one.op === 'increment') {
        const step = constantOf(one.by);
        const counter = counterOf(variableOf(state, one.to));
        if (step === null) counter.isCounter = false;
        else counter.steps.push(step);
        continue;
      }
      if (one.op === 'set' || one.op === 'track') {
        const target = one.op === 'set' ? variableOf(state, one.to) : `tracked ${one.slot}`;
        if (constantOf(one.value) === null) counterOf(target).isCounter = false;
        if (relevant.has(target)) note(one.value, state);
        continue;
      }
      noteOthers(one, state, note, relevant, machine);
    }
  });
  const found = new Map<Variable, Saturation>();
  for (const [variable, { steps, limits, isCounter }] of counters) {
    if (!variable.startsWith('tracked') || !isCounter || steps.length === 0) continue;
    // Without a comparison nothing depends on the value.
    const own = limits.length === 0 ? [0] : limits;
    if (steps.every((step) => step > 0)) found.set(variable, { beyond: Math.max(...own), direction: 1 });
    else if (steps.every((step) => step < 0)) found.set(variable, { beyond: Math.min(...own), direction: -1 });
  }
  return found;
}

type Noter = (value: unknown, state: number) => void;

/** What other instructions look at or pass on to a variable that decides something. */
function noteOthers(
  one: Machine['states'][number]['code'][number],
  state: number,
  note: Noter,
  relevant: ReadonlySet<Variable>,
  machine: Machine,
): void {
  if (one.op === 'goto' || one.op === 'goto-dynamic') {
    const targets = one.op === 'goto' ? [one.state] : machine.states.map((_, at) => at);
    for (const { name, value } of one.args) {
      const isRelevant = targets.some((target) =>
        relevant.has(`entry ${target} ${machine.states[target]?.entry.indexOf(name)}`),
      );
      if (isRelevant || value.op !== 'read') note(value, state);
    }
    return;
  }
  if (one.op === 'unless' || one.op === 'jump') return;
  // A text only shows the value; anything that computes with it looks at it.
  noteComputed(one, (value) => note(value, state));
}

function noteComputed(value: unknown, note: (value: unknown) => void): void {
  if (Array.isArray(value)) for (const item of value) noteComputed(item, note);
  else if (typeof value === 'object' && value !== null) {
    const { op } = value as { op?: unknown };
    if (typeof op === 'string' && LOOKING.has(op)) note(value);
    else for (const [name, inner] of Object.entries(value)) if (name !== 'origin') noteComputed(inner, note);
  }
}
