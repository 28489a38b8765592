/**
 * Numbers unknown values in the order in which they appear, so that configurations that differ only in these numbers are
 * equal.
 */
import { CHANGES } from './unknown/changed-objects.js';
import type { Facts } from './unknown/facts.js';
import { type Expression, idsIn, type Knowledge, markOf, replaceMarks, type Unknown } from './unknown/knowledge.js';

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
  private renameExpression({ op, args, ids }: Expression): Expression | null {
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
