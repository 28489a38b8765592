/** Which edges of a picture a run has taken, and how often: transitions by the names of their states become edges by their ids. */
import type { Machine } from '../../machine/machine.js';
import type { TakenEdge } from '../../views/history/edge-counts.js';
import type { DrawnEdge } from '../../views/picture/drawing.js';

/** Begins the ids of nodes and edges in the picture of a program with one machine. */
export const LEAD = 'm0';

/** Counts by the ids of edges. A transition that no edge shows is left out. */
export function takenEdges(
  machine: Machine,
  taken: readonly TakenEdge[],
  edges: readonly DrawnEdge[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const indexes = new Map(machine.states.map(({ name }, index) => [name, index]));
  const add = (id: string, count: number): void => void counts.set(id, (counts.get(id) ?? 0) + count);
  for (const { from, to, afterFailure, count } of taken) {
    const target = to === null ? `${LEAD} ${afterFailure ? 'failure' : 'end'}` : `${LEAD} state ${indexes.get(to)}`;
    if (from === null) {
      add(`${LEAD} start`, count);
      continue;
    }
    const source = `${LEAD} state ${indexes.get(from)}`;
    const between = edges.filter(({ edge }) => edge.from === source && edge.to === target);
    const wanted = between.find(({ edge }) => (edge.kind === 'failure') === afterFailure) ?? between[0];
    if (wanted !== undefined) add(wanted.edge.id, count);
    else if (afterFailure) add(`${LEAD} failures`, count);
  }
  return counts;
}
