/**
 * The unknown values of a run and what is known of them. In the run, an unknown value is a text of three parts: a mark, its
 * number, a mark. So it passes through texts, prompts and snapshots like any other text, and the operations of an
 * exploration recognize it. Equal expressions over equal unknown values are one unknown value.
 */
import { printJson, render } from '../../../interpreter/values/json.js';
import type { Value } from '../../../interpreter/values/value.js';
import type { Json } from '../../../machine/expression.js';
import type { CheckLayout } from '../../../machine/step.js';
import { ANY_TYPE, canBe, type Facts, hasOneForm, normalFacts, TYPE, typeBit } from './known-facts.js';

const OPEN = '\ue000';
const CLOSE = '\ue001';
const MARKS = /\ue000(\d+)\ue001/g;

/** How an unknown value is computed from others. Arguments are JSON texts, which may mention unknown values. */
export interface KnownExpression {
  readonly op: string;
  readonly args: readonly string[];
  /** The unknown values that the arguments mention, in order. */
  readonly ids: readonly number[];
}

export const expressionOf = (op: string, args: readonly string[]): KnownExpression => ({
  op,
  args,
  ids: args.flatMap(idsIn),
});

export interface Unknown {
  /** Null: the world gave it. */
  readonly made: KnownExpression | null;
  /** How people call it. */
  readonly label: string;
  readonly facts: Facts;
}

/** A check of changed files, and whether it passes. */
export interface DecidedCheck {
  readonly check: CheckLayout;
  readonly passes: boolean;
}

export const markOf = (id: number): string => `${OPEN}${id}${CLOSE}`;

/** The number of an unknown value; null for any other value. */
export function unknownId(value: unknown): number | null {
  if (typeof value !== 'string' || value.charCodeAt(0) !== 0xe000) return null;
  return value.indexOf(CLOSE) === value.length - 1 ? Number(value.slice(1, -1)) : null;
}

/** Whether a value contains an unknown value. */
export function mentionsUnknown(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(OPEN);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(mentionsUnknown);
}

/** Replaces the marks in a text. */
export function replaceMarks(text: string, by: (id: number) => string): string {
  return text.includes(OPEN) ? text.replaceAll(MARKS, (_, id: string) => by(Number(id))) : text;
}

/** The numbers of the unknown values in a text, in order. */
export function idsIn(text: string): number[] {
  return text.includes(OPEN) ? [...text.matchAll(MARKS)].map(([, id]) => Number(id)) : [];
}

/** The longest list that is explored because a program asks for it. */
export const MOST_ELEMENTS = 1000;

/** The length of the name of a computed value: each round of a loop may make a longer one. */
const MOST_OF_LABEL = 200;

const keyOf = ({ op, args }: Pick<KnownExpression, 'op' | 'args'>): string => `${op}\u0000${args.join('\u0000')}`;

export class Knowledge {
  readonly unknowns: Map<number, Unknown>;
  private expressions: Map<string, number> | null = null;
  private next: number;
  /** Whether a number of members or elements was limited to what is explored. */
  usedLength = false;
  /** Whether a list got the greatest length that is explored, and could have a smaller one. */
  usedLongest = false;
  /** Whether a list got a greater length than those that are explored, because of what the program asked about it. */
  usedForced = false;
  /** Whether an instruction made a value that is too large. */
  wasTooLarge = false;
  /** Whether the program asks for a longer list than any that is explored: this way is not known. */
  needsTooLong = false;
  /** Whether a duration was needed. */
  usedDuration = false;
  /** The lists of which this was assumed. */
  readonly lists: string[] = [];
  /** The lists of which longer ones add nothing. */
  readonly freeLists: string[] = [];
  /** What was decided about changed files, in order. */
  readonly checks: DecidedCheck[] = [];

  constructor(
    unknowns: ReadonlyMap<number, Unknown> = new Map(),
    next = 0,
    readonly oracle: Oracle = new Oracle([]),
    readonly longest = 2,
  ) {
    this.unknowns = new Map(unknowns);
    this.next = next;
  }

  /** Most segments make no expression. */
  private get byExpression(): Map<string, number> {
    if (this.expressions === null) {
      this.expressions = new Map();
      for (const [id, { made }] of this.unknowns) if (made !== null) this.expressions.set(keyOf(made), id);
    }
    return this.expressions;
  }

  get nextId(): number {
    return this.next;
  }

  /** A new value of the world. */
  fresh(types: number, label: string, more: Partial<Facts> = {}): string {
    const id = this.next++;
    this.unknowns.set(id, { made: null, label, facts: { ...more, types } });
    return markOf(id);
  }

  /** The value of an expression over unknown values. */
  derive(op: string, args: readonly Value[], facts: Facts, label: string): string {
    const texts = args.map((arg) => JSON.stringify(arg));
    const key = keyOf({ op, args: texts });
    const known = this.byExpression.get(key);
    if (known !== undefined) return markOf(known);
    const id = this.next++;
    this.byExpression.set(key, id);
    this.unknowns.set(id, {
      made: expressionOf(op, texts),
      label: label.length > MOST_OF_LABEL ? `${label.slice(0, MOST_OF_LABEL)}…` : label,
      facts,
    });
    return markOf(id);
  }

