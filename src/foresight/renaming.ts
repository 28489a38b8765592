/**
 * Numbers unknown values in the order in which they appear, so that configurations that differ only in these numbers are
 * equal.
 */
import { CHANGES } from './unknown/changed-objects.js';
import type { Facts } from './unknown/facts.js';
import { type Expression, idsIn, type Knowledge, markOf, replaceMarks, type Unknown } from './unknown/knowledge.js';

/** Expressions are never changed, and many configurations share them. */
const mentioned = new WeakMap<Expression, readonly number[]>();

/** The unknown values that an expression mentions. */
function idsOf(made: Expression): readonly number[] {
  let ids = mentioned.get(made);
  if (ids === undefined) {
    ids = made.args.flatMap(idsIn);
    mentioned.set(made, ids);
  }
  return ids;
}

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
      if (made !== null && CHANGES.has(made.op)) for (const part of idsOf(made)) this.add(part);
    }
  }

  /** What can be computed again from values that are still there keeps its facts. */
  addDerived(): void {
    const { order } = this;
    const derived: (readonly [id: number, from: readonly number[]])[] = [];
    for (const [id, { made }] of this.knowledge.unknowns) {
      if (made === null || order.has(id)) continue;
      const from = idsOf(made);
      if (from.length > 0) derived.push([id, from]);
    }
    for (let isGrowing = derived.length > 0; isGrowing; ) {
      isGrowing = false;
      for (const [id, from] of derived) {
        if (order.has(id) || !from.every((one) => order.has(one))) continue;
        this.add(id);
        isGrowing = true;
      }
    }
  }

  /** The values with their new numbers, and all that is known of them as text. */
  rename(): { readonly unknowns: Map<number, Unknown>; readonly text: string } {
    const unknowns = new Map<number, Unknown>();
    const texts: string[] = [];
    for (const [id, to] of this.order) {
      const unknown = this.renameOne(this.knowledge.of(id));
      unknowns.set(to, unknown);
      texts.push(JSON.stringify([unknown.made, unknown.facts]));
    }
    return { unknowns, text: texts.join('\n') };
  }

  private renameOne({ made, label, facts }: Unknown): Unknown {
    // A value whose origin is gone is as good as one that the world gave.
    const isKept = made?.args.every((text) => this.keeps(text)) === true;
    return {
      made: made !== null && isKept ? { op: made.op, args: made.args.map((text) => this.rewrite(text)) } : null,
      label,
      facts: facts.answers === undefined ? facts : this.renameFacts(facts, facts.answers),
    };
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
    return idsIn(text).every((id) => this.order.has(id));
  }

  private rewrite(text: string): string {
    return replaceMarks(text, (id) => markOf(this.order.get(id) ?? -1));
  }
}
