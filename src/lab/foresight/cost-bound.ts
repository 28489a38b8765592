/** The most that the calls of agents may cost. */
import { durationText } from '../../interpreter/outcome.js';
import type { Machine } from '../../machine/machine.js';
import { type Bound, type BoundOptions, cutAt, cutAtFormula, dollars, formulaOf, reservedText } from './bound.js';
import { fileOf } from './defect.js';
import type { Exploration } from './exploration.js';
import type { CountedSite, Edge } from './explored-graph.js';
import { type ExploredPart, largestSum, largestWithin, orderOf } from './longest-ways.js';
import { NO_SPAN, type Unlimited } from './spans.js';

/** How often each site is reached at most: also with lists that are one and two elements shorter. */
interface SiteCounts {
  readonly most: readonly number[];
  /** Null: there are no lists. */
  readonly fewer: readonly number[] | null;
  readonly fewest: (site: CountedSite) => number;
}

export function costBound(
  exploration: Exploration,
  { most, fewer, fewest }: SiteCounts,
  { maxCost }: BoundOptions,
): Bound | null {
  const { sites, machine, agentLines } = exploration;
  const agents = sites.flatMap(({ kind, name }, index) => {
    if (kind !== 'agent') return [];
    const each = Math.min(maxCost[name] ?? Number.POSITIVE_INFINITY, costInSteps(machine, agentLines.get(name)));
    return [{ name, each, index }];
  });
  if (agents.length === 0) return null;
  const limit = machine.limits.cost;
  const free = agents.find(({ each }) => !Number.isFinite(each));
  const costOf = (callsOf: (index: number) => number): number =>
    agents.reduce((total, { each, index }) => total + callsOf(index) * each, 0);
  const sum = costOf((index) => most[index] as number);
  const formula =
    fewer === null || free !== undefined || !Number.isFinite(sum)
      ? null
      : formulaOf(
          exploration,
          undefined,
          {
            number: sum,
            fewer: costOf((index) => fewer[index] as number),
            fewest: () => costOf((index) => fewest(sites[index] as CountedSite)),
          },
          dollars,
        );
  const why = limit === undefined ? '' : ', and a run only stops after the call that exceeds `LIMIT: cost`';
  const cost: Bound = { what: 'cost', kind: 'cost', atMost: null, formula: null, isOnlyByLimit: false, because: null };
  if (free !== undefined)
    return {
      ...cost,
      formula: 'unknown',
      because: { text: `${free.name} has no max_cost${why}`, file: null, line: null },
    };
  const isCut = limit !== undefined && sum > limit;
  const reserved = isCut ? limit : sum;
  if (!isCut && formula !== null) return { ...cost, formula: reservedText(formula) };
  if (!Number.isFinite(reserved)) return cost;
  // What a call does not report counts for no limit.
  const because = isCut ? { text: 'LIMIT: cost, as far as calls report their cost', file: null, line: null } : null;
  return { ...cost, reserved, formula: reservedText(dollars(reserved)), isOnlyByLimit: isCut, because };
}

/** What one call may cost on any of these lines, each `STATE LINE`, as their steps say; infinite: one of them says nothing. */
function costInSteps({ states }: Machine, lines: ReadonlySet<string> = new Set()): number {
  let most = lines.size === 0 ? Number.POSITIVE_INFINITY : 0;
  for (const location of lines) {
    const calls = states.flatMap(({ name, code }) =>
      code.flatMap((one) => {
        if (`${name} ${one.origin.line}` !== location) return [];
        if (one.op === 'step-agent') return [one.guards.maxCost ?? Number.POSITIVE_INFINITY];
        return one.op === 'agent' ? [Number.POSITIVE_INFINITY] : [];
      }),
    );
    most = Math.max(most, ...(calls.length === 0 ? [Number.POSITIVE_INFINITY] : calls));
  }
  return most;
}

const keyOf = ({ kind, name, line }: CountedSite): string => `${kind} ${line} ${name}`;

/**
 * A line of a pattern is in each state that uses the pattern, and counts once for each of them. For people it is one line,
 * so its calls are counted together.
 */
