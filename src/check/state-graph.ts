/** The machine as a graph of states: what can be reached, and which cycles nothing bounds. */
import type { Expr } from '../machine/expression.js';
import type { Instruction } from '../machine/machine.js';
import type { LoweredJump, LoweredState } from './lower.js';

export interface Edge {
  readonly from: number;
  readonly to: number;
  readonly jump: LoweredJump;
}

/** Edges by source state. A GOTO whose target only the run knows leads to every state if `dynamic`. */
export function edgesOf(states: readonly LoweredState[], dynamic: boolean): Edge[][] {
  const index = new Map(states.map((s, at) => [s.state.name, at]));
  return states.map((state, from) =>
    state.jumps.flatMap((jump) => {
      if (jump.target === null) return dynamic ? states.map((_, to) => ({ from, to, jump })) : [];
      const to = index.get(jump.target);
      return to === undefined ? [] : [{ from, to, jump }];
    }),
  );
}

/** States reachable from `roots`, without entering `except`. */
export function reachable(edges: readonly Edge[][], roots: readonly number[], except = -1): boolean[] {
  const seen = edges.map(() => false);
  const work = roots.filter((r) => r !== except);
  for (const root of work) seen[root] = true;
  while (work.length > 0) {
    for (const edge of edges[work.pop() as number] ?? []) {
      if (edge.to === except || seen[edge.to]) continue;
      seen[edge.to] = true;
      work.push(edge.to);
    }
  }
  return seen;
}

// ---- cycles -----------------------------------------------------------------------------------------

/** What a state contributes to bounding a cycle. */
interface Bounds {
  readonly tests: ReadonlySet<number>;
  readonly changes: ReadonlySet<number>;
  readonly waits: boolean;
}

function trackedReads(expr: Expr, into: Set<number>): void {
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const v of value) visit(v);
    else if (typeof value === 'object' && value !== null) {
      const e = value as { op?: string; places?: { in: string; slot: number }[] };
      if (e.op === 'read') for (const place of e.places ?? []) if (place.in === 'tracked') into.add(place.slot);
      if (e.op !== 'const') for (const v of Object.values(value)) visit(v);
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
  return { tests, changes, waits };
}

function isBounded(path: readonly number[], bounds: readonly Bounds[]): boolean {
  return path.some((at) => {
    const b = bounds[at] as Bounds;
    return b.waits || [...b.tests].some((slot) => path.some((other) => bounds[other]?.changes.has(slot)));
  });
}

/** Steps of the search for cycles; programs with more are not searched to the end. */
const SEARCH_LIMIT = 20_000;
const LONGEST = 200;

/** Unbounded simple cycles as lists of edges, shortest first, none containing another one. */
export function unboundedCycles(states: readonly LoweredState[]): Edge[][] {
  const edges = edgesOf(states, false);
  const bounds = states.map((s) => boundsOf(s.state.code));
  const found: Edge[][] = [];
  let steps = 0;
  const onPath = new Set<number>();
  const path: Edge[] = [];
  const search = (start: number, at: number): void => {
    for (const edge of edges[at] ?? []) {
      if (++steps > SEARCH_LIMIT || path.length > LONGEST) return;
      if (edge.to === start) {
        const nodes = [...path.map((e) => e.from), at];
        if (!isBounded(nodes, bounds)) found.push([...path, edge]);
      } else if (edge.to > start && !onPath.has(edge.to) && !bounds[edge.to]?.waits) {
        path.push(edge);
        onPath.add(edge.to);
        search(start, edge.to);
        onPath.delete(edge.to);
        path.pop();
      }
    }
  };
  for (let start = 0; start < states.length; start++) {
    if (!bounds[start]?.waits) search(start, start);
  }
  found.sort((a, b) => a.length - b.length);
  const kept: Edge[][] = [];
  for (const cycle of found) {
    const nodes = new Set(cycle.map((e) => e.from));
    if (!kept.some((k) => k.every((e) => nodes.has(e.from)))) kept.push(cycle);
  }
  return kept;
}
