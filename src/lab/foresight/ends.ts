/** The ends that runs come to, also those by LIMIT, each with a way to it that is confirmed if there is one. */
import type { Exploration, Trace } from './exploration.js';
import { traceOf } from './exploration.js';
import { type Edge, type Node, wayTo } from './explored-graph.js';
import { entriesIn } from './longest-ways.js';

/** An end that runs come to. */
export interface End {
  readonly status: 'returned' | 'failed';
  readonly state: string;
  readonly error: string | null;
  readonly trace: Trace;
}

export function endsOf(exploration: Exploration): End[] {
  const { nodes, machine, limitEnds } = exploration;
  const found = new Map<string, End>();
  const add = (end: Omit<End, 'trace'>, trace: () => Trace): void => {
    const key = JSON.stringify([end.status, end.state, end.error]);
    if (found.get(key)?.trace.isConfirmed === true) return;
    const made = trace();
    if (!found.has(key) || made.isConfirmed) found.set(key, { ...end, trace: made });
  };
  const { transitions = Number.POSITIVE_INFINITY, timeMs } = machine.limits;
  const fewest = Number.isFinite(transitions) ? leastWays(exploration, changesOn(exploration)) : null;
  const fastest = timeMs === undefined ? null : leastWays(exploration, ({ takesMs }) => takesMs);
  for (const { id, result } of nodes) {
    // No run comes to what is behind `LIMIT: transitions`.
    if (result === null || result.status === 'skipped' || (fewest?.costs[id] ?? 0) > transitions) continue;
    const { status, state, error } = result;
    const ways = [wayTo(nodes, id), ...[fewest, fastest].flatMap((least) => (least === null ? [] : [least.wayTo(id)]))];
    for (const way of ways) add({ status, state, error }, () => traceOf(exploration, way));
  }
  for (const edge of limitEnds.values()) {
    const { from } = edge;
    const { state } = nodes[from] as Node;
    if ((fewest?.costs[from] ?? 0) > transitions) continue;
    const ways = [
      wayTo(nodes, from),
      ...[fewest, fastest].flatMap((least) => (least === null ? [] : [least.wayTo(from)])),
    ];
    for (const way of ways)
      add({ status: 'failed', state, error: 'limit' }, () => traceOf(exploration, [...way, edge]));
  }
  for (const { state, trace } of tracesToLimit(exploration))
    add({ status: 'failed', state, error: 'limit' }, () => trace);
  return [...found.values()];
}

/** How often the state changes on an edge. The first state is entered without a change. */
function changesOn(exploration: Exploration): (edge: Edge) => number {
  const entries = entriesIn(exploration);
  return (edge) => entries(edge) - (edge.from < 0 ? 1 : 0);
}

interface LeastWays {
  /** By node. */
  readonly costs: Float64Array;
  readonly wayTo: (id: number) => Edge[];
}

/** The cheapest way to each node. */
function leastWays({ nodes, begins }: Exploration, costOf: (edge: Edge) => number): LeastWays {
  const costs = new Float64Array(nodes.length).fill(Number.POSITIVE_INFINITY);
  const by: (Edge | undefined)[] = nodes.map(() => undefined);
  let open: number[] = [];
  const follow = (edge: Edge, before: number): void => {
    const cost = before + costOf(edge);
    // A way of an infinite cost is a way, too.
    if (cost > (costs[edge.to] as number) || (cost === costs[edge.to] && by[edge.to] !== undefined)) return;
    costs[edge.to] = cost;
    by[edge.to] = edge;
    open.push(edge.to);
  };
  for (const edge of begins) follow(edge, 0);
  while (open.length > 0) {
    const now = [...new Set(open)];
    open = [];
    for (const id of now) for (const edge of (nodes[id] as Node).out) follow(edge, costs[id] as number);
  }
  return {
    costs,
    wayTo: (id) => {
      const edges: Edge[] = [];
      for (let edge = by[id]; edge !== undefined; edge = by[edge.from]) edges.push(edge);
      return edges.reverse();
    },
  };
}

/** So many configurations with their number of state changes are looked at. */
const MOST_COUNTED = 100_000;

/** Runs that `LIMIT: transitions` ends, one for each state in which it does. */
export function tracesToLimit(exploration: Exploration): { readonly state: string; readonly trace: Trace }[] {
  const { nodes, begins, sites, machine } = exploration;
  const { transitions } = machine.limits;
  if (transitions === undefined) return [];
  const changes = changesOn(exploration);
  /** The edges by which a node is reached after so many changes. */
  const known = new Map<string, { readonly id: number; readonly count: number; readonly way: Step }>();
  const crossed = new Map<string, Step>();
  const queue: { readonly id: number; readonly count: number; readonly way: Step }[] = [];
  /** An edge can change the state more than once. */
  const stateAfter = ({ from, counts }: Edge, made: number): string => {
    const entered = counts.flatMap((site) => (sites[site]?.kind === 'state' ? (sites[site]?.name as string) : []));
    return [...(from < 0 ? [] : [(nodes[from] as Node).state]), ...entered][made] ?? '';
  };
  const follow = (edge: Edge, before: number, way: Step | null): void => {
    const step: Step = { edge, before: way };
    const count = before + changes(edge);
    if (count > transitions) {
      const state = stateAfter(edge, transitions - before);
      if (!crossed.has(state)) crossed.set(state, step);
      return;
    }
    const key = `${edge.to} ${count}`;
    if (known.has(key) || known.size >= MOST_COUNTED) return;
    const next = { id: edge.to, count, way: step };
    known.set(key, next);
    queue.push(next);
  };
  for (const edge of begins) follow(edge, 0, null);
  for (const { id, count, way } of queue) for (const edge of (nodes[id] as Node).out) follow(edge, count, way);
  return [...crossed].map(([state, last]) => {
    const edges: Edge[] = [];
    for (let step: Step | null = last; step !== null; step = step.before) edges.push(step.edge);
    return { state, trace: traceOf(exploration, edges.reverse(), { toLimit: true }) };
  });
}

interface Step {
  readonly edge: Edge;
  readonly before: Step | null;
}
