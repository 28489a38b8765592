/** Points from which no run ends. */
import { type Defect, locationOfState } from './defect.js';
import { componentsOf, type Edge, type Node, wayTo } from './graph.js';
import type { Exploration } from './trace.js';

export function noEnd(exploration: Exploration, endless: readonly Defect[]): Defect[] {
  const { nodes, machine } = exploration;
  const ends = nodesThatEnd(exploration);
  const stuck = nodes.find(({ id }) => !ends.has(id));
  if (stuck === undefined) return [];
  // A loop that is reported already says more.
  if (endless.some(({ edges, severity }) => severity === 'error' && edges?.some(({ to }) => !ends.has(to)))) return [];
  return [
    {
      kind: 'no-end',
      severity: 'error',
      ...locationOfState(machine, stuck.state),
      message: `from state \`${stuck.state}\` on, the run may come to a point from which it cannot end`,
      help: 'add a way to RETURN',
      edges: wayTo(nodes, stuck.id),
      cycle: 0,
    },
  ];
}

/** A point from which no run ends, and from which a run may continue without an end by LIMIT. */
export function stuckIn(exploration: Exploration): Node | undefined {
  const { nodes } = exploration;
  const ends = nodesThatEnd(exploration);
  const stuck = nodes.filter(({ id }) => !ends.has(id));
  const unlimited = nodesThatReach(nodes, unlimitedAmong(exploration, stuck));
  return stuck.find(({ id }) => unlimited.has(id));
}

/** The nodes where nothing happens anymore, and those of cycles that LIMIT does not end. */
function unlimitedAmong({ machine, nodes, sites }: Exploration, among: readonly Node[]): number[] {
  const { transitions, timeMs } = machine.limits;
  const entersState = (edge: Edge): boolean => edge.counts.some((site) => sites[site]?.kind === 'state');
  const follows = (edge: Edge): boolean => transitions === undefined || !entersState(edge);
  const component = componentsOf(nodes, follows);
  const isInside = (edge: Edge): boolean => follows(edge) && component[edge.from] === component[edge.to];
  // The time in which a run waits for a person may not count.
  const repeats = (edge: Edge): boolean => isInside(edge) && (timeMs === undefined || edge.isOutside);
  return among.flatMap(({ id, out }) => (out.length === 0 || out.some(repeats) ? [id] : []));
}

function nodesThatEnd({ nodes }: Exploration): ReadonlySet<number> {
  const ends = nodes.flatMap(({ id, result, isExpanded }) => (result !== null || !isExpanded ? [id] : []));
  return nodesThatReach(nodes, ends);
}

function nodesThatReach(nodes: readonly Node[], ends: readonly number[]): ReadonlySet<number> {
  const before: number[][] = nodes.map(() => []);
  for (const { out } of nodes) for (const { from, to } of out) before[to]?.push(from);
  const found = new Set(ends);
  for (const end of found) for (const from of before[end] ?? []) found.add(from);
  return found;
}
