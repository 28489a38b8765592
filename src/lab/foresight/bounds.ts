/** How often states are entered, and agents, commands, tools and people are asked, at most: the longest way through the graph. */
import { parseDuration } from '../../machine/duration.js';
import type { Expr, Template } from '../../machine/expression.js';
import { type Instruction, type Machine, performedBy, type State } from '../../machine/machine.js';
import { type Bound, type BoundOptions, cutAt, cutAtFormula, formulaOf } from './bound.js';
import { costBound, timeBound, withMergedSites } from './cost-bound.js';
import { fileOf } from './defect.js';
import type { Exploration } from './exploration.js';
import { explore } from './explore.js';
import { type CountedSite, cycleThrough, type Edge, type Node } from './explored-graph.js';
import { type ExploredPart, longestWays, orderOf, waysWithin } from './longest-ways.js';
import { REPEATING } from './spans.js';

export function boundsOf(explored: Exploration, options: BoundOptions): Bound[] {
  const exploration = withMergedSites(explored);
  const { sites, machine } = exploration;
  const ordered = orderOf(exploration);
  const unlimited = longestWays(exploration, ordered);
  const { transitions } = machine.limits;
  const shorter = hasLists(exploration) ? withShorterLists(exploration) : null;
  const fewer = shorter === null ? null : longestWays(shorter, orderOf(shorter));
  const shortest = once(() => withoutTwo(exploration));
  const fewest = once(() => mapOf(shortest(), (graph) => longestWays(graph, orderOf(graph))));
  const within = (graph: ExploredPart): readonly number[] | null =>
    transitions === undefined ? null : waysWithin(graph, transitions);
  const limited = within(exploration);
  const limitedFewer = shorter === null ? null : within(shorter);
  const limitedFewest = once(() => mapOf(shortest(), (graph) => within(graph) ?? []));
  const counting: Counting = { exploration, component: ordered.components, unlimited };
  const bounds = sites.map((site, index): Bound => {
    const growth = (numbers: readonly number[] | null, least: () => Numbers): Shorter | null =>
      numbers === null
        ? null
        : { fewer: numbers[index] as number, fewest: () => (shortest() === null ? Number.NaN : least()(site)) };
    const found = boundOf(counting, index, growth(fewer, fewest));
    const states = site.kind === 'state' && transitions !== undefined ? transitions + 1 : null;
    const number = limited?.[index] ?? states;
    const grows = limitedFewer !== null && number !== null && number > (limitedFewer[index] as number);
    if (!grows) return cutAt(found, number, 'LIMIT: transitions');
    const formula = formulaOf(exploration, listAround(machine, site), {
      number,
      ...(growth(limitedFewer, limitedFewest) as Shorter),
    });
    return cutAt(cutAtFormula(found, formula, 'LIMIT: transitions'), states, 'LIMIT: transitions');
  });
  const rank = { agent: 0, ask: 1, tool: 2, command: 3, state: 4, cost: 5, time: 6 };
  bounds.sort((one, other) => rank[one.kind] - rank[other.kind]);
  const least = (numbers: readonly number[], others: readonly number[] | null): readonly number[] =>
    numbers.map((number, index) => Math.min(number, others?.[index] ?? number));
  const cost = costBound(
    exploration,
    {
      most: least(unlimited, limited),
      fewer: fewer === null ? null : least(fewer, limitedFewer),
      fewest: (site) =>
        shortest() === null
          ? Number.NaN
          : Math.min(fewest()(site), limited === null ? Number.POSITIVE_INFINITY : limitedFewest()(site)),
    },
    options,
  );
  const time = timeBound(exploration, ordered, shorter, shortest);
  return [...bounds, ...[cost, time].filter((one) => one !== null)];
}

