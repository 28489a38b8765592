/** The most that the calls of agents may cost. */
import type { Machine } from '../machine/machine.js';
import { type Bound, type BoundOptions, dollars, formulaOf, reservedText } from './bound.js';
import type { Exploration } from './exploration.js';
import type { CountedSite } from './graph.js';

/** How often each site is reached at most: also with lists that are one and two elements shorter. */
interface Counts {
  readonly most: readonly number[];
  /** Null: there are no lists. */
  readonly fewer: readonly number[] | null;
  readonly fewest: (site: CountedSite) => number;
}

export function costBound(
  exploration: Exploration,
  { most, fewer, fewest }: Counts,
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
  const because = isCut ? { text: 'LIMIT: cost', file: null, line: null } : null;
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
