/** How long a run takes at most, by the time limits of what it asks for and by its waits. */
import { durationText } from '../interpreter/outcome.js';
import type { Machine } from '../machine/machine.js';
import { type Bound, cutAt, cutAtFormula, formulaOf } from './bound.js';
import { fileOf } from './defect.js';
import type { Exploration } from './exploration.js';
import type { Edge } from './graph.js';
import { type Graph, largestSum, largestWithin, orderOf } from './longest-ways.js';
import { NO_SPAN, type Unlimited } from './spans.js';

/** In seconds. `shorter`, `shortest`: the graphs with lists that are one and two elements shorter. Null: no run takes time. */
export function timeBound(
  exploration: Exploration,
  ordered: ReturnType<typeof orderOf>,
  shorter: Graph | null,
  shortest: () => Graph | null,
): Bound | null {
  const { machine, begins, hasUnknownTime } = exploration;
  const timed = [...begins, ...ordered.edges].filter(({ span }) => span !== NO_SPAN);
  if (timed.length === 0) return null;
  const waitMs = new Map(
    [...new Set(timed.flatMap(({ span }) => span.waits))].map((at) => [at, exploration.timeOfWait(at)]),
  );
  const secondsOf = ({ span }: Edge): number =>
    span.waits.reduce((sum, at) => sum + (waitMs.get(at) as number), span.ms) / 1000;
  const longest = (graph: Graph, order: ReturnType<typeof orderOf>): number =>
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
  const withinOf = (graph: Graph | null): number =>
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
