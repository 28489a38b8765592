/** How often states are entered, and agents, commands, tools and people are asked, at most: the longest way through the graph. */
import { readDuration } from '../machine/duration.js';
import type { Expr, Template } from '../machine/expression.js';
import type { Instruction, Machine, State } from '../machine/machine.js';
import { fileOf } from './defects.js';
import type { Exploration } from './explore.js';
import { type CountedSite, componentsOf, cycleThrough, type Edge, type Node } from './graph.js';

export interface Bound {
  readonly what: string;
  readonly kind: CountedSite['kind'] | 'cost';
  /** Null: unbounded, or the formula says it. */
  readonly atMost: number | null;
  readonly formula: string | null;
  readonly isOnlyByLimit: boolean;
  /** The line that bounds it, or the cycle that does not end. */
  readonly because: { readonly text: string; readonly file: string | null; readonly line: number | null } | null;
}

export interface BoundOptions {
  /** The most that a call of an agent may cost, in US dollars. */
  readonly maxCost: Readonly<Record<string, number>>;
}

/** The number for each counted site; infinite where a cycle counts it. */
function longestWays(
  { nodes, begins, sites }: Pick<Exploration, 'nodes' | 'begins' | 'sites'>,
  component: Int32Array,
): number[] {
  // Edges never lead to a larger component, so these orders have the ends of edges before their beginnings.
  const order = nodes
    .map(({ id }) => id)
    .sort((one, other) => (component[one] as number) - (component[other] as number));
  const edges = order.flatMap((id) => (nodes[id] as Node).out);
  const from = new Int32Array(edges.length);
  const to = new Int32Array(edges.length);
  const countedBy: (readonly [edge: number, times: number])[][] = sites.map(() => []);
  for (const [at, edge] of edges.entries()) {
    from[at] = component[edge.from] as number;
    to[at] = component[edge.to] as number;
    const { counts } = edge;
    counts.forEach((site, index) => {
      if (counts.indexOf(site) === index) countedBy[site]?.push([at, timesIn(counts, site)]);
    });
  }
  const counted = new Int32Array(edges.length);
  return sites.map((_, site) => {
    const best = new Float64Array(nodes.length);
    for (const [at, times] of countedBy[site] ?? []) counted[at] = times;
    for (let at = 0; at < edges.length; at++) {
      const [own, end, times] = [from[at] as number, to[at] as number, counted[at] as number];
      const most = end === own ? (times > 0 ? Number.POSITIVE_INFINITY : 0) : times + (best[end] as number);
      if (most > (best[own] as number)) best[own] = most;
    }
    for (const [at] of countedBy[site] ?? []) counted[at] = 0;
    return Math.max(
      0,
      ...begins.map((edge) => timesIn(edge.counts, site) + (best[component[edge.to] as number] as number)),
    );
  });
}

function timesIn(counts: readonly number[], site: number): number {
  let found = 0;
  for (const one of counts) if (one === site) found++;
  return found;
}

export function boundsOf(exploration: Exploration, { maxCost }: BoundOptions): Bound[] {
  const { sites, machine } = exploration;
  const component = componentsOf(exploration.nodes, () => true);
  const most = longestWays(exploration, component);
  const hasLists = exploration.isBounded && exploration.options.longest > 0;
  const shorter = hasLists ? withShorterLists(exploration) : null;
  const fewer =
    shorter === null
      ? null
      : longestWays(
          shorter,
          componentsOf(shorter.nodes, () => true),
        );
  const bounds = sites.map((site, index): Bound => {
    const number = most[index] as number;
    const what = nameOf(site);
    if (Number.isFinite(number)) {
      const formula = fewer === null ? null : formulaOf(exploration, site, number, fewer[index] as number);
      const because = number > 1 || formula !== null ? reasonOf(machine, site) : null;
      return {
        what,
        kind: site.kind,
        atMost: formula === null ? number : null,
        formula,
        isOnlyByLimit: false,
        because,
      };
    }
    const polls = pollsOf(exploration, component, index, most);
    if (polls !== null) return { what, kind: site.kind, ...polls, formula: null, isOnlyByLimit: false };
    const { transitions } = machine.limits;
    const isLimited = site.kind === 'state' && transitions !== undefined;
    const because = { text: cycleText(exploration, component, index), file: null, line: null };
    return {
      what,
      kind: site.kind,
      atMost: isLimited ? transitions + 1 : null,
      formula: null,
      isOnlyByLimit: isLimited,
      because,
    };
  });
  const rank = { agent: 0, ask: 1, tool: 2, command: 3, state: 4, cost: 5 };
  bounds.sort((one, other) => rank[one.kind] - rank[other.kind]);
  const cost = costOf(exploration, most, maxCost);
  return cost === null ? bounds : [...bounds, cost];
}

