/**
 * Infers the types that the variables of a machine can have from its code: from TRACK, SET and expressions, the output
 * of DO, and declared inputs. A CHECK, an entry value or an answer may have any type. Works on lowered code, where a
 * variable is a slot and every write is an instruction.
 */
import type { Expr, Json, SlotRef } from '../../../machine/expression.js';
import { type Input, type Instruction, type Machine, type State, typeOfInput } from '../../../machine/machine.js';
import { unreachable } from '../../../prelude/unreachable.js';

/** A set of types, one bit each. */
export type Types = number;

export const TEXT = 1;
export const NUMBER = 2;
export const BOOLEAN = 4;
export const NULL = 8;
export const LIST = 16;
export const OBJECT = 32;
/** What `version(…)` gives; never in JSON. */
export const VERSION = 64;
const ANY = 127;
/** The types that `DO: x = command` can bind. */
const PRINTED = TEXT | LIST | OBJECT;

const RESULTS: Readonly<Record<string, Types>> = {
  ...of(NUMBER, 'len sum abs round floor ceil int float'),
  ...of(TEXT, 'upper lower trim join replace string json base64_encode base64_decode sha256 program_dir'),
  ...of(VERSION, 'version'),
  ...of(LIST, 'split lines keys values sort unique range'),
};

/** What a DO binds, possibly next to a number, as in a tracked variable that begins at 0. */
export const isOutput = (types: Types): boolean => (types & ~NUMBER) === PRINTED;

/** The name of a value, or of a field of it. */
export const isWord = (text: string): boolean => /^[A-Za-z_][\w.]*$/.test(text);

/** The types that an expression of a state can have. */
export type TypesOf = (expr: Expr, state: number) => Types;

/**
 * The maximum number of rounds. More would need a long chain of variables that are set from each other in reverse
 * order.
 */
const MOST_ROUNDS = 8;

export function valueTypes(machine: Machine): TypesOf {
  const slots = new Slots(machine);
  const evaluate: TypesOf = (expr, state) => typesOf(expr, slots, state);
  // Only these depend on the types of others.
  const computed: { readonly i: Instruction; readonly state: number }[] = [];
  let changed = false;
  machine.states.forEach(({ code }, state) => {
    for (const i of code) {
      if (slots.write(i, state, evaluate)) changed = true;
      if (i.op === 'set' || i.op === 'track') computed.push({ i, state });
    }
  });
  for (let round = 1; changed; round++) {
    changed = false;
    const types: TypesOf = round < MOST_ROUNDS ? evaluate : () => ANY;
    for (const { i, state } of computed) if (slots.write(i, state, types)) changed = true;
  }
  return evaluate;
}

/** The types found for each slot so far. The sets only grow. */
class Slots {
  private readonly locals: Types[][];
  private readonly tracked: Types[];
  private passed: ReadonlySet<string> | undefined;

  constructor(private readonly machine: Machine) {
    this.locals = machine.states.map((state) => new Array<Types>(state.locals.length).fill(0));
    this.tracked = new Array<Types>(machine.tracked.length).fill(0);
    machine.states.forEach((state, at) => {
      const locals = this.locals[at] as Types[];
      for (const { names } of state.handlers)
        for (const name of FAILURE_TEXTS) if (names[name] !== undefined) locals[names[name]] = TEXT;
      noteBoundElsewhere(state, locals);
    });
  }

  read(refs: readonly SlotRef[], state: number): Types {
    let types = 0;
    for (const slot of refs) types |= this.typesAt(slot, state);
    // A slot without a visible write is written by something that this file does not analyse.
    return types === 0 ? ANY : types;
  }

  private typesAt(slot: SlotRef, state: number): Types {
    switch (slot.in) {
      case 'local':
        return this.locals[state]?.[slot.slot] ?? ANY;
      case 'tracked':
        return this.tracked[slot.slot] ?? ANY;
      case 'input':
        return inputTypes(this.machine.inputs[slot.slot]);
      case 'entry':
        return this.entryTypes(slot.slot, state);
      default:
        return unreachable(slot);
    }
  }

  /** Whatever a GOTO passes, and in ERROR the parts of a failure that are texts. */
  private entryTypes(slot: number, at: number): Types {
    const { error, states } = this.machine;
    const name = at === error ? states[at]?.entry[slot] : undefined;
    if (name === undefined || !FAILURE_TEXTS.has(name)) return ANY;
    this.passed ??= namesPassedTo(error, states);
    return this.passed.has(name) ? ANY : TEXT;
  }

  /** Adds the types that an instruction writes. Returns true if any of them are new. */
  write(i: Instruction, state: number, types: TypesOf): boolean {
    switch (i.op) {
      case 'set':
        return this.growAt(i.to, state, types(i.value, state));
      case 'track':
        return grow(this.tracked, i.slot, types(i.value, state));
      // A value that is not a number keeps its type, because the run fails there.
      case 'increment':
        return false;
      case 'shell':
      case 'argv':
      case 'agent':
        if (i.bind === null || i.bind === undefined) return false;
        // A member that failed leaves null, and so does a missing exit code.
        if (i.bind.exitSlot !== undefined) this.growLocal(i.bind.exitSlot, state, NUMBER | NULL);
        return this.growLocal(
          i.bind.slot,
          state,
          i.reading === 'do' ? PRINTED : i.reading === 'text' || i.reading === 'both' ? TEXT : ANY,
        );
      case 'ask':
        return this.growLocal(i.bind, state, TEXT);
      case 'sample':
        return this.growLocal(i.slot, state, i.source === 'random' ? NUMBER : TEXT);
      case 'fork-each': {
        let grew = false;
        for (const slot of i.collect) grew = this.growLocal(slot, state, LIST) || grew;
        return grew;
      }
      default:
        return false;
    }
  }

