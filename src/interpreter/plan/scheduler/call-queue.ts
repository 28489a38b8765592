/** A priority queue of calls, for those that are ready. */

/** The line drops what was taken from it once that is more than this, and more than half of the line. */
const LEAST_TO_DROP = 64;

/**
 * The first call of the plan comes out first. Most calls are added in that order and only stand in
 * line, which costs no comparison; those that are added after their turn go to a binary heap next to the line.
 */
export class CallQueue<T = number> {
  private line: T[] = [];
  /** How many of the line were taken already. */
  private taken = 0;
  private readonly heap: T[] = [];

  /** `before`: whether one comes before another. */
  constructor(private readonly before: (a: T, b: T) => boolean = (a, b) => a < b) {}

  get size(): number {
    return this.line.length - this.taken + this.heap.length;
  }

  push(call: T): void {
    const { line } = this;
    if (this.taken === line.length || !this.before(call, line[line.length - 1] as T)) line.push(call);
    else this.pushToHeap(call);
  }

  pop(): T | undefined {
    const { line, heap, taken } = this;
    const isLineEmpty = taken === line.length;
    if (heap.length > 0 && (isLineEmpty || this.before(heap[0] as T, line[taken] as T))) return this.popFromHeap();
    if (isLineEmpty) return undefined;
    const call = line[taken] as T;
    this.taken++;
    // A line that is never empty would otherwise grow for as long as the plan runs.
    if (this.taken > LEAST_TO_DROP && this.taken * 2 > line.length) {
      this.line = line.slice(this.taken);
      this.taken = 0;
    }
    return call;
  }

  private pushToHeap(call: T): void {
    const { heap, before } = this;
    let at = heap.length;
    heap.push(call);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(call, heap[parent] as T)) break;
      heap[at] = heap[parent] as T;
      at = parent;
    }
    heap[at] = call;
  }

  private popFromHeap(): T | undefined {
    const { heap, before } = this;
    const top = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1] as T, heap[child] as T)) child++;
      if (!before(heap[child] as T, last)) break;
      heap[at] = heap[child] as T;
      at = child;
    }
    heap[at] = last;
    return top;
  }
}
