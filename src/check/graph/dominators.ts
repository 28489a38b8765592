/**
 * Which nodes of a graph lie on every way to a node. The method is that of Lengauer and Tarjan, which stays close
 * to linear: a program may have tens of thousands of states, and each is asked about.
 */

interface Dominators {
  /** Whether some way leads from the root to the node. */
  readonly isReached: (node: number) => boolean;
  /** Whether every way from the root to `node` passes through `by`; every node dominates itself. */
  readonly dominates: (by: number, node: number) => boolean;
}

/** A depth-first walk: nodes are numbered from 0 in the order in which they are met. */
interface Walk {
  /** The number of each node, -1 where the walk did not come. */
  readonly numbers: Int32Array;
  /** Numbers of the nodes they were met from. */
  readonly parents: number[];
  /** Numbers of all nodes with an edge to them. */
  readonly before: number[][];
}

function walk(successors: readonly (readonly number[])[], root: number): Walk {
  const numbers = new Int32Array(successors.length).fill(-1);
  const parents: number[] = [];
  const before: number[][] = [];
  const work: [node: number, from: number][] = [[root, 0]];
  while (work.length > 0) {
    const [node, from] = work.pop() as [number, number];
    if (numbers[node] === -1) {
      const number = parents.length;
      numbers[node] = number;
      parents.push(from);
      before.push([]);
      for (const next of successors[node] as readonly number[]) work.push([next, number]);
    }
    before[numbers[node] as number]?.push(from);
  }
  return { numbers, parents, before };
}

/** Ancestors that are known so far, with the best semidominator on the way up to them. */
class Forest {
  private readonly ancestor: Int32Array;
  private readonly best: Int32Array;

  constructor(private readonly semi: Int32Array) {
    this.ancestor = new Int32Array(semi.length).fill(-1);
    this.best = Int32Array.from(semi.keys());
  }

  link(parent: number, node: number): void {
    this.ancestor[node] = parent;
  }

  /** The node with the smallest semidominator between `node` and its root; shortens the way for the next question. */
  evaluate(node: number): number {
    const { ancestor, best, semi } = this;
    const path: number[] = [];
    let at = node;
    while (ancestor[at] !== -1 && ancestor[ancestor[at] as number] !== -1) {
      path.push(at);
      at = ancestor[at] as number;
    }
    for (const below of path.reverse()) {
      const above = ancestor[below] as number;
      if ((semi[best[above] as number] as number) < (semi[best[below] as number] as number))
        best[below] = best[above] as number;
      ancestor[below] = ancestor[above] as number;
    }
    return best[node] as number;
  }
}

/** The closest dominator of every number of a walk; that of the root is itself. */
function immediateDominators({ parents, before }: Walk): Int32Array {
  const count = parents.length;
  const semi = Int32Array.from({ length: count }, (_, number) => number);
  const forest = new Forest(semi);
  const closest = new Int32Array(count);
  const waiting: number[][] = Array.from({ length: count }, () => []);
  for (let w = count - 1; w > 0; w--) {
    for (const v of before[w] as number[]) semi[w] = Math.min(semi[w] as number, semi[forest.evaluate(v)] as number);
    waiting[semi[w] as number]?.push(w);
    const parent = parents[w] as number;
    forest.link(parent, w);
    for (const v of (waiting[parent] as number[]).splice(0)) {
      const u = forest.evaluate(v);
      closest[v] = (semi[u] as number) < (semi[v] as number) ? u : parent;
    }
  }
  for (let w = 1; w < count; w++) if (closest[w] !== semi[w]) closest[w] = closest[closest[w] as number] as number;
  return closest;
}

export function dominators(successors: readonly (readonly number[])[], root: number): Dominators {
  const found = walk(successors, root);
  const closest = immediateDominators(found);
  // Numbers of a second walk, along the tree of dominators: what a node dominates lies between `enter` and `leave`.
  const below: number[][] = Array.from(closest, () => []);
  for (let w = 1; w < closest.length; w++) below[closest[w] as number]?.push(w);
  const enter = new Int32Array(closest.length);
  const leave = new Int32Array(closest.length);
  let clock = 0;
  const work = [0];
  while (work.length > 0) {
    const at = work.pop() as number;
    if (at < 0) leave[~at] = clock;
    else {
      enter[at] = clock++;
      work.push(~at);
      for (const child of below[at] as number[]) work.push(child);
    }
  }
  const { numbers } = found;
  return {
    isReached: (node) => numbers[node] !== -1,
    dominates: (by, node) => {
      const [a, b] = [numbers[by] as number, numbers[node] as number];
      return (
        a >= 0 && b >= 0 && (enter[a] as number) <= (enter[b] as number) && (enter[b] as number) < (leave[a] as number)
      );
    },
  };
}