function once<T>(compute: () => T): () => T {
  let known: { readonly value: T } | null = null;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

/** How often something is counted in a graph. */
type Numbers = (site: CountedSite) => number;

/** The numbers of a graph, by the names of what they count. */
function mapOf(graph: ExploredPart | null, numbersOf: (graph: ExploredPart) => readonly number[]): Numbers {
  const found = new Map<string, number>();
  const numbers = graph === null ? [] : numbersOf(graph);
  graph?.sites.forEach((site, index) => {
    if (!found.has(nameOf(site))) found.set(nameOf(site), numbers[index] ?? Number.NaN);
  });
  return (site) => found.get(nameOf(site)) ?? 0;
}

/** The numbers with lists that are one and two elements shorter. */
interface Shorter {
  readonly fewer: number;
  readonly fewest: () => number;
}

interface Counting {
  readonly exploration: Exploration;
  readonly component: Int32Array;
  readonly unlimited: readonly number[];
}

function boundOf({ exploration, component, unlimited }: Counting, index: number, shorter: Shorter | null): Bound {
  const { sites, machine } = exploration;
  const site = sites[index] as CountedSite;
  const number = unlimited[index] as number;
  const common = { what: nameOf(site), kind: site.kind, isOnlyByLimit: false };
  if (Number.isFinite(number)) {
    const formula = shorter === null ? null : formulaOf(exploration, listAround(machine, site), { number, ...shorter });
    const because = number > 1 || formula !== null ? reasonOf(machine, site) : null;
    return { ...common, atMost: formula === null ? number : null, formula, because };
  }
  const polls = pollsOf(exploration, component, index, unlimited);
  if (polls !== null) return { ...common, ...polls, formula: null };
  const because = { text: cycleText(exploration, component, index), file: null, line: null };
  return { ...common, atMost: null, formula: null, because };
}

const hasLists = ({ isBounded, freeLists, options }: Exploration): boolean =>
  (isBounded || freeLists.size > 0) && options.longest > 0;

/** The same with lists that are two elements shorter; null: not explored. */
function withoutTwo({ machine, options }: Exploration): Exploration | null {
  if (options.longest < 2) return null;
  const explored = explore(machine, { ...options, longest: options.longest - 2, withoutForced: true });
  return explored.stoppedBy === null ? withMergedSites(explored) : null;
}

/** What is explored with lists that are one element shorter: all without the ways on which a list has the greatest length. */
function withShorterLists({ nodes, begins, sites }: Exploration): ExploredPart {
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
  const site = exploration.sites[index] as CountedSite;
  const all = [site.state, ...(site.alsoIn ?? [])].map((state) =>
    pollsIn(exploration, component, { index, site: { ...site, state } }, most),
  );
  const because = all[0]?.because ?? null;
  const numbers = all.flatMap((one) => one?.atMost ?? []);
  return numbers.length < all.length ? null : { atMost: numbers.reduce((sum, one) => sum + one, 0), because };
}

function pollsIn(
  exploration: Exploration,
  component: Int32Array,
  { index, site }: { readonly index: number; readonly site: CountedSite },
  most: readonly number[],
): Pick<Bound, 'atMost' | 'because'> | null {
  const { machine, nodes, sites } = exploration;
  const state = machine.states.find(({ name }) => name === site.state);
  // Others may be called in several places, which count together.
  if (site.kind !== 'command' || state === undefined) return null;
  const waits = waitsIn(state);
  let calls = 0;
  let first: Instruction | null = null;
  for (const [pc, one] of state.code.entries()) {
    if (one.origin.line !== site.line) continue;
    const own = callsOf(performedBy(one));
    if (own === null) return null;
    const around = own === 0 ? [] : waits.filter(({ start, turn }) => pc > start && pc < turn);
    const [wait, another] = around;
    if (another !== undefined) return null;
    const rounds = wait === undefined ? 1 : roundsOf(exploration, state, wait);
    if (rounds === null) return null;
    if (wait !== undefined) first ??= state.code[wait.turn] as Instruction;
    calls += own * rounds;
  }
  if (first === null) return null;
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
  const { file, line } = first.origin;
  return { atMost: entered * calls, because: { text: 'timeout of WAIT', file: fileOf(machine, file), line } };
}

/** A polling WAIT, by the positions at which it begins and at which it waits for the next round. */
interface PollingWait {
  readonly start: number;
  readonly turn: number;
}

function waitsIn({ code }: State): PollingWait[] {
  return code.flatMap((one, turn) => {
    if (one.op !== 'wait-turn') return [];
    const start = code.findLastIndex((begin, pc) => pc < one.again && begin.op === 'wait-start');
    return [{ start, turn }];
  });
}

/** How many rounds a WAIT has at most each time it is reached; null: not known, or it is reached several times. */
function roundsOf(exploration: Exploration, state: State, { start, turn }: PollingWait): number | null {
  const [begin, wait] = [state.code[start], state.code[turn]];
  if (begin?.op !== 'wait-start' || wait?.op !== 'wait-turn') return null;
  // Other rounds inside or around these would multiply the number.
  const isRepeated = state.code.some((one, pc) => {
    if (pc > start && pc < turn) return REPEATING.has(one.op);
    if (one.op === 'wait-turn') return pc !== turn && one.again <= start && pc > start;
    return (
      one.op !== 'wait-start' && one.op !== 'sleep' && one.op !== 'signal' && one.op !== 'ask' && REPEATING.has(one.op)
    );
  });
  if (isRepeated) return null;
  const [timeout, every] = [begin.timeout, wait.every].map((template) => constantText(template, state, exploration));
  // A pause that chance decides may be as short as a pause can be.
  const pauseMs = every?.includes('..') === true ? 1 : parseDuration(every ?? '');
  const limitMs = parseDuration(timeout ?? '');
  return pauseMs === null || limitMs === null ? null : Math.ceil(limitMs / Math.max(1, pauseMs)) + 1;
}

/** How often an instruction calls a command in one round; null: only the run knows. */
function callsOf(one: Instruction): number | null {
  if (one.op !== 'shell' && one.op !== 'argv' && one.op !== 'function' && one.op !== 'gate-command') return 0;
  if (!('retry' in one) || one.retry === undefined) return 1;
  return 'template' in one.retry ? null : one.retry.times + 1;
}

/** The text of a template that is the same in each run: of constants, inputs, and arguments made of these. */
const constantText = (template: Template, state: State, exploration: Exploration): string | null =>
  constantValue({ op: 'template', template }, state, exploration);

/** `levels`: arguments that are passed on come from arguments, and a name may be read by what sets it. */
function constantValue(value: Expr, state: State, exploration: Exploration, levels = 16): string | null {
  const constant = (template: Template): string | null => {
    const texts = template.map((part) =>
      typeof part === 'string' ? part : constantValue(part.value, state, exploration, levels - 1),
    );
    return texts.every((text) => text !== null) ? texts.join('') : null;
  };
  if (levels === 0) return null;
  if (value.op === 'const') return typeof value.value === 'string' ? value.value : null;
  if (value.op === 'template') return constant(value.template);
  const [place, other] = value.op === 'read' ? value.places : [];
  if (place === undefined || other !== undefined) return null;
  const { machine, options } = exploration;
  if (place.in === 'input') {
    const { name, value: standard } = machine.inputs[place.slot] ?? {};
    const given = name !== undefined && Object.hasOwn(options.inputs, name) ? options.inputs[name] : standard;
    return typeof given === 'string' ? given : null;
  }
  if (place.in !== 'local') return null;
  const sets = state.code.filter((one) => one.op === 'set' && one.to.in === 'local' && one.to.slot === place.slot);
  const [only, more] = sets;
  if (only?.op !== 'set' || more !== undefined) return null;
  return constantValue(only.value, state, exploration, levels - 1);
}

// ---- reasons ----------------------------------------------------------------------------------------

/**
 * The condition that compares a counter with a limit, in the states that can follow each other in a circle. One that
 * decides where the run goes comes before others, and an equality of two values, which need never be, is the last.
 */
function reasonOf(machine: Machine, site: CountedSite): Bound['because'] {
  const circle = circleOf(machine, site);
  const counters = new Set<string>();
  for (const { code } of machine.states) for (const one of code) if (one.op === 'increment') counters.add(one.name);
  let best: { readonly rank: number; readonly because: Bound['because'] } | null = null;
  for (const state of circle)
    for (const [pc, one] of (machine.states[state]?.code ?? []).entries()) {
      if (one.op !== 'unless' || !comparesCounter(one.condition, counters)) continue;
      const code = machine.states[state]?.code as readonly Instruction[];
      const rank = (isLimit(one.condition, counters) ? 2 : 0) + (decidesTransfer(code, pc, one.to) ? 1 : 0);
      if (best === null || rank > best.rank) best = { rank, because: reason(machine, one) };
    }
  if (best !== null) return best.because;
  for (const { code, name } of machine.states) {
    if (site.kind !== 'command' && site.kind !== 'agent') break;
    for (const one of code)
      if ('retry' in one && one.retry !== undefined && name === site.state && one.origin.line === site.line)
        return { text: 'retry', file: fileOf(machine, one.origin.file), line: one.origin.line };
  }
  return null;
}

const TRANSFERS = new Set<Instruction['op']>(['goto', 'goto-dynamic', 'return', 'fail']);

/** Whether the block of an IF, or that of its ELSE, goes somewhere. */
function decidesTransfer(code: readonly Instruction[], pc: number, to: number): boolean {
  const last = code[to - 1];
  const end = last?.op === 'jump' && last.to > to ? last.to : to;
  return code.slice(pc + 1, end).some(({ op }) => TRANSFERS.has(op));
}

function reason(machine: Machine, { origin, text }: Extract<Instruction, { op: 'unless' }>): Bound['because'] {
  return { text: `IF ${text}`, file: fileOf(machine, origin.file), line: origin.line };
}

/** Whether a comparison with a counter is one with an order, or with a constant. */
function isLimit(expr: Expr, counters: ReadonlySet<string>): boolean {
  switch (expr.op) {
    case 'compare':
      if (!comparesCounter(expr, counters)) return false;
      return !['==', '!='].includes(expr.operator) || [expr.left, expr.right].some(({ op }) => op === 'const');
    case 'and':
    case 'or':
      return isLimit(expr.left, counters) || isLimit(expr.right, counters);
    case 'not':
      return isLimit(expr.of, counters);
    default:
      return false;
  }
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
