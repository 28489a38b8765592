/** Collects what came of the plans that one call runs for the items of a list. */
import type { Json } from '../../../machine/expression.js';
import type { PlanOutcome } from '../scheduler/plan-outcome.js';

/** An outcome with the keys of the leaf calls that made it a failure. */
export interface BlamedOutcome {
  readonly outcome: PlanOutcome;
  readonly keys: readonly string[];
}

export class ItemResults {
  private readonly values: (Json | null)[];
  private open: number;
  /** Of several failures that of the first item, whichever came first. */
  private failure: (BlamedOutcome & { readonly item: number }) | null = null;

  constructor(count: number) {
    this.values = new Array<Json | null>(count).fill(null);
    this.open = count;
  }

  /** Takes the outcome of one item. Every item runs to its end, even after a failure: what it does cannot be undone. */
  add(item: number, { outcome, keys }: BlamedOutcome): void {
    this.open--;
    if (outcome.kind === 'result') this.values[item] = outcome.value;
    else if (this.failure === null || item < this.failure.item) this.failure = { item, outcome, keys };
  }

  /** The list of results in the order of the items, or the first failure; null while items run. */
  get outcome(): BlamedOutcome | null {
    if (this.open > 0) return null;
    if (this.failure === null) return { outcome: { kind: 'result', value: this.values as Json }, keys: [] };
    const { item, outcome, keys } = this.failure;
    const named = 'message' in outcome ? { ...outcome, message: `item ${item + 1}: ${outcome.message}` } : outcome;
    return { outcome: named, keys };
  }
}
