/**
 * Finds texts with numbers, versions or durations that `<` and `>` put in the order of their characters, in which
 * "1.10" comes before "1.9": what a command printed, a line of it or a text input, next to a text that looks like one.
 */
import type { Expr, SlotRef } from '../../../machine/expression.js';
import { type Instruction, type Machine, typeOfInput } from '../../../machine/machine.js';
import { writtenLocals } from './written-locals.js';

/** What an expression is known to be, one bit each. */
type TextTraits = number;
/** A command printed it, whatever it holds. */
const PRINTED = 1;
/** A person passed it. */
const GIVEN = 2;
/** It is, or begins as, a text that looks like a number, a version or a duration. */
const NUMERIC = 4;
/** It is, or begins as, a date or a time, which are in order as texts. */
const DATED = 8;
const OTHER = 16;

const NUMBER_LIKE = /^\s*[vV]?\d+(?:\.\d+)*(?:ms|[smhdwkKMGTBb%]|[-+][0-9A-Za-z.+-]*)?\s*$/;
const DATE_LIKE = /^\s*\d{4}-\d\d(?:-\d\d)?(?:[T ].*)?\s*$|^\s*\d\d?:\d\d(?::\d\d.*)?\s*$/;
const LONGEST = 100;
/** How far a text is followed through variables. */
const MOST_OPEN = 100;

export class TextOrder {
  private writers: { tracked: SlotWriter[][]; locals: SlotWriter[][][] } | undefined;
  /** What is known of slots and of elements of lists in them. */
  private readonly known = new Map<string, TextTraits>();
  private readonly open: string[] = [];

  constructor(private readonly machine: Machine) {}

  /** Whether `<` compares the two as texts, and numbers or versions are meant. */
  misleads(left: Expr, right: Expr, state: number): boolean {
    const [a, b] = [this.traitsOf(left, state), this.traitsOf(right, state)];
    if (a === 0 || b === 0 || ((a | b) & (DATED | OTHER)) !== 0 || this.hasOneShape(left, right)) return false;
    const isNumeric = ((a & NUMERIC) !== 0 && !isWritten(b)) || ((b & NUMERIC) !== 0 && !isWritten(a));
    return isNumeric || (a & b & PRINTED) !== 0;
  }

  /** `"1" < "3"`: all texts that are possible have their digits at the same positions. */
  private hasOneShape(left: Expr, right: Expr): boolean {
    const [a, b] = [this.wordsOf(left), this.wordsOf(right)];
    if (a === null || b === null) return false;
    return new Set([...a, ...b].map((word) => word.replace(/\d/g, '0'))).size <= 1;
  }

  private wordsOf(expr: Expr): readonly string[] | null {
    if (expr.op === 'const') return typeof expr.value === 'string' ? [expr.value] : null;
    const [slot, ...others] = expr.op === 'read' ? expr.places : [];
    return slot?.in === 'input' && others.length === 0 ? (this.machine.inputs[slot.slot]?.choices ?? null) : null;
  }

  private traitsOf(expr: Expr, state: number): TextTraits {
    switch (expr.op) {
      case 'const':
        return traitsOfConstant(expr.value);
      case 'read': {
        const [slot, ...others] = expr.places;
        return slot === undefined || others.length > 0 ? OTHER : this.inSlot(slot, state);
      }
      case 'maybe':
        return this.traitsOf(expr.of, state);
      case 'index':
        return this.elementsOf(expr.of, state);
      case 'template': {
        const [only] = expr.template;
        const isOne = expr.template.length === 1 && typeof only === 'object' && only.filter === undefined;
        return isOne ? this.traitsOf(only.value, state) : OTHER;
      }
      case 'call': {
        const [of] = expr.args;
        if (of === undefined) return OTHER;
        if (expr.name === 'first' || expr.name === 'last') return this.elementsOf(of, state);
        if (KEEPING.has(expr.name)) return this.traitsOf(of, state);
        if (expr.name === 'default') return this.traitsOf(of, state) | this.traitsOf(expr.args[1] as Expr, state);
        return OTHER;
      }
      default:
        return OTHER;
    }
  }

  /** Of the elements of a list. */
  private elementsOf(list: Expr, state: number): TextTraits {
    if (list.op === 'call' && (list.name === 'lines' || list.name === 'split')) return PRINTED;
    const [of] = list.op === 'call' ? list.args : [];
    if (of !== undefined && list.op === 'call' && PARTS.has(list.name)) return this.elementsOf(of, state);
    if (list.op === 'const' && Array.isArray(list.value)) return traitsOfConstants(list.value);
    const [slot, ...others] = list.op === 'read' ? list.places : [];
    if (slot?.in !== 'local' || others.length > 0) return OTHER;
    const written = this.writersOf(slot, state);
    const listOf = ({ i }: SlotWriter): Expr | null => (i?.op === 'set' ? i.value : i?.op === 'each' ? i.list : null);
    return this.within('element', slot, state, () =>
      written.reduce((traits, writer) => {
        const value = listOf(writer);
        return traits | (value === null ? OTHER : this.elementsOf(value, state));
      }, 0),
    );
  }

