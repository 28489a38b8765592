/** Words that a variable never has: of the choices of an input or a question, and of the kinds of failures. */
import { successors } from '../../../machine/control-flow.js';
import { ERROR_KINDS } from '../../../machine/error-kinds.js';
import type { Expr } from '../../../machine/expression.js';
import type { Machine, State } from '../../../machine/machine.js';
import { nearest } from '../../../prelude/nearest.js';
import { typeMessages as say } from '../../source/catalogue/expressions.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { TypedOperand, TypeUse } from '../scope.js';
import { writtenLocals } from './written-locals.js';

/** The texts that a variable can have: the choices of an input or a question, and the kinds of failures. */
export class KnownWords {
  private known: { readonly kinds: readonly string[] | null } | undefined;
  private readonly locals = new Map<State, Map<number, readonly string[]>>();

  constructor(private readonly machine: Machine) {}

  /** Collected when a program compares a kind of failure. */
  private get kinds(): readonly string[] | null {
    this.known ??= { kinds: failureKinds(this.machine) };
    return this.known.kinds;
  }

  check(use: TypeUse, state: number): Diagnostic | null {
    const { operator, left, right } = use;
    const isEqual = operator === '==' || operator === '!=';
    if (operator === 'empty' || operator === 'null') return this.checkAbsence(left, operator, state);
    if (!isEqual && operator !== 'in' && operator !== 'not-in') return null;
    return this.checkSide(left, right, state) ?? (isEqual ? this.checkSide(right, left, state) : null);
  }

  private checkSide(value: TypedOperand, other: TypedOperand, state: number): Diagnostic | null {
    const { expr } = other;
    const texts = expr.op === 'const' ? [expr.value].flat() : expr.op === 'list' ? expr.items.map(constantOf) : [];
    if (!texts.some((text) => typeof text === 'string')) return null;
    const known = this.wordsOf(value.expr, state);
    const wrong = texts.find((text): text is string => typeof text === 'string' && known?.includes(text) === false);
    if (wrong === undefined || known === null) return null;
    const name = value.expr.op === 'read' ? value.expr.name : '';
    return say.neverHasValue(other.span, { name, value: wrong, known, near: nearest(wrong, known) });
  }

  /** A question with choices is answered, and an input with choices has one of them. */
  private checkAbsence({ expr, span }: TypedOperand, operator: string, state: number): Diagnostic | null {
    const known = this.wordsOf(expr, state);
    if (known === null || known.includes('') || expr.op !== 'read' || expr.name === 'error_type') return null;
    const [slot] = expr.places;
    if (slot?.in === 'input' && this.machine.inputs[slot.slot]?.value === null) return null;
    if (slot?.in === 'local' && !isAlwaysAsked(this.machine.states[state] as State, slot.slot)) return null;
    return say.neverHasValue(span, { name: expr.name, value: operator, known, absent: true, near: undefined });
  }

  /** Null: it may be any text. */
  wordsOf(expr: Expr, state: number): readonly string[] | null {
    const [slot, ...more] = expr.op === 'read' ? expr.places : [];
    if (expr.op !== 'read' || slot === undefined || more.length > 0) return null;
    const { inputs, states } = this.machine;
    const here = states[state];
    switch (slot.in) {
      case 'input':
        return inputs[slot.slot]?.choices ?? null;
      case 'entry':
        return state === this.machine.error && expr.name === 'error_type' ? this.kinds : null;
      case 'local':
        return here === undefined ? null : (this.localsOf(here).get(slot.slot) ?? null);
      default:
        return null;
    }
  }

  /** Collected once for a state: every comparison asks. */
  private localsOf(state: State): ReadonlyMap<number, readonly string[]> {
    let found = this.locals.get(state);
    if (found === undefined) {
      found = choicesIn(state);
      for (const { names } of state.handlers)
        if (names.error_type !== undefined && this.kinds !== null) found.set(names.error_type, this.kinds);
        else if (names.error_type !== undefined) found.delete(names.error_type);
      this.locals.set(state, found);
    }
    return found;
  }
}

const constantOf = (expr: Expr): unknown => (expr.op === 'const' ? expr.value : null);

/** Whether nothing leads past a question, so that whatever follows it has an answer. */
function isAlwaysAsked({ code, handlers }: State, slot: number): boolean {
  const at = code.findIndex((one) => one.op === 'ask' && one.bind === slot);
  return handlers.length === 0 && code.slice(0, at).every((_, pc) => successors(code, pc).join() === String(pc + 1));
}

/** By local that a question binds and nothing else: the choices of the question. */
function choicesIn({ code }: State): Map<number, readonly string[]> {
  const found = new Map<number, readonly string[]>();
  const bound = new Set<number>();
  for (const one of code) {
    const collected = 'collect' in one && Array.isArray(one.collect) ? (one.collect as readonly number[]) : [];
    for (const slot of [...writtenLocals(one), ...collected]) {
      const isFirst = !bound.has(slot);
      bound.add(slot);
      found.delete(slot);
      if (!isFirst || one.op !== 'ask' || one.choices.length === 0) continue;
      const texts = [...one.choices, ...(one.value === null ? [] : [one.value])].map((template) =>
        template.length === 1 && typeof template[0] === 'string' ? template[0].trim() : null,
      );
      if (!texts.includes(null)) found.set(slot, texts as string[]);
    }
  }
  return found;
}

/** The kinds of failures, with those that the program and its tools make; null: they are not known. */
function failureKinds({ states, plans }: Machine): readonly string[] | null {
  // Tools name their failures themselves.
  if (Object.keys(plans ?? {}).length > 0) return null;
  const passed = states
    .flatMap(({ code }) => code)
    .flatMap((one) => ('args' in one ? (one.args as readonly { name?: string; value?: Expr }[]) : []))
    .flatMap(({ name, value }) => (name === 'error_type' && value !== undefined ? [constantOf(value)] : []));
  return passed.every((one) => typeof one === 'string') ? [...ERROR_KINDS, ...(passed as string[])] : null;
}
