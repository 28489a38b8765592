/**
 * Cycles of states that nothing bounds. What bounds one is that a state of it waits, or that its states test a
 * tracked counter that they change. The search stays inside components and has a limit in each of them, so that
 * a machine in which everything leads everywhere costs no more than others.
 */
import type { Expr } from '../../machine/expression.js';
import type { Instruction } from '../../machine/machine.js';
import { components } from '../graph/components.js';
import type { Edge, StateGraph } from '../graph/state-graph.js';
import type { LoweredState } from '../lower/state.js';

/** What a state contributes to bounding a cycle. */
interface Bounds {
  readonly tests: ReadonlySet<number>;
  readonly changes: ReadonlySet<number>;
  /** It bounds every cycle through it, whatever the other states do. */
  readonly alone: boolean;
}

/** Steps of one search in one component. */
const SEARCH_LIMIT = 20_000;

/** Cycles up to this length are searched for by their length, so that the short ones are found in any tangle. */
const SHORT = 4;

function trackedReads(expr: Expr, into: Set<number>): void {
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const v of value) visit(v);
    else if (typeof value === 'object' && value !== null) {
      const e = value as { op?: string; places?: { in: string; slot: number }[] };
      if (e.op === 'read') for (const place of e.places ?? []) if (place.in === 'tracked') into.add(place.slot);
      if (e.op !== 'const') for (const key in e) visit(e[key as keyof typeof e]);
    }
  };
  visit(expr);
}

function boundsOf(code: readonly Instruction[]): Bounds {
  const tests = new Set<number>();
  const changes = new Set<number>();
  let waits = false;
  for (const i of code) {
    if (i.op === 'unless') trackedReads(i.condition, tests);
    else if ((i.op === 'increment' || i.op === 'set') && i.to.in === 'tracked') changes.add(i.to.slot);
    else if (i.op === 'sleep' || i.op === 'wait-start' || i.op === 'signal' || i.op === 'ask') waits = true;
    else if ((i.op === 'fork' || i.op === 'fork-each') && i.wait !== null) waits = true;
  }
  return { tests, changes, alone: waits || [...tests].some((slot) => changes.has(slot)) };
}

/** Unbounded simple cycles as lists of edges, shortest first, none containing another one. */
export function unboundedCycles(states: readonly LoweredState[], graph: StateGraph): Edge[][] {
  const bounds = states.map((s) => boundsOf(s.state.code));
  const out = graph.out.map((edges) => edges.filter((edge) => !edge.jump.dead));
  const targets = out.map((edges) => edges.map((edge) => edge.to));
  const found: Edge[][] = [];
  for (const nodes of components(targets, (node) => bounds[node]?.alone === true)) {
    const inside = new Set(nodes);
    const search = new Search(out, bounds, inside);
    for (let length = 1; length <= Math.min(SHORT, nodes.length); length++) search.cycles(length, length);
    if (nodes.length > SHORT) search.cycles(SHORT + 1, nodes.length);
    found.push(...withoutLarger(search.found));
  }
  return found.sort((a, b) => a.length - b.length);
}

/** The way that is being tried, with what its states test and change. */
class Search {
  readonly found: Edge[][] = [];
  private readonly path: Edge[] = [];
  private readonly onPath = new Set<number>();
  private readonly tested = new Map<number, number>();
  private readonly changed = new Map<number, number>();
  private isBounded = 0;

  constructor(
    private readonly out: readonly (readonly Edge[])[],
    private readonly bounds: readonly Bounds[],
    private readonly inside: ReadonlySet<number>,
  ) {}

  /** Finds the cycles with `shortest` to `longest` states. Each is found from the first of its states. */
  cycles(shortest: number, longest: number): void {
    let steps = 0;
    for (const start of this.inside) {
      const work: { readonly node: number; next: number }[] = [];
      const enter = (node: number): void => {
        this.count(node, 1);
        this.onPath.add(node);
        work.push({ node, next: 0 });
      };
      enter(start);
      while (work.length > 0) {
        const at = work[work.length - 1] as (typeof work)[number];
        const edge = this.isBounded > 0 ? undefined : this.out[at.node]?.[at.next++];
        if (edge === undefined || ++steps > SEARCH_LIMIT) {
          work.pop();
          this.onPath.delete(at.node);
          this.count(at.node, -1);
          this.path.pop();
        } else if (edge.to === start) {
          if (work.length >= shortest) this.found.push([...this.path, edge]);
        } else if (edge.to > start && work.length < longest && this.inside.has(edge.to) && !this.onPath.has(edge.to)) {
          this.path.push(edge);
          enter(edge.to);
        }
      }
      if (steps > SEARCH_LIMIT) return;
    }
  }

  /** Adds a state to what the way tests and changes, or takes it away. */
  private count(node: number, by: 1 | -1): void {
    const { tests, changes } = this.bounds[node] as Bounds;
    this.add(tests, this.tested, this.changed, by);
    this.add(changes, this.changed, this.tested, by);
  }

  private add(slots: ReadonlySet<number>, to: Map<number, number>, other: Map<number, number>, by: 1 | -1): void {
    for (const slot of slots) {
      const before = to.get(slot) ?? 0;
      to.set(slot, before + by);
      const appearsOrGoes = before === 0 || before + by === 0;
      if (appearsOrGoes && (other.get(slot) ?? 0) > 0) this.isBounded += by;
    }
  }
}

/** Cycles none of whose states are all the states of a shorter one. */
function withoutLarger(cycles: readonly Edge[][]): Edge[][] {
  const kept = new Map<number, Set<number>[]>();
  return [...cycles]
    .sort((a, b) => a.length - b.length)
    .filter((cycle) => {
      const nodes = new Set(cycle.map((edge) => edge.from));
      for (const node of nodes)
        for (const smaller of kept.get(node) ?? []) if ([...smaller].every((inner) => nodes.has(inner))) return false;
      const last = Math.max(...nodes);
      kept.set(last, [...(kept.get(last) ?? []), nodes]);
      return true;
    });
}
