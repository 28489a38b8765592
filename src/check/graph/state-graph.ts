/** The machine as a graph of states: an edge for every GOTO, and the states that are reachable along the edges. */

import type { LoweredJump, LoweredState } from '../lower/lowered-state.js';
import { dominators } from './dominators.js';

export interface Edge {
  readonly from: number;
  readonly to: number;
  readonly jump: LoweredJump;
}

export interface StateGraph {
  /** Edges with a known target, by the state that they leave. */
  readonly out: readonly (readonly Edge[])[];
  /** The same edges, by the state that they enter. */
  readonly into: readonly (readonly Edge[])[];
  /** States with a GOTO to a target that only the run knows. It can lead to any state. */
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
