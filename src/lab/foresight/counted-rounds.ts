/**
 * Rounds that count an unknown number: a configuration repeats, because nothing but the number has changed, but no run
 * repeats it without end. On the ways inside a component of the graph the number only shrinks, or stays, and something keeps
 * it above a limit (or it grows below one): then a run takes the edges on which it shrinks only so many times.
 */
import type { Json } from '../../machine/expression.js';
import type { Exploration, Repeated } from './exploration.js';
import { componentsOf, type Edge, wayTo } from './explored-graph.js';
import type { SegmentStart } from './segment.js';
import { type Knowledge, unknownId } from './unknown/knowledge.js';
import { TYPE } from './unknown/known-facts.js';

/** Larger components are taken as they are: each of their edges would be executed again. */
const MOST_EDGES = 3000;

/** The edges that `follows` accepts, without those that a run takes only so many times. */
export function repeatable(exploration: Exploration, follows: (edge: Edge) => boolean): (edge: Edge) => boolean {
  const { nodes } = exploration;
  const moments = momentsIn(exploration);
  const left = new Set<Edge>();
  const isLeft = (edge: Edge): boolean => follows(edge) && !left.has(edge);
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    const component = componentsOf(nodes, isLeft);
    const inside = new Map<number, Edge[]>();
    for (const { out } of nodes)
      for (const edge of out) {
        const own = component[edge.from] as number;
        if (!isLeft(edge) || component[edge.to] !== own) continue;
        const edges = inside.get(own);
        if (edges === undefined) inside.set(own, [edge]);
        else edges.push(edge);
      }
    for (const edges of inside.values()) {
      const found = edges.length > MOST_EDGES ? [] : countingEdges(edges, exploration, moments);
      for (const edge of found) left.add(edge);
      isChanged ||= found.length > 0;
    }
  }
  return isLeft;
}

type Moments = (node: number) => SegmentStart | null;

/** The moments of configurations, which are reached again. */
function momentsIn({ nodes, repeat }: Exploration): Moments {
  const known = new Map<number, SegmentStart>();
  return (node) => {
    let moment: SegmentStart | null = null;
    for (const edge of wayTo(nodes, node)) {
      const next: SegmentStart = known.get(edge.to) ?? repeat(moment, edge).moment;
      known.set(edge.to, next);
      moment = next;
    }
    return moment;
  };
}

/** A number at the end of an edge, as one at its beginning and what was added to it. */
interface CountChange {
  readonly from: number;
  readonly by: number;
  readonly isAbove: boolean;
  readonly isBelow: boolean;
}

/** The edges on which some number goes towards a limit, if it does not go back on any other. */
function countingEdges(edges: readonly Edge[], { repeat }: Exploration, moments: Moments): Edge[] {
  const [first] = edges as readonly [Edge, ...Edge[]];
  const start = moments(first.to);
  if (start === null) return [];
  const mayBeNumber = [...start.unknowns].filter(([, { facts, made }]) => {
    return (facts.types & TYPE.number) !== 0 && facts.fixed === undefined && made === null;
  });
  if (mayBeNumber.length === 0) return [];
  const repeated = new Map<Edge, Repeated>();
  const changeOn = (edge: Edge, id: number): CountChange | null => {
    let one = repeated.get(edge);
    if (one === undefined) {
      one = repeat(moments(edge.from), edge);
      repeated.set(edge, one);
    }
    return id < one.deciding ? changeOf(one, id) : null;
  };
  for (const [id] of mayBeNumber) {
    const changes = changesOf(edges, first.to, id, changeOn);
    if (changes === null) continue;
    for (const sign of [1, -1]) {
      const all = [...changes];
      if (all.some(([, { by }]) => by * sign > 0)) continue;
      const found = all.filter(([, { by, isAbove, isBelow }]) => by * sign < 0 && (sign > 0 ? isAbove : isBelow));
      if (found.length > 0) return found.map(([edge]) => edge);
    }
  }
  return [];
}

/** How the number that is `id` at a node changes on each edge; null: it is not one number on all ways. */
function changesOf(
  edges: readonly Edge[],
  node: number,
  id: number,
  changeOn: (edge: Edge, id: number) => CountChange | null,
): ReadonlyMap<Edge, CountChange> | null {
  const ids = new Map([[node, id]]);
  const changes = new Map<Edge, CountChange>();
  const into = new Map<number, Edge[]>();
  for (const edge of edges) into.set(edge.to, [...(into.get(edge.to) ?? []), edge]);
  for (const [at, own] of ids)
    for (const edge of into.get(at) ?? []) {
      const change = changeOn(edge, own);
      if (change === null || (ids.get(edge.from) ?? change.from) !== change.from) return null;
      ids.set(edge.from, change.from);
      changes.set(edge, change);
    }
  return changes;
}

function changeOf({ renamed, segment: { knowledge } }: Repeated, id: number): CountChange | null {
  for (const [old, fresh] of renamed) {
    if (fresh !== id) continue;
    const { root, by } = offsetOf(knowledge, old);
    if (!renamed.has(root) && by === 0) return null;
    const limits = limitsOf(knowledge, root);
    return { from: root, by, ...limits };
  }
  return null;
}

/** A number as another one plus a constant. */
function offsetOf(knowledge: Knowledge, id: number): { readonly root: number; readonly by: number } {
  let root = id;
  let by = 0;
  for (;;) {
    const { made } = knowledge.of(root);
    if (made === null || (made.op !== '+' && made.op !== '-')) return { root, by };
    const [left, right] = made.args.map((arg) => JSON.parse(arg) as Json);
    const [known, other] = typeof right === 'number' ? [right, left] : [left, right];
    const next = unknownId(other);
    if (typeof known !== 'number' || next === null || (made.op === '-' && other === right)) return { root, by };
    by += made.op === '-' ? -known : known;
    root = next;
  }
}

/** Whether something is known to be above, or below, a number that only differs by a constant. */
function limitsOf(knowledge: Knowledge, root: number): { readonly isAbove: boolean; readonly isBelow: boolean } {
  let isAbove = false;
  let isBelow = false;
  for (const [id, { facts }] of knowledge.unknowns) {
    if ((facts.low === undefined && facts.high === undefined) || offsetOf(knowledge, id).root !== root) continue;
    isAbove ||= facts.low !== undefined;
    isBelow ||= facts.high !== undefined;
  }
  return { isAbove, isBelow };
}
