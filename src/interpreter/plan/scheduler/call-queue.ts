/**
 * Calls that are ready, the first of the plan on top. Most become ready in the order of the plan: they only stand in
 * line. Those that come behind their turn are in a heap beside it.
 */
const CUT = 64;

export class CallQueue<T = number> {
  private line: T[] = [];
  /** How many of the line are gone. */
  private gone = 0;
  private readonly heap: T[] = [];

  /** `before`: whether one comes before another. */
  constructor(private readonly before: (a: T, b: T) => boolean = (a, b) => a < b) {}

  get size(): number {
    return this.line.length - this.gone + this.heap.length;
  }

  push(call: T): void {
    const { line } = this;
    if (this.gone === line.length || !this.before(call, line[line.length - 1] as T)) line.push(call);
    else this.raise(call);
  }

  pop(): T | undefined {
    const { line, heap, gone } = this;
    if (heap.length > 0 && (gone === line.length || this.before(heap[0] as T, line[gone] as T))) return this.sink();
    if (gone === line.length) return undefined;
    const call = line[gone] as T;
    this.gone++;
    // Cut off now and then, so that a line that is never empty does not grow for ever.
    if (this.gone > CUT && this.gone * 2 > line.length) {
      this.line = line.slice(this.gone);
      this.gone = 0;
    }
    return call;
  }

  private raise(call: T): void {
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

  private sink(): T | undefined {
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
