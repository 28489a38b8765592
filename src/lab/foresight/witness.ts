/** One JSON value for each unknown value of a trace that fits what was decided of it, as far as that can be found. */
import { printJson, render } from '../../interpreter/values/json.js';
import { isObject, type Value } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import { idsIn, markOf, mentionsUnknown, replaceMarks, type Unknown, unknownId } from './unknown/knowledge.js';
import { canBe, comparableTypes, type Facts, TYPE } from './unknown/known-facts.js';
import { agreesWith, textQuestions } from './unknown/text-answers.js';

export class Witnesses {
  private readonly values = new Map<number, Json>();
  private readonly isDone = new Set<number>();
  private readonly children = new Map<number, number[]>();
  private readonly relations = new Map<number, Relation[]>();

  constructor(private readonly unknowns: ReadonlyMap<number, Unknown>) {
    for (const [id, { made }] of unknowns)
      for (const from of new Set(made?.args.flatMap(idsIn) ?? [])) {
        const known = this.children.get(from);
        if (known === undefined) this.children.set(from, [id]);
        else known.push(id);
      }
    for (const [id, { facts }] of unknowns)
      for (const [question, answer] of Object.entries(facts.answers ?? {})) this.addRelation(id, question, answer);
  }

  /** Notes how two unknown values compare, for both of them. */
  private addRelation(id: number, question: string, answer: number): void {
    const json = /^(?:==|=) (.*)$/s.exec(question)?.[1];
    if (json === undefined) return;
    const value = JSON.parse(json) as Json;
    const others = (Array.isArray(value) ? value : [value]).flatMap((one) => unknownId(one) ?? []);
    for (const other of others) {
      if (other === id) continue;
      for (const [from, to] of [
        [id, other],
        [other, id],
      ] as const)
        this.relations.set(from, [...(this.relations.get(from) ?? []), { to, answer }]);
    }
  }

  /** What is known of the other sides, once they have a value. */
  private fitsRelations(id: number, value: Json): boolean {
    return (this.relations.get(id) ?? []).every(({ to, answer }) => {
      const other = this.values.get(to);
      if (other === undefined || !this.isDone.has(to)) return true;
      const isEqual = JSON.stringify(other) === JSON.stringify(value);
      if (answer === 0) return isEqual;
      const isComparable =
        value === null || other === null || comparableTypes(value as Value) === comparableTypes(other as Value);
      return answer === 1 ? !isEqual && isComparable : !isComparable;
    });
  }

  /** Replaces unknown values inside a value. */
  in(value: Json): Json {
    if (typeof value === 'string') {
      const id = unknownId(value);
      return id === null ? replaceMarks(value, (one) => render(this.of(one) as Value)) : this.of(id);
    }
    if (Array.isArray(value)) return value.map((item) => this.in(item));
    if (!isObject(value as Value)) return value;
    return Object.fromEntries(Object.entries(value as object).map(([name, item]) => [name, this.in(item)]));
  }

  /** What a program prints: a JSON text where the unknown value is quoted. */
  print(text: string): string {
    const quoted = /^"(\ue000\d+\ue001)"$/.exec(text);
    if (quoted !== null) return printJson(this.in(quoted[1] as string) as Value);
    return replaceMarks(text, (id) => render(this.of(id) as Value));
  }

  of(id: number): Json {
    const known = this.values.get(id);
    if (known !== undefined) return known;
    const unknown = this.unknowns.get(id);
    if (unknown === undefined) return 'x';
    // A value of itself cannot occur, but a wrong guess must not run forever.
    this.values.set(id, 'x');
    const value = this.find(id, unknown);
    this.values.set(id, value);
    this.isDone.add(id);
    return value;
  }

  private find(id: number, { facts }: Unknown): Json {
    const { fixed, length, types, among } = facts;
    if (among !== undefined)
      return JSON.parse(among.find((one) => canBe(facts, JSON.parse(one) as Json)) ?? '"x"') as Json;
    if (fixed !== undefined) return fixed.value;
    if (length !== undefined) return Array.from({ length }, (_, at) => this.child(id, 'element', at, `item ${at + 1}`));
    const computed = this.fromResults(id, facts);
    if (computed !== undefined && canBe(facts, computed)) return computed;
    const members = Object.entries(facts.members ?? {}).filter(([, isThere]) => isThere);
    if (members.length > 0 && (types & TYPE.object) !== 0) {
      const object = Object.fromEntries(members.map(([name]) => [name, this.child(id, 'member', name, 'x')]));
      return this.filledUp(id, facts, object);
    }
    return this.byType(id, facts);
  }

  /** With more members, if `len` was decided to be larger than their number. */
  private filledUp(id: number, { members }: Facts, object: { readonly [name: string]: Json }): Json {
    const length = (this.children.get(id) ?? []).find((one) => this.unknowns.get(one)?.made?.op === 'len');
    const wanted = length === undefined ? 0 : this.of(length);
    if (typeof wanted !== 'number' || wanted > 10_000) return object;
    const filled: Record<string, Json> = { ...object };
    for (let at = 0; Object.keys(object).length + at < wanted; at++) filled[unusedName(members ?? {}, at)] = at;
    return filled;
  }