export function withMergedSites<Whole extends ExploredPart>(graph: Whole): Whole {
  const sites: CountedSite[] = [];
  const known = new Map<string, number>();
  const merged = graph.sites.map((site) => {
    const to = known.get(keyOf(site));
    if (to === undefined) {
      known.set(keyOf(site), sites.length);
      return sites.push(site) - 1;
    }
    const first = sites[to] as CountedSite;
    sites[to] = { ...first, alsoIn: [...(first.alsoIn ?? []), site.state] };
    return to;
  });
  if (sites.length === graph.sites.length) return graph;
  const mergedEdge = (edge: Edge): Edge => ({ ...edge, counts: edge.counts.map((site) => merged[site] as number) });
  return {
    ...graph,
    sites,
    nodes: graph.nodes.map((node) => ({ ...node, out: node.out.map(mergedEdge) })),
    begins: graph.begins.map(mergedEdge),
  };
}

/** In seconds. `shorter`, `shortest`: the graphs with lists that are one and two elements shorter. Null: no run takes time. */
export function timeBound(
  exploration: Exploration,
  ordered: ReturnType<typeof orderOf>,
  shorter: ExploredPart | null,
  shortest: () => ExploredPart | null,
): Bound | null {
  const { machine, begins, hasUnknownTime } = exploration;
  const timed = [...begins, ...ordered.edges].filter(({ span }) => span !== NO_SPAN);
  if (timed.length === 0) return null;
  const waitMs = new Map(
    [...new Set(timed.flatMap(({ span }) => span.waits))].map((at) => [at, exploration.timeOfWait(at)]),
  );
  const secondsOf = ({ span }: Edge): number =>
    span.waits.reduce((sum, at) => sum + (waitMs.get(at) as number), span.ms) / 1000;
  const longest = (graph: ExploredPart, order: ReturnType<typeof orderOf>): number =>
    largestSum(graph, order, order.edges.map(secondsOf), secondsOf);
  const seconds = longest(exploration, ordered);
  const formula =
    shorter === null || !Number.isFinite(seconds)
      ? null
      : formulaOf(
          exploration,
          undefined,
          {
            number: seconds,
            fewer: longest(shorter, orderOf(shorter)),
            fewest: () => {
              const graph = shortest();
              return graph === null ? Number.NaN : longest(graph, orderOf(graph));
            },
          },
          textOf,
        );
  const isKnown = Number.isFinite(seconds) && !hasUnknownTime;
  const unlimited = timed.flatMap(({ span }) => span.unlimited ?? []);
  const bound: Bound = {
    what: 'time',
    kind: 'time',
    atMost: isKnown && formula === null ? seconds : null,
    formula: hasUnknownTime && Number.isFinite(seconds) ? 'unknown' : formula,
    isOnlyByLimit: false,
    because: isKnown ? null : reason(machine, unlimited[0], hasUnknownTime),
  };
  const { transitions, timeMs } = machine.limits;
  // Nothing is asked for on a way before its state changes.
  const weight = { of: secondsOf, before: () => 0 };
  const withinOf = (graph: ExploredPart | null): number =>
    graph === null || transitions === undefined
      ? Number.NaN
      : (largestWithin(graph, transitions, [weight])?.[0] ?? Number.NaN);
  const within = withinOf(exploration);
  const fewer = withinOf(shorter);
  const cutHere = (): Bound =>
    within > fewer
      ? cutAtFormula(
          bound,
          formulaOf(exploration, undefined, { number: within, fewer, fewest: () => withinOf(shortest()) }, textOf),
          'LIMIT: transitions',
        )
      : cutAt(bound, within, 'LIMIT: transitions');
  const cut = Number.isFinite(within) && !hasUnknownTime ? cutHere() : bound;
  // The time in which a run is suspended does not count for the limit.
  if (timeMs === undefined || exploration.mayBeSuspended) return cut;
  return cutAt(cut, timeMs / 1000, 'LIMIT: time');
}

const textOf = (seconds: number): string => durationText(seconds * 1000);

function reason(machine: Machine, unlimited: Unlimited | undefined, hasUnknownTime: boolean): Bound['because'] {
  if (unlimited !== undefined)
    return { text: unlimited.text, file: fileOf(machine, unlimited.file), line: unlimited.line };
  return { text: hasUnknownTime ? 'a duration is not known' : 'a loop that waits', file: null, line: null };
}
