/** How often a run took each transition. Built from the events one by one; what a resume discards was taken all the same. */
import type { Recorded } from '../../runtime/record/record-facts.js';

/** A transition that was taken; `from` is null for the start of the run, and `to` for its end. */
export interface TakenEdge {
  readonly from: string | null;
  readonly to: string | null;
  /** After a failure: into an ON ERROR and out of it, into the state ERROR, or the end as failed. */
  readonly afterFailure: boolean;
  count: number;
}

export class EdgeCounts {
  private readonly edges = new Map<string, TakenEdge>();
  /** The edge that was last taken from each state: a loop takes the same ones again and again. */
  private readonly latest = new Map<string | null, TakenEdge>();
  private readonly entries = new Map<string, number>();
  private state: string | null = null;
  private hasFailed = false;

  take({ event }: Recorded): void {
    switch (event.type) {
      case 'state_entered':
        this.count(event.state);
        this.entries.set(event.state, (this.entries.get(event.state) ?? 0) + 1);
        this.state = event.state;
        return;
      case 'instruction_failed':
        if (event.thread === '' && event.kept !== true) this.hasFailed = true;
        return;
      case 'run_resumed':
        this.hasFailed = false;
        return;
      case 'run_returned':
        return this.count(null);
      case 'run_failed':
        this.hasFailed = true;
        return this.count(null);
      default:
    }
  }

  /** How many transitions and states it has. */
  get size(): number {
    return this.edges.size + this.entries.size;
  }

  copy(): EdgeCounts {
    const copy = new EdgeCounts();
    for (const [key, edge] of this.edges) copy.edges.set(key, { ...edge });
    for (const [state, count] of this.entries) copy.entries.set(state, count);
    [copy.state, copy.hasFailed] = [this.state, this.hasFailed];
    return copy;
  }

  get all(): readonly TakenEdge[] {
    return [...this.edges.values()];
  }

  /** How often a state was entered. */
  entriesOf(state: string): number {
    return this.entries.get(state) ?? 0;
  }

  private count(to: string | null): void {
    const { state: from, hasFailed: afterFailure } = this;
    this.hasFailed = false;
    const latest = this.latest.get(from);
    if (latest?.to === to && latest.afterFailure === afterFailure) {
      latest.count++;
      return;
    }
    const key = JSON.stringify([from, to, afterFailure]);
    const edge = this.edges.get(key) ?? { from, to, afterFailure, count: 0 };
    edge.count++;
    this.edges.set(key, edge);
    this.latest.set(from, edge);
  }
}
