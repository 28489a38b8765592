/**
 * The states that a run entered: how many, and the last of them. A loop may enter a hundred million, so a run keeps only
 * what a report needs, and stored data does not grow with the length of the run.
 */

/** How many states are reported and stored. */
export const REPORTED_STATES = 1000;
/** How many states are kept: a power of two. */
const KEPT = 1024;

/** What a snapshot keeps: the last states by their numbers. */
export interface TrailImage {
  readonly total: number;
  readonly last: readonly number[];
}

export class Trail {
  private entries: Uint16Array | Uint32Array;
  private count = 0;

  constructor(private readonly states: number) {
    this.entries = this.allocate(16);
  }

  push(state: number): void {
    const { length } = this.entries;
    if (this.count === length && length < KEPT) {
      const larger = this.allocate(length * 2);
      larger.set(this.entries);
      this.entries = larger;
    }
    this.entries[this.count++ & (this.entries.length - 1)] = state;
  }

  get total(): number {
    return this.count;
  }

  get image(): TrailImage {
    const { entries, count } = this;
    const first = Math.max(0, count - REPORTED_STATES);
    const last = new Array<number>(count - first);
    for (let at = first; at < count; at++) last[at - first] = entries[at & (entries.length - 1)] as number;
    return { total: count, last };
  }

  restore({ total, last }: TrailImage): void {
    this.entries = this.allocate(KEPT);
    this.count = total - last.length;
    for (const state of last) this.push(state);
  }

  private allocate(length: number): Uint16Array | Uint32Array {
    return this.states <= 0x10000 ? new Uint16Array(length) : new Uint32Array(length);
  }
}
