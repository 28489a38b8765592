/** The machine as a graph of states: an edge for every GOTO, and the states that are reachable along the edges. */
import type { LoweredJump, LoweredState } from '../lower/lowered-state.js';

export interface StateEdge {
  readonly from: number;
  readonly to: number;
  readonly jump: LoweredJump;
}

export interface StateGraph {
  /** Edges with a known target, by the state that they leave. */
  readonly out: readonly (readonly StateEdge[])[];
  /** The same edges, by the state that they enter. */
  readonly into: readonly (readonly StateEdge[])[];
  /** States with a GOTO to a target that only the run knows. It can lead to any state. */
  readonly anywhere: readonly boolean[];
}

export function stateGraph(states: readonly LoweredState[]): StateGraph {
  const index = new Map(states.map((s, at) => [s.state.name, at]));
  const into: StateEdge[][] = states.map(() => []);
  const out = states.map((state, from) =>
    state.jumps.flatMap((jump) => {
      const to = jump.target === null ? undefined : index.get(jump.target);
      if (to === undefined) return [];
      const edge = { from, to, jump };
      into[to]?.push(edge);
      return [edge];
    }),
  );
  return { out, into, anywhere: states.map((s) => s.jumps.some((jump) => jump.target === null)) };
}

/**
 * The successors of each node, for walks. A GOTO with an unknown target leads to an extra node after the states, which
 * leads to all states: direct edges from every such GOTO would grow with the square of the program.
 */
function successors(graph: StateGraph): number[][] {
  const hub = graph.out.length;
  const next = graph.out.map((edges, at) => {
    const to = edges.map((edge) => edge.to);
    if (graph.anywhere[at]) to.push(hub);
    return to;
  });
  return [...next, graph.out.map((_, at) => at)];
}

/** The states that are reachable from `roots`. */
export function reachableStates(graph: StateGraph, roots: readonly number[]): boolean[] {
  const next = successors(graph);
  const seen = next.map(() => false);
  const work = [...roots];
  for (const root of work) seen[root] = true;
  while (work.length > 0) {
    for (const to of next[work.pop() as number] ?? []) {
      if (seen[to]) continue;
      seen[to] = true;
      work.push(to);
    }
  }
  return seen;
}

/** Whether a run that begins in state 0 can reach `state` without entering `other`. */
export function reachesWithout(graph: StateGraph): (state: number, other: number) => boolean {
  const { isReached, dominates } = dominators(successors(graph), 0);
  return (state, other) => isReached(state) && !dominates(other, state);
}

interface Dominators {
  /** Whether a path leads from the root to the node. */
  readonly isReached: (node: number) => boolean;
  /** Whether every path from the root to `node` passes through `by`. Every node dominates itself. */
  readonly dominates: (by: number, node: number) => boolean;
}

/** A depth-first walk. Nodes are numbered from 0 in the order of the visits. */
interface GraphWalk {
  /** The number of each node; -1 if the walk did not reach it. */
  readonly numbers: Int32Array;
  /** The number of each node's parent in the walk. */
  readonly parents: number[];
  /** The numbers of all predecessors of each node. */
  readonly before: number[][];
}

function walk(successors: readonly (readonly number[])[], root: number): GraphWalk {
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

/** The ancestors so far, with the best semidominator on the path to them. */
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

  /** The node with the smallest semidominator between `node` and its root. Compresses the path for the next call. */
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

/** The immediate dominator of each number of a walk. The root is its own. */
function immediateDominators({ parents, before }: GraphWalk): Int32Array {
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

/**
 * Dominators: the nodes that are on every path to a node. Uses the algorithm of Lengauer and Tarjan, which takes nearly
 * linear time, because a program may have tens of thousands of states.
 */
export function dominators(successors: readonly (readonly number[])[], root: number): Dominators {
  const found = walk(successors, root);
  const closest = immediateDominators(found);
  // The numbers of a walk over the dominator tree: a node dominates exactly the nodes between its `enter` and `leave`.
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