  private child(id: number, op: string, key: Json, otherwise: Json): Json {
    for (const one of this.children.get(id) ?? []) {
      const made = this.unknowns.get(one)?.made;
      if (made?.op === op && made.args[0] === JSON.stringify(markOf(id)) && made.args[1] === JSON.stringify(key))
        return this.of(one);
    }
    return otherwise;
  }

  /** A value from which functions and operators compute what was decided of their results. */
  private fromResults(id: number, facts: Facts): Json | undefined {
    const { types } = facts;
    for (const one of this.children.get(id) ?? []) {
      const unknown = this.unknowns.get(one);
      const { made } = unknown ?? {};
      if (unknown === undefined || made === undefined || made === null) continue;
      const isText = (types & TYPE.text) !== 0;
      if (unknown.facts.answers?.fails === 1) return isText ? 'x' : undefined;
      const wanted = this.of(one);
      const [left, right] = made.args.map((arg) => JSON.parse(arg) as Json);
      switch (made.op) {
        case 'whole':
        case 'call int':
        case 'call float':
          return isText ? String(wanted) : wanted;
        case 'call string':
        case 'call trim':
        case 'call lower':
        case 'call upper':
          return wanted;
        case 'call parse_json':
          return JSON.stringify(wanted);
        case 'call lines':
        case 'call split':
          return Array.isArray(wanted)
            ? wanted.map((item) => render(item as Value)).join(typeof right === 'string' ? right : '\n')
            : undefined;
        case 'len':
          if (typeof wanted !== 'number' || wanted > 10_000) continue;
          return isText
            ? textFor(facts, (text) => text.length === wanted, wanted)
            : (types & TYPE.list) !== 0
              ? Array.from({ length: wanted }, (_, at) => `item ${at + 1}`)
              : Object.fromEntries(Array.from({ length: wanted }, (_, at) => [`m${at}`, at]));
        case 'text':
          if (typeof left === 'string' && typeof wanted === 'string') return insideOf(left, id, wanted);
          continue;
        case '+':
          if (typeof wanted === 'number') {
            if (typeof right === 'number') return wanted - right;
            if (typeof left === 'number') return wanted - left;
          }
          continue;
        case '*':
          if (typeof wanted === 'number') {
            const factor = typeof right === 'number' ? right : left;
            if (typeof factor === 'number' && factor !== 0) return wanted / factor;
          }
          continue;
        case '/':
          if (typeof wanted === 'number') {
            if (typeof right === 'number') return wanted * right;
            if (typeof left === 'number' && wanted !== 0) return left / wanted;
          }
          continue;
        case '-':
          if (typeof wanted === 'number') {
            if (typeof right === 'number') return wanted + right;
            if (typeof left === 'number') return left - wanted;
          }
          continue;
        default:
      }
    }
    return undefined;
  }

  private byType(id: number, facts: Facts): Json {
    const { types } = facts;
    const fits = (value: Json): boolean => this.fitsRelations(id, value);
    const equals = (this.relations.get(id) ?? []).find(({ to, answer }) => answer === 0 && this.isDone.has(to));
    if (equals !== undefined) {
      const same = this.values.get(equals.to) as Json;
      if (canBe(facts, same)) return same;
    }
    if ((types & TYPE.text) !== 0) {
      const text = textFor(facts, fits);
      if (text !== undefined) return text;
    }
    if ((types & TYPE.number) !== 0) {
      const number = this.numberFor(id, facts);
      if (number !== undefined && fits(number)) return number;
    }
    for (const one of [true, false, null, {}, { member: 1 }, [], ['item']] as Json[])
      if (canBe(facts, one) && fits(one)) return one;
    return 'x';
  }

  private numberFor(id: number, facts: Facts): number | undefined {
    const { low, high } = facts;
    const from = low?.at ?? (high === undefined ? 0 : high.at - 1000);
    const to = high?.at ?? from + 1000;
    const candidates = [
      from,
      to,
      0,
      1,
      from + 1,
      to - 1,
      (from + to) / 2,
      from + 0.5,
      from + 2,
      from + 3,
      to - 2,
      to + 1,
      from - 1,
    ];
    const related: ((candidate: number) => boolean)[] = [];
    for (const [question, answer] of Object.entries(facts.answers ?? {})) {
      const other = /^<=> (.*)$/s.exec(question)?.[1];
      if (other === undefined) continue;
      const value = this.in(JSON.parse(other) as Json);
      if (typeof value !== 'number') continue;
      candidates.push(value - 1, value, value + 1);
      related.push((candidate) => Math.sign(candidate - value) === answer - 1);
    }
    return candidates.find(
      (one) => canBe(facts, one) && related.every((fits) => fits(one)) && this.fitsRelations(id, one),
    );
  }
}

/** How a value compares with another one: 0 equal, 1 different, 2 not comparable. */
interface Relation {
  readonly to: number;
  readonly answer: number;
}