/** What is explored with lists that are one element shorter: all without the ways on which a list has the greatest length. */
function withShorterLists({ nodes, begins, sites }: Exploration): Pick<Exploration, 'nodes' | 'begins' | 'sites'> {
  const isShorter = ({ isLongest }: Edge): boolean => !isLongest;
  return {
    nodes: nodes.map((node) => ({ ...node, out: node.out.filter(isShorter) })),
    begins: begins.filter(isShorter),
    sites,
  };
}

export function nameOf({ kind, name, line }: CountedSite): string {
  switch (kind) {
    case 'agent':
      return `Task(${name})`;
    case 'ask':
      return `ASK ${name}`;
    case 'tool':
      return `CALL ${name}`;
    case 'command':
      return `line ${line} ${name}`;
    case 'state':
      return `state ${name}`;
  }
}

/** With one element more, the bound grows by so many. */
function formulaOf(
  { options, lists, machine }: Exploration,
  site: CountedSite,
  number: number,
  fewer: number,
): string | null {
  const slope = number - fewer;
  if (slope <= 0 || !Number.isFinite(fewer)) return null;
  const [only, second] = [...lists];
  const name = listAround(machine, site) ?? (second === undefined ? only : undefined);
  const rest = number - slope * options.longest;
  const length = name === undefined ? 'length of the list' : `len(${name})`;
  // Then it may grow faster than the list, as with two loops inside each other.
  if (rest < 0) return `grows with ${length}`;
  return `${rest > 0 ? `${rest} + ` : ''}${slope} × ${length}`;
}

/** The list of the only loop over a list in the state of a call. */
function listAround(machine: Machine, { state }: CountedSite): string | undefined {
  const code = machine.states.find(({ name }) => name === state)?.code ?? [];
  const lists = code.flatMap((one) => (one.op === 'each' || one.op === 'fork-each' ? [one.list] : []));
  const [only, second] = lists;
  return only?.op === 'read' && second === undefined ? only.name : undefined;
}

function cycleText({ nodes }: Exploration, component: Int32Array, site: number): string {
  const edge = nodes
    .flatMap(({ out }) => out)
    .find((one) => one.counts.includes(site) && component[one.from] === component[one.to]);
  if (edge === undefined) return 'a cycle';
  const cycle = cycleThrough(nodes, edge.to, (one) => component[one.to] === component[edge.to]) ?? [];
  const states = [...new Set([edge, ...cycle].map(({ to }) => (nodes[to] as Node).state))];
  return `cycle ${[...states, states[0]].join(' → ')}`;
}

// ---- polls of a WAIT --------------------------------------------------------------------------------

/** How often a WAIT with a timeout asks: once for each interval, and once at its end. Null: no WAIT bounds the call. */
function pollsOf(
  exploration: Exploration,
  component: Int32Array,
  index: number,
  most: readonly number[],
): Pick<Bound, 'atMost' | 'because'> | null {
  const { machine, nodes, sites } = exploration;
  const site = sites[index] as CountedSite;
  const state = machine.states.find(({ name }) => name === site.state);
  const turn = state?.code.findIndex(
    (one, pc) =>
      one.op === 'wait-turn' &&
      state.code.some((call, at) => at >= one.again && at < pc && call.origin.line === site.line),
  );
  const wait = turn === undefined ? undefined : state?.code[turn];
  if (state === undefined || wait?.op !== 'wait-turn') return null;
  const start = state.code.slice(0, turn).findLast((one) => one.op === 'wait-start');
  if (start?.op !== 'wait-start') return null;
  const [timeout, every] = [start.timeout, wait.every].map((template) => {
    const text = constantText(template, state, exploration);
    return text === null ? null : readDuration(text.split('..')[0] as string).ms;
  });
  if (timeout === null || timeout === undefined || every === null || every === undefined) return null;
  // Rounds of states are no rounds of the WAIT.
  const circles = (isCounted: (site: number) => boolean): Set<number> =>
    new Set(
      nodes.flatMap(({ out }) =>
        out.flatMap((edge) => {
          const own = component[edge.from] as number;
          return own === component[edge.to] && edge.counts.some(isCounted) ? [own] : [];
        }),
      ),
    );
  const entering = circles((at) => sites[at]?.kind === 'state');
  if ([...circles((at) => at === index)].some((own) => entering.has(own))) return null;
  const entered = most[sites.findIndex(({ kind, name }) => kind === 'state' && name === site.state)] ?? 1;
  const { file, line } = wait.origin;
  return {
    atMost: entered * (Math.ceil(timeout / Math.max(1, every)) + 1),
    because: { text: 'timeout of WAIT', file: fileOf(machine, file), line },
  };
}