  of(id: number): Unknown {
    return this.unknowns.get(id) ?? { made: null, label: 'a value', facts: { types: ANY_TYPE } };
  }

  factsOf(id: number): Facts {
    return this.of(id).facts;
  }

  /** Adds facts. They must fit what is known. */
  learn(id: number, facts: Facts): void {
    const normal = normalFacts(facts);
    if (normal === null) throw new Error(`nothing fits what was decided of ${this.of(id).label}`);
    const { made, label } = this.of(id);
    this.unknowns.set(id, { made, label, facts: normal });
  }

  /** Whether facts leave a value. */
  fits(facts: Facts): boolean {
    return normalFacts(facts) !== null;
  }

  /** The value, if it is known by now, or a list of unknown values. Texts get the values that are known. */
  resolve(value: Value): Value {
    if (typeof value !== 'string' || !value.includes(OPEN)) return value;
    const id = unknownId(value);
    if (id === null) {
      const text = this.textOf(value);
      const made = unknownId(text);
      // What was decided of a text holds whenever it is written again.
      return made !== null && this.of(made).made?.op === 'text' ? this.resolve(text) : text;
    }
    const { facts } = this.of(id);
    if (facts.fixed !== undefined) return this.fixedValue(id, facts.fixed.value, hasOneForm(facts));
    if (facts.length === undefined) return value;
    return Array.from({ length: facts.length }, (_, index) => this.elementOf(id, index));
  }

  /** Numbers in a list or an object may have been printed in several ways, and stay unknown. */
  private fixedValue(id: number, value: Json, hasOne: boolean): Value {
    if (hasOne || typeof value !== 'object' || value === null) return value as Value;
    const { label } = this.of(id);
    const part = (op: 'element' | 'member', at: string | number, is: Json): Value => {
      const mark = this.derive(op, [markOf(id), at], { types: typeBit(is as Value) }, `${label}[${at}]`);
      const own = unknownId(mark) as number;
      const facts = this.factsOf(own);
      if (facts.fixed === undefined && canBe(facts, is))
        this.learn(own, { ...facts, types: typeBit(is as Value), fixed: { value: is } });
      return this.asPrinted(mark);
    };
    if (Array.isArray(value)) return value.map((is, index) => part('element', index, is));
    return Object.fromEntries(Object.entries(value).map(([name, is]) => [name, part('member', name, is)]));
  }

  /** The same, but a number that may have been printed in several ways stays unknown: texts show it as it was printed. */
  asPrinted(value: Value): Value {
    const id = unknownId(value);
    return id === null || this.factsOf(id).fixed === undefined || hasOneForm(this.factsOf(id))
      ? this.resolve(value)
      : value;
  }

  /** Decides which of a few values it is, also inside of a text. Any other value stays as it is. */
  chosen(value: Value): Value {
    const known = this.resolve(value);
    const id = unknownId(known);
    if (id === null) return known;
    const { made, label, facts } = this.of(id);
    if (made?.op === 'text' && made.ids.some((one) => this.factsOf(one).among !== undefined)) {
      for (const one of made.ids) this.chosen(markOf(one));
      return this.resolve(JSON.parse(made.args[0] as string) as Value);
    }
    const values = (facts.among ?? []).map((one) => JSON.parse(one) as Json).filter((one) => canBe(facts, one));
    if (values.length === 0) return known;
    const index = this.oracle.choose(
      label,
      values.map((one) => `= ${JSON.stringify(one)}`),
    );
    const is = values[index] as Json;
    this.learn(id, { ...facts, types: typeBit(is as Value), fixed: { value: is } });
    return this.resolve(value);
  }

  private textOf(text: string): string {
    const known = replaceMarks(text, (id) => {
      const facts = this.factsOf(id);
      return hasOneForm(facts) ? render(facts.fixed?.value as Value) : markOf(id);
    });
    if (!known.includes(OPEN) || unknownId(known) !== null) return known;
    return this.derive('text', [known], { types: TYPE.text }, this.labelOf(known));
  }

  elementOf(id: number, index: number): Value {
    const label = `${this.of(id).label}[${index}]`;
    return this.asPrinted(this.derive('element', [markOf(id), index], { types: this.elementTypes(id) }, label));
  }

  /** The types of the elements of a list: those of a list that the program computed may be versions. */
  elementTypes(id: number): number {
    return /^call (?:sort|unique|slice|values)$/.test(this.of(id).made?.op ?? '') ? ANY_TYPE | TYPE.version : ANY_TYPE;
  }

  /** How people read a value. */
  labelOf(value: unknown): string {
    if (typeof value !== 'string')
      return mentionsUnknown(value) ? this.labelOf(JSON.stringify(value)) : printJson(value as Value);
    const id = unknownId(value);
    if (id !== null) return this.of(id).label;
    const shown = replaceMarks(value, (one) => `{${this.of(one).label}}`);
    return JSON.stringify(shown.length > 40 ? `${shown.slice(0, 40)}…` : shown);
  }