  private inSlot(slot: SlotRef, state: number): TextTraits {
    if (slot.in === 'entry') return OTHER;
    if (slot.in === 'input') {
      const input = this.machine.inputs[slot.slot];
      if (input === undefined) return OTHER;
      const type = typeOfInput(input);
      const own = input.choices ?? (input.value == null ? [] : [input.value]);
      return type === undefined || type === 'string' ? GIVEN | traitsOfConstants(own) : OTHER;
    }
    const written = this.writersOf(slot, state);
    return written.length === 0
      ? OTHER
      : this.within('value', slot, state, () => written.reduce((traits, writer) => traits | this.writtenBy(writer), 0));
  }

  private writtenBy({ i, state }: SlotWriter): TextTraits {
    switch (i?.op) {
      case 'set':
      case 'track':
        return i.value === null ? 0 : this.traitsOf(i.value, state);
      case 'shell':
      case 'argv':
      case 'agent':
        return i.reading === 'do' || i.reading === 'text' || i.reading === 'both' ? PRINTED : OTHER;
      case 'ask':
        return GIVEN;
      case 'next':
        return this.elementsOf(readOf(i.items), state);
      case 'fork-each':
        return this.elementsOf(i.list, state);
      default:
        return OTHER;
    }
  }

  /**
   * Looked up once for a slot: each may be written from several others. What a slot that is written from itself adds is already
   * counted; of a longer circle nothing is known.
   */
  private within(kind: 'value' | 'element', slot: SlotRef, state: number, look: () => TextTraits): TextTraits {
    const key = `${kind} ${slot.in} ${slot.in === 'local' ? state : ''} ${slot.slot}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    if (this.open.includes(key)) return this.open.at(-1) === key ? 0 : OTHER;
    if (this.open.length === MOST_OPEN) return OTHER;
    this.open.push(key);
    const traits = look();
    this.open.pop();
    this.known.set(key, traits);
    return traits;
  }

  private writersOf(slot: SlotRef, state: number): readonly SlotWriter[] {
    this.writers ??= writersIn(this.machine);
    const { locals, tracked } = this.writers;
    return (slot.in === 'local' ? locals[state]?.[slot.slot] : slot.in === 'tracked' ? tracked[slot.slot] : []) ?? [];
  }
}

interface SlotWriter {
  /** Null: a failure. */
  readonly i: Instruction | null;
  readonly state: number;
}

/** Functions of a text whose result looks like it, and of a list whose result has its elements. */
const KEEPING: ReadonlySet<string> = new Set(['trim', 'lower', 'upper']);
const PARTS: ReadonlySet<string> = new Set(['sort', 'unique', 'slice']);

const isWritten = (traits: TextTraits): boolean => (traits & (PRINTED | GIVEN)) === 0;

const readOf = (slot: number): Expr => ({ op: 'read', name: '', places: [{ in: 'local', slot }] });

function traitsOfConstants(values: readonly unknown[]): TextTraits {
  return values.reduce<TextTraits>((traits, value) => traits | traitsOfConstant(value), 0);
}

function traitsOfConstant(value: unknown): TextTraits {
  if (value === null || value === '' || typeof value === 'number') return 0;
  if (typeof value !== 'string' || value.length > LONGEST) return OTHER;
  return DATE_LIKE.test(value) ? DATED : NUMBER_LIKE.test(value) ? NUMERIC : OTHER;
}

function writersIn({ tracked, states }: Machine): { tracked: SlotWriter[][]; locals: SlotWriter[][][] } {
  const found: { tracked: SlotWriter[][]; locals: SlotWriter[][][] } = {
    tracked: tracked.map(() => []),
    locals: states.map(({ locals }) => locals.map(() => [])),
  };
  states.forEach(({ code, handlers }, state) => {
    const local = (slot: number, i: Instruction | null) => found.locals[state]?.[slot]?.push({ i, state });
    for (const i of code) {
      if ((i.op === 'set' || i.op === 'increment') && i.to.in === 'tracked')
        found.tracked[i.to.slot]?.push({ i, state });
      else if (i.op === 'track') found.tracked[i.slot]?.push({ i, state });
      else for (const slot of writtenLocals(i)) local(slot, i);
    }
    for (const { names } of handlers) for (const slot of Object.values(names)) local(slot, null);
  });
  return found;
}
