/** What a run that is about to start spends on agents at most, computed in a moment. */
import type { Json } from '../../machine/expression.js';
import { callsAgents, type Machine, type RunBounds } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { boundsOf } from './bounds.js';
import { withMergedSites } from './cost-bound.js';
import type { Exploration } from './exploration.js';
import { explore } from './explore.js';
import { DEFAULTS, exploreOptions, type VerifyOptions } from './explore-options.js';
import type { Edge } from './explored-graph.js';
import { largestSum, orderOf } from './longest-ways.js';

interface RunBoundOptions {
  readonly inputs: Readonly<Record<string, Json>>;
  /** By agent, in US dollars. */
  readonly maxCost: Readonly<Record<string, number>>;
  /** Where the run begins, if not at its first state. */
  readonly start?: VerifyOptions['start'];
  /** How long it may explore. */
  readonly milliseconds: number;
}

/** A sum of costs has no more digits than they have. */
const DIGITS = 1e9;
const NOT_COMPUTED: RunBounds = { calls: null, cost: null, agents: [], problem: 'not computed' };

/** How much longer it may take while others use the processors: what is computed does not depend on them alone. */
const PATIENCE = 8;

function usedSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Null: the program calls no agents. What needs more time than there is was not computed. */
export function boundOfRun(
  machine: Machine,
  { inputs, maxCost, start, milliseconds }: RunBoundOptions,
): RunBounds | null {
  if (!callsAgents(machine)) return null;
  const [begun, used] = [performance.now(), process.cpuUsage()];
  let isLate = false;
  const isTimeUp = (): boolean => {
    const passed = performance.now() - begun;
    isLate ||= passed > PATIENCE * milliseconds || (passed > milliseconds && milliseconds * 1000 < usedSince(used));
    return isLate;
  };
  const limits = { seconds: Number.POSITIVE_INFINITY, isTimeUp };
  const options = { ...DEFAULTS, ...limits, inputs, maxCost, ...omitUndefined({ start }), withRare: true as const };
  const explored = explore(machine, exploreOptions(machine, options, options.free));
  if (explored.stoppedBy !== null) return NOT_COMPUTED;
  const bounds = boundsOf(explored, { maxCost });
  // A formula needs the same with shorter lists.
  if (isLate) return NOT_COMPUTED;
  const agents = bounds.flatMap(({ kind, what, atMost, formula, because }) =>
    kind === 'agent'
      ? [
          {
            agent: /^Task\((.*)\)$/s.exec(what)?.[1] ?? what,
            at_most: atMost,
            ...(formula === null ? {} : { formula }),
            ...(because === null ? {} : { because: because.text }),
          },
        ]
      : [],
  );
  if (agents.length === 0) return { calls: 0, cost: 0, agents };
  const areNumbers = agents.every(({ at_most }) => at_most !== null);
  const calls = areNumbers
    ? mostCalls(
        explored,
        agents.reduce((sum, { at_most }) => sum + (at_most ?? 0), 0),
      )
    : null;
  const { reserved, isOnlyByLimit } = bounds.find(({ kind }) => kind === 'cost') ?? {};
  const hasCost = reserved != null && (calls !== null || machine.limits.cost !== undefined);
  if (!hasCost) return { calls, cost: null, agents };
  const cost = Math.round(reserved * DIGITS) / DIGITS;
  return { calls, cost, ...(isOnlyByLimit === true ? { only_by_limit: true as const } : {}), agents };
}

/** The calls on the longest way: agents of different branches are not called in one run. `sum`: of all of them. */
function mostCalls(explored: Exploration, sum: number): number {
  const graph = withMergedSites(explored);
  const ordered = orderOf(graph);
  const isAgent = graph.sites.map(({ kind }) => kind === 'agent');
  const callsOn = ({ counts }: Edge): number => counts.filter((site) => isAgent[site]).length;
  return Math.min(sum, largestSum(graph, ordered, ordered.edges.map(callsOn), callsOn));
}
