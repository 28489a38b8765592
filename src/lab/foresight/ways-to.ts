/** How runs come to instructions and events: for each of them some traces, the shortest first. For suggested tests. */
import type { RunEvent } from '../../interpreter/events/event.js';
import type { Machine } from '../../machine/machine.js';
import { unmodeledKindIn } from './defects.js';
import { type Exploration, type Trace, traceOf } from './exploration.js';
import { explore } from './explore.js';
import { DEFAULTS, exploreOptions, hasOptionalInputs, SHORT } from './explore-options.js';
import { type Edge, wayTo } from './explored-graph.js';
import type { Executed } from './segment.js';

interface WayGoal {
  readonly positions: readonly Position[];
  /** What shows it; null: that one of the positions is executed. */
  readonly isShownBy: ((event: RunEvent) => boolean) | null;
}

/** It counts no time: each machine must come to the same result. */
const BUDGET = { maxConfigurations: 20_000, maxSegments: 100_000, seconds: Number.POSITIVE_INFINITY };
/** Several ways to the same thing are kept, because some have no values that make them. */
const MOST_WAYS = 4;

/** For each of what is wanted, what gives its traces. Inputs have any value if they are free, else their defaults. */
export function waysTo(
  machine: Machine,
  wanted: readonly WayGoal[],
  inputs: 'free' | 'defaults',
): readonly (() => Iterable<Trace>)[] {
  const found = wanted.map((): Edge[] => []);
  const free = new Set(inputs === 'free' ? machine.inputs.map(({ name }) => name) : []);
  const exploration = explore(machine, {
    ...exploreOptions(machine, { ...DEFAULTS, ...BUDGET, limitedAgents: null }, free),
    onSegment: (edge, events, executed) => {
      for (const [at, one] of wanted.entries()) {
        const edges = found[at] as Edge[];
        if (edges.length === MOST_WAYS) continue;
        const isDone = one.isShownBy === null ? take(one.positions, executed) : events.some(one.isShownBy);
        if (isDone && edge !== null) edges.push(edge);
      }
      // Positions of several things are read before any of them is cleared.
      for (const { positions } of wanted) clear(positions, executed);
    },
  });
  const ends = waysToEnds(exploration);
  return found.map(
    (edges) =>
      function* () {
        for (const edge of edges) yield* tracesOf(exploration, edge, ends);
      },
  );
}

/** To the end of the run if there is a way, else as far as the edge. */
function* tracesOf(exploration: Exploration, edge: Edge, ends: readonly (Edge | null)[]): Iterable<Trace> {
  const { nodes } = exploration;
  const way = edge.from < 0 ? [edge] : [...wayTo(nodes, edge.from), edge];
  const rest: Edge[] = [];
  for (let next = ends[edge.to] ?? null; next !== null; next = ends[next.to] ?? null) rest.push(next);
  yield traceOf(exploration, [...way, ...rest]);
  if (rest.length > 0) yield traceOf(exploration, way);
}

/** For each configuration, the first edge of a shortest way to an end; null: it is one, or there is none. */
function waysToEnds({ nodes }: Exploration): (Edge | null)[] {
  const into = nodes.map((): Edge[] => []);
  for (const { out } of nodes) for (const edge of out) into[edge.to]?.push(edge);
  const first: (Edge | null)[] = nodes.map(() => null);
  const queue = nodes.flatMap(({ id, result }) => (result === null ? [] : [id]));
  const known = new Set(queue);
  for (const to of queue)
    for (const edge of into[to] as Edge[]) {
      if (known.has(edge.from)) continue;
      known.add(edge.from);
      first[edge.from] = edge;
      queue.push(edge.from);
    }
  return first;
}

function take(positions: readonly Position[], { passed, failed, wasTrue, wasFalse }: Executed): boolean {
  return positions.some(({ pc, is }) =>
    is === null ? passed[pc] !== 0 || failed[pc] !== 0 : (is ? wasTrue : wasFalse)[pc] !== 0,
  );
}

function clear(positions: readonly Position[], { passed, failed, wasTrue, wasFalse }: Executed): void {
  for (const { pc } of positions) {
    passed[pc] = 0;
    failed[pc] = 0;
    wasTrue[pc] = 0;
    wasFalse[pc] = 0;
  }
}

export interface Position {
  /** The position of an instruction, over all states. */
  readonly pc: number;
  /** Of a condition; null: the instruction itself. */
  readonly is: boolean | null;
}

/**
 * What no run of a machine executes, whatever its inputs are, for coverage. Nothing is said of programs that are larger
 * than the budget, for which tests would wait.
 */
export function unreachableIn(machine: Machine): (position: Position) => boolean {
  if (hasOptionalInputs(machine) || unmodeledKindIn(machine, new Set()) !== null) return () => false;
  const free = new Set(machine.inputs.map(({ name }) => name));
  const options = { ...DEFAULTS, ...SHORT, withRare: true, limitedAgents: null } as const;
  const { stoppedBy, isBounded, executed } = explore(machine, exploreOptions(machine, options, free));
  if (stoppedBy !== null || isBounded) return () => false;
  const { passed, failed, wasTrue, wasFalse } = executed;
  return ({ pc, is }) => {
    if (is !== null) return (is ? wasTrue : wasFalse)[pc] === 0;
    return passed[pc] === 0 && failed[pc] === 0;
  };
}
