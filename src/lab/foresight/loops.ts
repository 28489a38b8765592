/** Loops without end, with and without waiting. */
import type { Machine } from '../../machine/machine.js';
import { repeatable } from './counted-rounds.js';
import { type Defect, locationOfState } from './defect.js';
import type { Exploration } from './exploration.js';
import { componentsOf, cycleThrough, type Edge, type Node, wayTo } from './explored-graph.js';

/** How often a cycle is run to show that it repeats. */
export const ROUNDS = 2;

/** Loops. `withWaiting`: also those in which time passes. `withLimited`: also those that LIMIT ends. */
export function endlessIn(
  exploration: Exploration,
  { withWaiting, withLimited }: { readonly withWaiting: boolean; readonly withLimited: boolean },
): Defect[] {
  const { machine, sites } = exploration;
  const found = loops(exploration, 'endless');
  if (withWaiting) found.push(...loops(exploration, 'endless-waiting'));
  if (withLimited) return found;
  return found.filter(({ edges, cycle }) => limitThatEnds(machine, edges?.slice(-cycle) ?? [], sites) === null);
}

export function loops(exploration: Exploration, kind: 'endless' | 'endless-waiting'): Defect[] {
  const { nodes } = exploration;
  const isWaiting = kind === 'endless-waiting';
  const follows = repeatable(exploration, (edge) => !edge.isOutside && (isWaiting || !edge.isTime));
  const component = componentsOf(nodes, follows);
  const found = new Map<string, Defect>();
  const seen = new Set<string>();
  for (const members of membersOf(nodes, component)) {
    const [node] = members as readonly [Node, ...Node[]];
    const own = component[node.id] as number;
    const inside = (edge: Edge): boolean => follows(edge) && component[edge.to] === own;
    if (members.length === 1 && !node.out.some(inside)) continue;
    // Loops through the same states are one defect, which the first of them shows.
    const through = [...new Set(members.map(({ state }) => state))].sort().join(' ');
    if (seen.has(through)) continue;
    const cycle = isWaiting ? waitingCycle(exploration, members, inside) : cycleThrough(nodes, node.id, inside);
    const [first] = cycle ?? [];
    if (cycle === null || first === undefined) continue;
    seen.add(through);
    const states = [...new Set(cycle.map(({ to }) => (nodes[to] as Node).state))].sort();
    const key = states.join(' ');
    if (found.has(key)) continue;
    const edges = [...wayTo(nodes, first.from), ...Array.from({ length: ROUNDS }, () => cycle).flat()];
    found.set(key, loopDefect(exploration, kind, states, edges, cycle));
  }
  return [...found.values()];
}

/** Also those in which the run does not stop: a state of GOTOs, or ERROR. */
const statesEnteredOn = (edges: readonly Edge[], sites: Exploration['sites']): readonly string[] =>
  edges.flatMap(({ counts }) =>
    counts.flatMap((at) => (sites[at]?.kind === 'state' ? (sites[at]?.name as string) : [])),
  );

/** The states of all configurations on cycles in which a state is entered again, whatever passes on them but answers of people. */
export function repeatedStates({ nodes, sites }: Exploration): ReadonlySet<string> {
  const follows = (edge: Edge): boolean => !edge.isOutside;
  const component = componentsOf(nodes, follows);
  const found = new Set<string>();
  const entersState = (edge: Edge): boolean => edge.counts.some((site) => sites[site]?.kind === 'state');
  for (const members of membersOf(nodes, component)) {
    const own = component[(members[0] as Node).id];
    const isCycle = members.some(({ out }) =>
      out.some((edge) => follows(edge) && component[edge.to] === own && entersState(edge)),
    );
    if (!isCycle) continue;
    for (const { state, out } of members) {
      found.add(state);
      const inside = out.filter((edge) => follows(edge) && component[edge.to] === own);
      for (const name of statesEnteredOn(inside, sites)) found.add(name);
    }
  }
  return found;
}

/** The nodes of each component, in the order in which they were found. */
function membersOf(nodes: readonly Node[], component: Int32Array): Iterable<readonly Node[]> {
  const found = new Map<number, Node[]>();
  for (const node of nodes) {
    const own = component[node.id] as number;
    const members = found.get(own);
    if (members === undefined) found.set(own, [node]);
    else members.push(node);
  }
  return found.values();
}

/** How many beginnings of a cycle are tried. */
const MOST_TRIES = 100;

/** A cycle of states in which time passes: the rounds of one WAIT have a limit of their own. */
function waitingCycle(
  { nodes, sites }: Exploration,
  members: readonly Node[],
  inside: (edge: Edge) => boolean,
): Edge[] | null {
  const entersState = (edge: Edge): boolean => edge.counts.some((site) => sites[site]?.kind === 'state');
  if (!members.some(({ out }) => out.some((edge) => inside(edge) && edge.isTime))) return null;
  let tries = 0;
  for (const { out } of members) {
    const enters = out.find((edge) => inside(edge) && entersState(edge));
    if (enters === undefined) continue;
    if (++tries > MOST_TRIES) return null;
    const cycle = cycleThrough(nodes, enters.to, inside);
    if (cycle?.some(({ isTime }) => isTime) && cycle.some(entersState)) return cycle;
  }
  return null;
}

function loopDefect(
  { machine, nodes, sites }: Exploration,
  kind: 'endless' | 'endless-waiting',
  states: readonly string[],
  edges: readonly Edge[],
  cycle: readonly Edge[],
): Defect {
  const at = locationOfState(machine, (nodes[(cycle[0] as Edge).from] as Node).state);
  const names = states.map((name) => `\`${name}\``).join(', ');
  const where = `${states.length === 1 ? 'state' : 'states'} ${names}`;
  const limit = limitThatEnds(machine, cycle, sites);
  const isError = kind === 'endless' && limit === null;
  const what =
    kind === 'endless'
      ? `${where} can repeat without end: no condition limits the rounds`
      : `${where} can wait again and again without end`;
  return {
    kind,
    severity: isError ? 'error' : 'warning',
    ...at,
    message: limit === null ? what : `${what}; only \`LIMIT: ${limit}\` ends it`,
    help:
      kind === 'endless'
        ? 'count the rounds with TRACK and INCREMENT on every path around the loop, and leave when the count reaches a limit'
        : 'count the rounds, or give the waiting a timeout that leaves the loop',
    edges,
    states: [...new Set([...states, ...statesEnteredOn(cycle, sites)])],
    cycle: cycle.length,
  };
}

function limitThatEnds({ limits }: Machine, cycle: readonly Edge[], sites: Exploration['sites']): string | null {
  const passes = (kind: string): boolean =>
    cycle.some(({ counts }) => counts.some((site) => sites[site]?.kind === kind));
  if (limits.transitions !== undefined && passes('state')) return 'transitions';
  if (limits.timeMs !== undefined) return 'time';
  return null;
}
