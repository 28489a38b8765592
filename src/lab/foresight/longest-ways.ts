/** The longest ways through the graph of configurations: how often something happens at most, also within a limit of state changes. */
import type { Exploration } from './exploration.js';
import { componentsOf, type Edge, type Node } from './explored-graph.js';

export type ExploredPart = Pick<Exploration, 'nodes' | 'begins' | 'sites'>;

/** Edges of a graph, those with the earlier ends first. */
interface Ordered {
  readonly edges: readonly Edge[];
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly components: Int32Array;
}

/** The components of the edges that `follows` accepts. Among those, the ends of edges come before their beginnings. */
export function orderOf({ nodes }: ExploredPart, follows: (edge: Edge) => boolean = () => true): Ordered {
  const components = componentsOf(nodes, follows);
  // Edges never lead to a larger component.
  const members: Node[][] = [];
  for (const node of nodes) {
    const own = components[node.id] as number;
    const known = members[own];
    if (known === undefined) members[own] = [node];
    else known.push(node);
  }
  const edges: Edge[] = [];
  for (const component of members) for (const { out } of component) for (const edge of out) edges.push(edge);
  const from = Int32Array.from(edges, (edge) => components[edge.from] as number);
  const to = Int32Array.from(edges, (edge) => components[edge.to] as number);
  return { edges, from, to, components };
}

/** The largest sum of weights on a way from the start; infinite where a cycle has one. `weights`: by edge, not negative. */
export function largestSum(
  { begins }: ExploredPart,
  { edges, from, to, components }: Ordered,
  weights: ArrayLike<number>,
  weightOf: (edge: Edge) => number,
): number {
  const best = new Float64Array(components.length);
  for (let at = 0; at < edges.length; at++) {
    const [own, end, weight] = [from[at] as number, to[at] as number, weights[at] as number];
    const most = end === own ? (weight > 0 ? Number.POSITIVE_INFINITY : 0) : weight + (best[end] as number);
    if (most > (best[own] as number)) best[own] = most;
  }
  return Math.max(0, ...begins.map((edge) => weightOf(edge) + (best[components[edge.to] as number] as number)));
}

/** The number for each counted site; infinite where a cycle counts it. */
export function longestWays(graph: ExploredPart, ordered: Ordered): number[] {
  const countedBy: (readonly [edge: number, times: number])[][] = graph.sites.map(() => []);
  for (const [at, { counts }] of ordered.edges.entries())
    counts.forEach((site, index) => {
      if (counts.indexOf(site) === index) countedBy[site]?.push([at, timesIn(counts, site)]);
    });
  const counted = new Int32Array(ordered.edges.length);
  return graph.sites.map((_, site) => {
    for (const [at, times] of countedBy[site] ?? []) counted[at] = times;
    const most = largestSum(graph, ordered, counted, ({ counts }) => timesIn(counts, site));
    for (const [at] of countedBy[site] ?? []) counted[at] = 0;
    return most;
  });
}

function timesIn(counts: readonly number[], site: number): number {
  let found = 0;
  for (const one of counts) if (one === site) found++;
  return found;
}

// ---- with a limit of state changes --------------------------------------------------------------------

/** Layers times edges, beyond which a graph is not gone through. */
const MOST_WORK = 20_000_000;
const MOST_NUMBERS = 5_000_000;

/** What counts for an edge. */
interface Weight {
  readonly of: (edge: Edge) => number;
  /** What counts of an edge before the state change after these many is refused. */
  readonly before: (edge: Edge, changes: number) => number;
}

/** The largest sums of weights in runs with at most `limit` state changes; null: the graph is too large for that. */
export function largestWithin(graph: ExploredPart, limit: number, weights: readonly Weight[]): number[] | null {
  const { nodes, begins } = graph;
  const edgeCount = nodes.reduce((sum, { out }) => sum + out.length, 0);
  if (edgeCount * (limit + 1) * weights.length > MOST_WORK || nodes.length * (limit + 1) > MOST_NUMBERS) return null;
  const changesIn = entriesIn(graph);
  const ordered = orderOf(graph, (edge) => changesIn(edge) === 0);
  const { edges, from, to, components } = ordered;
  const changed = Int32Array.from(edges, changesIn);
  const mostChanges = changed.reduce((most, one) => Math.max(most, one), 0);
  return weights.map((weight) => {
    const own = Float64Array.from(edges, weight.of);
    /** By state changes that are left. */
    const layers: Float64Array[] = [];
    let equal = 0;
    // A layer depends on as many layers before it as an edge has changes. Once these are equal, all that follow are.
    for (let left = 0; left <= limit && (equal < mostChanges || left <= mostChanges); left++) {
      const best = new Float64Array(components.length);
      layers.push(best);
      for (let at = 0; at < edges.length; at++) {
        const [start, end, changes] = [from[at] as number, to[at] as number, changed[at] as number];
        const amount = own[at] as number;
        let most: number;
        if (changes > left) most = weight.before(edges[at] as Edge, left);
        else if (changes > 0) most = amount + (layers[left - changes]?.[end] as number);
        else most = end === start ? (amount > 0 ? Number.POSITIVE_INFINITY : 0) : amount + (best[end] as number);
        if (most > (best[start] as number)) best[start] = most;
      }
      equal = isEqual(best, layers[left - 1]) ? equal + 1 : 0;
    }
    const layerOf = (left: number): Float64Array => layers[Math.min(left, layers.length - 1)] as Float64Array;
    const first = (edge: Edge): number => {
      // The first state is entered without a change.
      const changes = Math.max(0, changesIn(edge) - 1);
      if (changes > limit) return weight.before(edge, limit + 1);
      return weight.of(edge) + (layerOf(limit - changes)[components[edge.to] as number] as number);
    };
    return Math.max(0, ...begins.map(first));
  });
}

const isEqual = (one: Float64Array, other: Float64Array | undefined): boolean =>
  other !== undefined && one.every((number, at) => number === other[at]);

/** How often states are entered on an edge. */
export function entriesIn({ sites }: ExploredPart): (edge: Edge) => number {
  const isState = sites.map(({ kind }) => kind === 'state');
  return ({ counts }) => counts.filter((site) => isState[site]).length;
}

/** The number for each counted site, as above. */
export function waysWithin(graph: ExploredPart, limit: number): number[] | null {
  const { sites } = graph;
  const weightOf = (_: unknown, site: number): Weight => ({
    of: ({ counts }) => timesIn(counts, site),
    before: ({ counts }, changes) => {
      let [left, found] = [changes, 0];
      for (const one of counts) {
        if (sites[one]?.kind === 'state' && left-- === 0) break;
        if (one === site) found++;
      }
      return found;
    },
  });
  return largestWithin(graph, limit, sites.map(weightOf));
}
