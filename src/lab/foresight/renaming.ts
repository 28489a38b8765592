/**
 * Numbers unknown values in the order in which they appear, so that configurations that differ only in these numbers are
 * equal.
 */
import type { RunImage } from '../../interpreter/record/run-image.js';
import { CHANGES } from './unknown/changed-objects.js';
import {
  idsIn,
  type Knowledge,
  type KnownExpression,
  markOf,
  replaceMarks,
  type Unknown,
} from './unknown/knowledge.js';
import type { Facts } from './unknown/known-facts.js';

export class Renaming {
  /** The new numbers, by the old ones. */
  readonly order = new Map<number, number>();

  constructor(private readonly knowledge: Knowledge) {}

  /** Adds the values in a text, and gives the text with the new numbers. */
  addFrom(text: string): string {
    return replaceMarks(text, (id) => markOf(this.add(id)));
  }

  private add(id: number): number {
    const known = this.order.get(id);
    if (known !== undefined) return known;
    const to = this.order.size;
    this.order.set(id, to);
    return to;
  }

  /** What changed objects are made of. */
  addParts(): void {
    for (const id of this.order.keys()) {
      const { made } = this.knowledge.of(id);
      if (made !== null && CHANGES.has(made.op)) for (const part of made.ids) this.add(part);
    }
  }

  /** What can be computed again from values that are still there keeps its facts. */
  addDerived(): void {
    const { order } = this;
    if (order.size === 0) return;
    for (let isGrowing = true; isGrowing; ) {
      isGrowing = false;
      for (const [id, { made }] of this.knowledge.unknowns) {
        if (made === null || made.ids.length === 0 || order.has(id) || !this.areKept(made.ids)) continue;
        this.add(id);
        isGrowing = true;
      }
    }
  }

  /** All that is known of the values, with their new numbers. */
  text(): string {
    let text = '';
    for (const id of this.order.keys()) {
      const { made, facts } = this.renameOne(this.knowledge.of(id));
      text += `${made === null ? '' : JSON.stringify([made.op, made.args])}${JSON.stringify(facts)}\n`;
    }
    return text;
  }

  /** The values by their new numbers. */
  unknowns(): Map<number, Unknown> {
    const unknowns = new Map<number, Unknown>();
    for (const [id, to] of this.order) unknowns.set(to, this.renameOne(this.knowledge.of(id)));
    return unknowns;
  }

  private renameOne(unknown: Unknown): Unknown {
    const { made, label, facts } = unknown;
    if (made === null && facts.answers === undefined) return unknown;
    return {
      made: made === null ? null : this.renameExpression(made),
      label,
      facts: facts.answers === undefined ? facts : this.renameFacts(facts, facts.answers),
    };
  }

  /** Null: a value whose origin is gone is as good as one that the world gave. */
  private renameExpression({ op, args, ids }: KnownExpression): KnownExpression | null {
    if (!this.areKept(ids)) return null;
    return { op, args: args.map((text) => this.rewrite(text)), ids: ids.map((id) => this.order.get(id) as number) };
  }

  private areKept(ids: readonly number[]): boolean {
    for (const id of ids) if (!this.order.has(id)) return false;
    return true;
  }

  private renameFacts({ answers: _, ...rest }: Facts, given: NonNullable<Facts['answers']>): Facts {
    const answers = Object.entries(given).filter(([question]) => this.keeps(question));
    if (answers.length === 0) return rest;
    return {
      ...rest,
      answers: Object.fromEntries(answers.map(([question, answer]) => [this.rewrite(question), answer]).sort()),
    };
  }

  private keeps(text: string): boolean {
    return this.areKept(idsIn(text));
  }

  private rewrite(text: string): string {
    return replaceMarks(text, (id) => markOf(this.order.get(id) ?? -1));
  }
}

/** Members that number effects, or measure: they are no part of the key. */
const PRIVATE = new Set([
  'counter',
  'effect',
  'until',
  'id',
  'waitNumbers',
  'effects',
  'knownCost',
  'unknownCosts',
  'agentCalls',
  'tokens',
  'version',
  'transitions',
  'trail',
  'tally',
  'blamed',
  'question',
  'bounds',
  // A property that looks at events adds them.
  'events',
]);

/** What failed says in words. */
const ERRORS = new Set(['error', 'message']);

/** Members with values of the program, or with names of it: any name may occur in them. */
const VALUES = new Set(['data', 'payload', 'log', 'with', 'entries', 'inputs', 'gates', 'gatesBefore', 'writes']);

/** The text of each member of a snapshot, in order. `withErrors`: the words of failures decide something. */
export function keyTexts(image: RunImage, withErrors: boolean): string[] {
  const texts: string[] = [];
  const add = (name: string, value: unknown): void => {
    const text = memberText(name, value, withErrors);
    if (text !== null) texts.push(text);
  };
  for (const name in image) if (name !== 'cause') add(name, image[name as keyof RunImage]);
  add('cause', image.cause === null ? null : { ...image.cause, error: '' });
  return texts;
}

/** Null: the key does not contain it. */
function memberText(name: string, value: unknown, withErrors: boolean): string | null {
  if (value === undefined || PRIVATE.has(name) || (!withErrors && ERRORS.has(name))) return null;
  return `${name}:${VALUES.has(name) ? JSON.stringify(value) : textOf(value, withErrors)}`;
}

/** As `JSON.stringify` with a function that leaves out members, which takes three times as long. */
function textOf(value: unknown, withErrors: boolean): string {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += `${textOf(item, withErrors)},`;
    return `[${text}]`;
  }
  if ('toJSON' in value) return JSON.stringify(value);
  for (const name in value) {
    const member = memberText(name, value[name as keyof typeof value], withErrors);
    if (member !== null) text += `${member},`;
  }
  return `{${text}}`;
}

/** Numbers texts: the same text has the same number. Configurations have most of their parts in common. */
export class Texts {
  private readonly numbers = new Map<string, number>();

  numberOf(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    const number = this.numbers.size;
    this.numbers.set(text, number);
    return number;
  }
}