/** The text of a template without values, or of the argument of a pattern. */
function constantText([part, second]: Template, { code }: State, { machine, options }: Exploration): string | null {
  if (part === undefined || second !== undefined) return null;
  if (typeof part === 'string') return part;
  const [place, other] = part.value.op === 'read' ? part.value.places : [];
  if (place === undefined || other !== undefined) return null;
  if (place.in === 'input') {
    const { name, value } = machine.inputs[place.slot] ?? {};
    const given = name !== undefined && Object.hasOwn(options.inputs, name) ? options.inputs[name] : value;
    return typeof given === 'string' ? given : null;
  }
  if (place.in !== 'local') return null;
  const sets = code.filter((one) => one.op === 'set' && one.to.in === 'local' && one.to.slot === place.slot);
  const [only, more] = sets;
  if (only?.op !== 'set' || more !== undefined || only.value.op !== 'const') return null;
  return typeof only.value.value === 'string' ? only.value.value : null;
}

// ---- reasons ----------------------------------------------------------------------------------------

/** The condition that compares a counter with a limit, in the states that can follow each other in a circle. */
function reasonOf(machine: Machine, site: CountedSite): Bound['because'] {
  const circle = circleOf(machine, site);
  const counters = new Set<string>();
  for (const { code } of machine.states) for (const one of code) if (one.op === 'increment') counters.add(one.name);
  for (const state of circle)
    for (const one of machine.states[state]?.code ?? []) {
      if (one.op !== 'unless' || !comparesCounter(one.condition, counters)) continue;
      return reason(machine, one);
    }
  for (const { code, name } of machine.states) {
    if (site.kind !== 'command' && site.kind !== 'agent') break;
    for (const one of code)
      if ('retry' in one && one.retry !== undefined && name === site.state && one.origin.line === site.line)
        return { text: 'retry', file: fileOf(machine, one.origin.file), line: one.origin.line };
  }
  return null;
}

function reason(machine: Machine, { origin, text }: Extract<Instruction, { op: 'unless' }>): Bound['because'] {
  return { text: `IF ${text}`, file: fileOf(machine, origin.file), line: origin.line };
}

function comparesCounter(expr: Expr, counters: ReadonlySet<string>): boolean {
  switch (expr.op) {
    case 'compare':
      return [expr.left, expr.right].some((side) => side.op === 'read' && counters.has(side.name));
    case 'and':
    case 'or':
      return comparesCounter(expr.left, counters) || comparesCounter(expr.right, counters);
    case 'not':
      return comparesCounter(expr.of, counters);
    default:
      return false;
  }
}

/** The states that can follow a state and lead back to it. */
function circleOf({ states }: Machine, { state, name, kind }: CountedSite): readonly number[] {
  const start = states.findIndex((one) => one.name === (kind === 'state' ? name : state));
  if (start < 0) return states.map((_, at) => at);
  const after = (from: number): Set<number> => {
    const found = new Set<number>();
    const add = (at: number): void => {
      for (const one of states[at]?.code ?? []) {
        if (one.op === 'goto') found.add(one.state);
        if (one.op === 'goto-dynamic') for (const target of states.keys()) found.add(target);
      }
    };
    add(from);
    for (const at of found) add(at);
    return found;
  };
  return [...new Set([start, ...after(start)])].filter((at) => after(at).has(start));
}

function costOf(
  { sites }: Exploration,
  most: readonly number[],
  maxCost: Readonly<Record<string, number>>,
): Bound | null {
  const agents = sites.flatMap((site, index) =>
    site.kind === 'agent' ? [{ name: site.name, calls: most[index] as number }] : [],
  );
  if (agents.length === 0) return null;
  const common = { what: 'cost', kind: 'cost' as const, isOnlyByLimit: false };
  const free = agents.find(({ name }) => maxCost[name] === undefined);
  if (free !== undefined)
    return {
      ...common,
      atMost: null,
      formula: 'unknown',
      because: { text: `${free.name} has no max_cost`, file: null, line: null },
    };
  const sum = agents.reduce((total, { name, calls }) => total + calls * (maxCost[name] as number), 0);
  return { ...common, atMost: Number.isFinite(sum) ? sum : null, formula: null, because: null };
}
