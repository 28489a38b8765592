/**
 * A plan as a picture: its calls, its inputs and the approvals that it waits for. Several values from one call to
 * another become one edge.
 */
import type { Plan } from '../../machine/plan.js';
import { printPath } from '../../prelude/reference.js';
import type { Picture, PictureEdge, PictureNode, PictureRow } from '../picture/picture.js';
import { planGraph } from './plan-graph.js';

/** What a picture may have besides the plan itself. */
interface PlanPictureOptions {
  /** Keeps room for the value of each edge: a label ends with `ROOM_FOR_VALUE`. */
  readonly values?: boolean;
}

/** What is replaced by a value of the same length or a shorter one. */
export const ROOM_FOR_VALUE = '~'.repeat(18);

export function planPicture(plan: Plan, { values = false }: PlanPictureOptions = {}): Picture {
  const graph = planGraph(plan);
  if (graph.nodes.length === 0)
    return {
      nodes: [{ id: 'empty', kind: 'input', shape: 'pill', title: 'no calls', rows: [] }],
      edges: [],
      arrange: 'stack',
    };
  // Inputs come first, so that their edges lead down.
  const calls = graph.nodes.slice(0, plan.calls.length);
  const nodes = [...graph.nodes.slice(plan.calls.length), ...calls].map(({ id, label, kind }): PictureNode => {
    if (kind === 'call') return { id, kind, shape: 'card', title: label, rows: resultRows(plan, Number(id.slice(1))) };
    return { id, kind: kind === 'gate' ? 'question' : 'input', shape: 'pill', title: label, rows: [] };
  });
  const edges = new Map<string, PictureEdge & { labels: string[] }>();
  for (const { from, to, label } of graph.arrows) {
    const id = `${from} > ${to}`;
    const edge = edges.get(id) ?? { id, from, to, kind: 'main', labels: [] };
    edges.set(id, edge);
    // The path of an input names itself, so its edge needs no label.
    if (values) edge.labels.push(from.startsWith('s') ? ROOM_FOR_VALUE : `${label} ${ROOM_FOR_VALUE}`);
    else if (!from.startsWith('s')) edge.labels.push(label);
  }
  return { nodes, edges: [...edges.values()], arrange: 'flow' };
}

/** One row for each alternative of the result. */
function resultRows(plan: Plan, index: number): PictureRow[] {
  const arms = plan.calls[index]?.arms ?? [];
  return arms.map((paths, at) => {
    const written = paths.map((path) => `†${printPath(path)}`).join(' and ');
    return { kind: null, text: `${at === 0 ? '→' : 'or →'} ${written}`, depth: 0 };
  });
}