  private growLocal(slot: number, state: number, types: Types): boolean {
    return grow(this.locals[state] as Types[], slot, types);
  }

  private growAt(to: SlotRef, state: number, types: Types): boolean {
    if (to.in === 'tracked') return grow(this.tracked, to.slot, types);
    return to.in === 'local' && this.growLocal(to.slot, state, types);
  }
}

function grow(slots: Types[], slot: number, types: Types): boolean {
  const before = slots[slot] ?? ANY;
  slots[slot] = before | types;
  return slots[slot] !== before;
}

/** The parts of a failure that are always texts. */
const FAILURE_TEXTS: ReadonlySet<string> = new Set(['error', 'error_type', 'from_state']);

/** The names that a program itself passes to a state. */
function namesPassedTo(target: number | null, states: readonly State[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { code } of states)
    for (const i of code)
      if ((i.op === 'goto' && i.state === target) || i.op === 'goto-dynamic')
        for (const { name } of i.args) names.add(name);
  return names;
}

/** Slots that instructions with unknown results write, wherever the slot occurs in them, may have any type. */
function noteBoundElsewhere({ code, handlers }: State, locals: Types[]): void {
  for (const { names } of handlers)
    for (const [name, slot] of Object.entries(names)) if (!FAILURE_TEXTS.has(name)) locals[slot] = ANY;
  for (const i of code) {
    switch (i.op) {
      case 'set':
      case 'track':
      case 'increment':
      case 'emit':
      case 'jump':
      case 'unless':
      case 'goto':
      case 'sample':
      case 'fork-each':
        break;
      case 'shell':
      case 'argv':
      case 'agent':
        break;
      case 'ask':
        break;
      case 'wait-start':
      case 'wait-turn':
        locals[i.deadline] = ANY;
        break;
      default:
        for (const slot of slotsIn(i)) locals[slot] = ANY;
    }
  }
}

const SLOT_NAMES = new Set(['slot', 'bind', 'exitSlot', 'timedOut', 'variable', 'items', 'index']);

function slotsIn(i: Instruction, found: number[] = []): number[] {
  const members = i as unknown as Readonly<Record<string, unknown>>;
  for (const key in members) {
    if (!SLOT_NAMES.has(key)) continue;
    const value = members[key];
    if (typeof value === 'number') found.push(value);
    else if (key === 'bind' && typeof value === 'object' && value !== null) slotsIn(value as Instruction, found);
  }
  return found;
}

function inputTypes(input: Input | undefined): Types {
  const type = input === undefined ? undefined : typeOfInput(input);
  return type === undefined ? ANY : typeBits[type];
}

const typeBits = { string: TEXT, number: NUMBER, boolean: BOOLEAN, list: LIST, object: OBJECT } as const;

function typesOf(expr: Expr, slots: Slots, state: number): Types {
  switch (expr.op) {
    case 'const':
      return typeOfJson(expr.value);
    case 'read':
      return slots.read(expr.places, state);
    case 'list':
      return LIST;
    case 'object':
      return OBJECT;
    case 'call':
      if (expr.name === 'default')
        return typesOf(expr.args[0] as Expr, slots, state) | typesOf(expr.args[1] as Expr, slots, state);
      return Object.hasOwn(RESULTS, expr.name) ? (RESULTS[expr.name] as Types) : ANY;
    case 'template': {
      const [only] = expr.template;
      if (expr.template.length !== 1 || only === undefined || typeof only === 'string') return TEXT;
      return only.filter === undefined ? typesOf(only.value, slots, state) : ANY;
    }
    case 'negate':
      return NUMBER;
    case 'arithmetic':
      if (expr.operator !== '+') return NUMBER;
      return sum(typesOf(expr.left, slots, state), typesOf(expr.right, slots, state));
    case 'not':
    case 'and':
    case 'or':
    case 'compare':
    case 'test':
      return BOOLEAN;
    default:
      return ANY;
  }
}

/** Both sides of `+` have the same type: two numbers, two texts or two lists. Any other sum fails, and so has no type. */
const sum = (left: Types, right: Types): Types => left & right & (NUMBER | TEXT | LIST);

function typeOfJson(value: Json): Types {
  if (value === null) return NULL;
  if (typeof value === 'string') return TEXT;
  if (typeof value === 'number') return NUMBER;
  if (typeof value === 'boolean') return BOOLEAN;
  return Array.isArray(value) ? LIST : OBJECT;
}

function of(types: Types, names: string): Record<string, Types> {
  return Object.fromEntries(names.split(' ').map((name) => [name, types]));
}

/** Functions of a number. */
export const NUMBER_FUNCTIONS: ReadonlySet<string> = new Set(['abs', 'round', 'floor', 'ceil', 'range']);

/** What FOR EACH goes through, the value of a duration, and the first arguments of functions. */
export const WHOLES: Readonly<Record<string, Types>> = {
  ...{ 'FOR EACH': LIST, join: LIST, first: LIST, last: LIST, sort: LIST, unique: LIST, sum: LIST },
  ...{ keys: OBJECT, values: OBJECT, len: TEXT | LIST | OBJECT, slice: TEXT | LIST },
  ...{ duration: TEXT, upper: TEXT, lower: TEXT, trim: TEXT, split: TEXT, lines: TEXT, replace: TEXT },
};

/** Whether a function takes only values of some types first. */
export function isTyped(name: string): boolean {
  return NUMBER_FUNCTIONS.has(name) || Object.hasOwn(WHOLES, name);
}