/** A name of a member of which nothing was decided, another one for each number. */
function unusedName(members: Readonly<Record<string, boolean>>, at: number): string {
  let name = `m${at}`;
  while (Object.hasOwn(members, name)) name += '_';
  return name;
}

/** The part of a text that an unknown value is. */
function insideOf(template: string, id: number, wanted: string): string | undefined {
  const mark = markOf(id);
  const at = template.indexOf(mark);
  const after = template.slice(at + mark.length);
  const before = template.slice(0, at);
  if (mentionsUnknown(before) || mentionsUnknown(after)) return undefined;
  if (!wanted.startsWith(before) || !wanted.endsWith(after)) return undefined;
  return wanted.slice(before.length, wanted.length - after.length);
}

const SAMPLES = [
  'text',
  '',
  'x',
  '1',
  '0.5',
  '1.2.3',
  'v1.2.3',
  'a@example.org',
  'ABC',
  'abc',
  '2000-01-01',
  'true',
  'yes',
  'ok',
  '{}',
  'x\ny',
];

/** A text with the answers that were given about it; one of `length` characters comes first. */
function textFor(facts: Facts, fits: (text: string) => boolean, length = 0): string | undefined {
  const questions = textQuestions(facts);
  let [start, middle, end] = ['', '', ''];
  const samples: string[] = [];
  for (const { kind, other, answer } of questions) {
    if (kind === 'matches' && answer === 0) samples.push(matchingText(other) ?? '');
    if (kind === '<=>') samples.push(`${other}x`, other, ' ');
    if (answer !== 0) continue;
    if (kind === 'contains') middle += other;
    if (kind === 'starts with' && other.length > start.length) start = other;
    if (kind === 'ends with' && other.length > end.length) end = other;
  }
  const known = start + middle + end;
  const candidates = SAMPLES.map((one) => (known === '' ? one : start + middle + one + end));
  if (length > 0) candidates.unshift(start + middle + 'x'.repeat(Math.max(0, length - known.length)) + end);
  return [...candidates, known, ...samples, 'z9', 'q', 'other text'].find(
    (text) => canBe(facts, text) && fits(text) && questions.every((question) => agreesWith(question, text)),
  );
}

const CLASSES: Readonly<Record<string, string>> = { d: '1', w: 'a', s: ' ', D: 'a', W: '-', S: 'a', n: '\n', t: '\t' };

/** Undefined: the pattern has parts that this does not read. */
function matchingText(pattern: string): string | undefined {
  const reader = new PatternReader(pattern);
  const text = reader.alternatives();
  return reader.isAtEnd ? text : undefined;
}

class PatternReader {
  private at = 0;

  constructor(private readonly pattern: string) {}

  get isAtEnd(): boolean {
    return this.at >= this.pattern.length;
  }

  /** The first of several alternatives. */
  alternatives(): string {
    const first = this.sequence();
    while (this.take('|')) this.sequence();
    return first;
  }

  private sequence(): string {
    let text = '';
    while (!this.isAtEnd && !/^[|)]/.test(this.rest)) text += this.repetitionOf(this.atom());
    return text;
  }

  private get rest(): string {
    return this.pattern.slice(this.at);
  }

  private take(text: string): boolean {
    if (!this.pattern.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private match(regex: RegExp): RegExpExecArray | null {
    const found = regex.exec(this.rest);
    this.at += found?.[0].length ?? 0;
    return found;
  }

  private atom(): string {
    if (this.match(/^(?:[\^$]|\\b)/) !== null) return '';
    if (this.take('.')) return 'x';
    if (this.take('(')) return this.group();
    if (this.take('[')) return this.set();
    if (this.take('\\')) return this.escapeText();
    const [one = ''] = this.rest;
    this.at += one.length;
    return one;
  }

  private group(): string {
    const isLook = this.match(/^\?<?[=!]/) !== null;
    if (!isLook) this.match(/^\?(?:<\w+>|:)/);
    const text = this.alternatives();
    this.take(')');
    return isLook ? '' : text;
  }

  /** The first character of a set; of a negated one, a character that it does not have. */
  private set(): string {
    const isNegated = this.take('^');
    const inside = this.match(/^(?:\\.|[^\]\\])*/)?.[0] ?? '';
    this.take(']');
    if (!isNegated) return inside.startsWith('\\') ? (CLASSES[inside[1] ?? ''] ?? inside[1] ?? '') : (inside[0] ?? '');
    const set = new RegExp(`[^${inside}]`, 'u');
    return ['x', '1', '-', ' ', 'A'].find((one) => set.test(one)) ?? '';
  }

  private escapeText(): string {
    const [one = ''] = this.rest;
    this.at += one.length;
    return CLASSES[one] ?? one;
  }

  private repetitionOf(text: string): string {
    const found = this.match(/^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/);
    if (found === null) return text;
    if (found[1] !== undefined) return text.repeat(Math.min(Number(found[1]), 1000));
    return found[0].startsWith('+') ? text : '';
  }
}
