/** Calls that are ready, the first of the plan on top. */
export class CallHeap<T = number> {
  private readonly items: T[] = [];

  /** `before`: whether one comes before another. */
  constructor(private readonly before: (a: T, b: T) => boolean = (a, b) => a < b) {}

  get size(): number {
    return this.items.length;
  }

  push(call: T): void {
    const { items, before } = this;
    let at = items.length;
    items.push(call);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(call, items[parent] as T)) break;
      items[at] = items[parent] as T;
      at = parent;
    }
    items[at] = call;
  }

  pop(): T | undefined {
    const { items, before } = this;
    const top = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && before(items[child + 1] as T, items[child] as T)) child++;
      if (!before(items[child] as T, last)) break;
      items[at] = items[child] as T;
      at = child;
    }
    items[at] = last;
    return top;
  }
}
