/** Strongly connected components of a graph: the parts in which cycles are. Tarjan's walk, without recursion. */

/** Components with their nodes in ascending order. Successors that are not in `nodes` are ignored. */
export function components(successors: readonly (readonly number[])[], leftOut: (node: number) => boolean): number[][] {
  const count = successors.length;
  const number = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const isOpen = new Uint8Array(count);
  const open: number[] = [];
  const found: number[][] = [];
  let clock = 0;
  const work: { readonly node: number; next: number }[] = [];
  const enter = (node: number): void => {
    number[node] = clock;
    low[node] = clock++;
    isOpen[node] = 1;
    open.push(node);
    work.push({ node, next: 0 });
  };
  const close = (node: number): void => {
    const nodes: number[] = [];
    let last: number;
    do {
      last = open.pop() as number;
      isOpen[last] = 0;
      nodes.push(last);
    } while (last !== node);
    found.push(nodes.sort((a, b) => a - b));
  };
  for (let root = 0; root < count; root++) {
    if (number[root] !== -1 || leftOut(root)) continue;
    enter(root);
    while (work.length > 0) {
      const at = work[work.length - 1] as (typeof work)[number];
      const to = successors[at.node]?.[at.next++];
      if (to === undefined) {
        work.pop();
        const outer = work[work.length - 1]?.node;
        if (outer !== undefined) low[outer] = Math.min(low[outer] as number, low[at.node] as number);
        if (low[at.node] === number[at.node]) close(at.node);
      } else if (leftOut(to)) continue;
      else if (number[to] === -1) enter(to);
      else if (isOpen[to]) low[at.node] = Math.min(low[at.node] as number, number[to] as number);
    }
  }
  return found;
}
