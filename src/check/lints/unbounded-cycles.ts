/**
 * Reports cycles of states that nothing bounds. A cycle is bounded if it waits, or by a counter: every round changes
 * the counter in one direction, and passes a test that allows another round only until the counter is far enough. For
 * each counter, the check therefore removes first its changes and then its tests from a component. A cycle that remains
 * after either removal avoids the counter. A cycle that remains for all counters is unbounded.
 */
import { components } from '../graph/components.js';
import type { StateGraph } from '../graph/state-graph.js';
import { type Way, type Ways, waysThrough } from '../graph/ways.js';
import type { LoweredState } from '../lower/lowered-state.js';
import { Bounds } from './cycle-bounds.js';

interface UnboundedCycle {
  /** The states in the order of entry. */
  readonly states: readonly number[];
  /** The instruction that closes the cycle. */
  readonly from: { readonly state: number; readonly pc: number };
  /** The reason why the existing counters do not bound the cycle. */
  readonly why: readonly string[];
}

/**
 * The maximum number of paths examined in one component, counted for each counter. The cycles of larger components
 * count as bounded.
 */
const MOST_WAYS = 300_000;

/** The maximum number of reported cycles per machine. */
const MOST_CYCLES = 20;

/** The maximum number of states of one part from which its shortest cycle is searched. */
const MOST_STARTS = 200;

/** Unbounded cycles, shortest first. None contains all states of another one. */
export function unboundedCycles(states: readonly LoweredState[], graph: StateGraph): UnboundedCycle[] {
  const error = states.findIndex(({ state }) => state.name === 'ERROR' && state.builtin !== true);
  const targets = graph.out.map((edges, at) => {
    const to = edges.filter((edge) => !edge.jump.dead).map((edge) => edge.to);
    return error < 0 || at === error ? to : [...to, error];
  });
  const found: UnboundedCycle[] = [];
  for (const inside of components(targets, () => false)) {
    const [only] = inside as [number];
    if (inside.length === 1 && !targets[only]?.includes(only)) continue;
    const ways = waysThrough(states, inside, error);
    found.push(...new Search(states, ways).cycles());
  }
  return withoutLarger(found).slice(0, MOST_CYCLES);
}

class Search {
  private readonly bounds: Bounds;
  private looked = 0;

  constructor(
    states: readonly LoweredState[],
    private readonly ways: Ways,
  ) {
    this.bounds = new Bounds(states, ways);
  }

  cycles(): UnboundedCycle[] {
    return this.survivors(this.ways.out.flat()).flatMap((part) => this.shortestCycles(part));
  }

  /** The strongly connected parts of `ways` that no counter bounds. */
  private survivors(ways: readonly Way[]): Way[][] {
    const found: Way[][] = [];
    for (const part of this.connectedParts(ways)) {
      this.looked += part.length;
      if (this.looked > MOST_WAYS) return found;
      const bound = this.bounds.boundingWays(part);
      if (bound === null) found.push(part);
      else for (const without of bound) found.push(...this.survivors(part.filter((way) => !without.has(way))));
    }
    return found;
  }

  private connectedParts(ways: readonly Way[]): Way[][] {
    const next: number[][] = this.ways.nodes.map(() => []);
    for (const { from, to } of ways) next[from]?.push(to);
    const partOf = new Map<number, number>();
    const touched = new Set(ways.flatMap(({ from, to }) => [from, to]));
    components(next, (node) => !touched.has(node)).forEach((nodes, part) => {
      for (const node of nodes) partOf.set(node, part);
    });
    const parts = new Map<number, Way[]>();
    for (const way of ways) {
      const part = partOf.get(way.from) as number;
      if (part !== partOf.get(way.to)) continue;
      const list = parts.get(part);
      if (list === undefined) parts.set(part, [way]);
      else list.push(way);
    }
    return [...parts.values()];
  }

  /** The shortest cycle through each state of a part. */
  private shortestCycles(part: readonly Way[]): UnboundedCycle[] {
    const out = new Map<number, Way[]>();
    for (const way of part) out.set(way.from, [...(out.get(way.from) ?? []), way]);
    const entries = [...out.keys()].filter((node) => this.ways.nodes[node]?.pc === 0);
    const why = this.bounds.whyNot(part);
    return entries.slice(0, MOST_STARTS).flatMap((start) => {
      const back = wayBack(start, out);
      if (back === null) return [];
      const { nodes } = this.ways;
      const states: number[] = [];
      for (const { from } of back) {
        const at = nodes[from] as Ways['nodes'][number];
        if (at.pc === 0 || states.length === 0) states.push(at.state);
      }
      const { state, pc } = nodes[(back.at(-1) as Way).from] as Ways['nodes'][number];
      return [{ states, from: { state, pc }, why }];
    });
  }
}

/** The shortest path from a node to itself, in instructions. */
function wayBack(start: number, out: ReadonlyMap<number, readonly Way[]>): Way[] | null {
  const by = new Map<number, Way>();
  const queue = [start];
  for (let at = 0; at < queue.length; at++) {
    for (const way of out.get(queue[at] as number) ?? []) {
      if (by.has(way.to)) continue;
      by.set(way.to, way);
      if (way.to === start) return collect(start, by);
      queue.push(way.to);
    }
  }
  return null;
}

function collect(start: number, by: ReadonlyMap<number, Way>): Way[] {
  const back: Way[] = [];
  let way = by.get(start) as Way;
  for (;;) {
    back.push(way);
    if (way.from === start) return back.reverse();
    way = by.get(way.from) as Way;
  }
}

/** Leaves out cycles that contain all states of a shorter one. */
function withoutLarger(cycles: readonly UnboundedCycle[]): UnboundedCycle[] {
  const kept = new Map<number, Set<number>[]>();
  return [...cycles]
    .sort((a, b) => a.states.length - b.states.length)
    .filter((cycle) => {
      const nodes = new Set(cycle.states);
      for (const node of nodes)
        for (const smaller of kept.get(node) ?? []) if ([...smaller].every((inner) => nodes.has(inner))) return false;
      const last = Math.max(...nodes);
      kept.set(last, [...(kept.get(last) ?? []), nodes]);
      return true;
    });
}
