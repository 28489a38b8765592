/** The machine as a graph of states: an edge for every GOTO, and what can be reached along them. */

import type { LoweredJump, LoweredState } from '../lower/lowered-state.js';
import { dominators } from './dominators.js';

export interface Edge {
  readonly from: number;
  readonly to: number;
  readonly jump: LoweredJump;
}

export interface StateGraph {
  /** Edges to states that are known, by the state they leave. */
  readonly out: readonly (readonly Edge[])[];
  /** The same edges by the state they enter. */
  readonly into: readonly (readonly Edge[])[];
  /** States with a GOTO whose target only the run knows: it can lead anywhere. */
  readonly anywhere: readonly boolean[];
}

export function stateGraph(states: readonly LoweredState[]): StateGraph {
  const index = new Map(states.map((s, at) => [s.state.name, at]));
  const into: Edge[][] = states.map(() => []);
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
 * The nodes that follow each node, for walks. A GOTO to anywhere goes through one extra node after the states,
 * since an edge to every state from every such GOTO would be the square of the program.
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

/** Which states can be reached from `roots`. */
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

/** Tells whether a run that begins in state 0 can come to `state` without having been in `other`. */
export function reachesWithout(graph: StateGraph): (state: number, other: number) => boolean {
  const { isReached, dominates } = dominators(successors(graph), 0);
  return (state, other) => isReached(state) && !dominates(other, state);
}
