/** Calls that are ready, the first of the plan on top. */
export class CallHeap {
  private readonly items: number[] = [];

  get size(): number {
    return this.items.length;
  }

  push(call: number): void {
    const { items } = this;
    let at = items.length;
    items.push(call);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((items[parent] as number) <= call) break;
      items[at] = items[parent] as number;
      at = parent;
    }
    items[at] = call;
  }

  pop(): number | undefined {
    const { items } = this;
    const top = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && (items[child + 1] as number) < (items[child] as number)) child++;
      if ((items[child] as number) >= last) break;
      items[at] = items[child] as number;
      at = child;
    }
    items[at] = last;
    return top;
  }
}