  /** Decides whether a value has one of these types. */
  decideType(id: number, types: number, what: string): boolean {
    const facts = this.factsOf(id);
    const [yes, no] = [facts.types & types, facts.types & ~types];
    if (yes === 0) return false;
    if (no === 0) return true;
    const isYes = this.oracle.choose(this.of(id).label, [`is ${what}`, `is not ${what}`]) === 0;
    this.learn(id, { ...facts, types: isYes ? yes : no });
    return isYes;
  }

  /** Decides a question with numbered answers, once. */
  decide(id: number, question: string, texts: readonly string[]): number {
    const facts = this.factsOf(id);
    const known = facts.answers?.[question];
    if (known !== undefined) return known;
    const answer = this.oracle.choose(this.of(id).label, texts);
    this.learn(id, { ...facts, answers: { ...facts.answers, [question]: answer } });
    return answer;
  }

  /** What was decided of the length of a value, by `len`. */
  lengthOf(id: number): { readonly id: number; readonly facts: Facts } | null {
    const length = this.byExpression.get(keyOf({ op: 'len', args: [JSON.stringify(markOf(id))] }));
    return length === undefined ? null : { id: length, facts: this.factsOf(length) };
  }

  /**
   * The elements, if the value is a list: its length is decided. Any other value stays as it is. `wanted`: a length that is
   * explored, too. `isFree`: longer lists than those that are explored add nothing.
   */
  listIn(value: Value, wanted = 0, isFree = false): Value {
    const known = this.resolve(value);
    const id = unknownId(known);
    if (id === null || !this.decideType(id, TYPE.list, 'a list')) return known;
    const facts = this.factsOf(id);
    const decided = this.lengthOf(id);
    const fits = (length: number): boolean =>
      canBe({ ...facts, not: undefined, members: undefined }, new Array(length).fill(0) as Json) &&
      (decided === null || canBe(decided.facts, length));
    const lengths = Array.from({ length: this.longest + 1 }, (_, length) => length).filter(fits);
    const isForced = lengths.length === 0;
    if (isForced) lengths.push(...this.leastLengths(decided?.facts, fits));
    const most = lengths.at(-1);
    if (wanted > MOST_ELEMENTS && mayHave(wanted, decided?.facts)) this.needsTooLong = true;
    else if (wanted > this.longest && fits(wanted)) lengths.push(wanted);
    // With one element, members cannot differ.
    if (isFree && !isForced && this.longest > 1) this.freeLists.push(this.of(id).label);
    else {
      this.usedLength = true;
      this.lists.push(this.of(id).label);
    }
    const index = this.oracle.choose(
      `len(${this.of(id).label})`,
      lengths.map((length) => `= ${length}`),
    );
    const length = lengths[index] as number;
    if (index > 0 && length >= this.longest && length === most) this.usedLongest = true;
    if (isForced) this.usedForced = true;
    this.learn(id, { ...facts, length });
    if (decided !== null && decided.facts.fixed === undefined)
      this.learn(decided.id, { types: TYPE.number, fixed: { value: length } });
    return this.resolve(value);
  }

  /** The least two lengths that fit what was decided, if all that are explored do not. */
  private leastLengths(decided: Facts | undefined, fits: (length: number) => boolean): number[] {
    const from = Math.ceil(Number(decided?.fixed?.value ?? decided?.low?.at ?? 1));
    const found: number[] = [];
    for (let length = from; length <= MOST_ELEMENTS && found.length < 2; length++) if (fits(length)) found.push(length);
    if (found.length === 0) this.needsTooLong = true;
    return found.length === 0 ? [1] : found;
  }
}

/** Whether a list may have so many elements. */
const mayHave = (length: number, decided: Facts | undefined): boolean =>
  decided === undefined || canBe(decided, length);

interface Decision {
  readonly index: number;
  readonly of: number;
  readonly text: string;
}

/** Most segments decide nothing. */
const NOTHING: readonly number[] = [];

/**
 * Decides what is not known. A script says how the first questions are answered; the questions after it get their first
 * alternative, and the explorer tries the others later by executing the segment again.
 */
export class Oracle {
  readonly taken: Decision[] = [];

  constructor(private readonly script: readonly number[]) {}

  /** The index of the alternative. With only one there is nothing to decide. */
  choose(what: string, alternatives: readonly string[]): number {
    if (alternatives.length < 2) return 0;
    const index = this.script[this.taken.length] ?? 0;
    this.taken.push({ index, of: alternatives.length, text: `${what} ${alternatives[index] ?? ''}`.trim() });
    return index;
  }

  /** The indexes of the alternatives that were taken. */
  get indexes(): readonly number[] {
    return this.taken.length === 0 ? NOTHING : this.taken.map(({ index }) => index);
  }

  /** The scripts of the other answers to the questions that this execution answered first. */
  others(): number[][] {
    const found: number[][] = [];
    for (let at = this.script.length; at < this.taken.length; at++) {
      const before = this.taken.slice(0, at).map(({ index }) => index);
      for (let other = 1; other < (this.taken[at] as Decision).of; other++) found.push([...before, other]);
    }
    return found;
  }
}
