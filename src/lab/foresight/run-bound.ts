/** What a run that is about to start spends on agents at most, computed in a moment. */
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { boundsOf } from './bounds.js';
import { withMergedSites } from './cost-bound.js';
import type { Exploration } from './exploration.js';
import { explore } from './explore.js';
import { DEFAULTS, exploreOptions } from './explore-options.js';
import type { Edge } from './explored-graph.js';
import { largestSum, orderOf } from './longest-ways.js';

interface RunBoundOptions {
  readonly inputs: Readonly<Record<string, Json>>;
  /** By agent, in US dollars. */
  readonly maxCost: Readonly<Record<string, number>>;
  /** How much processor time it may take. */
  readonly seconds: number;
}

interface RunBound {
  readonly calls: number | null;
  readonly cost: number | null;
  readonly agents: readonly {
    readonly agent: string;
    readonly at_most: number | null;
    readonly formula?: string;
    readonly because?: string;
  }[];
  readonly problem?: 'not computed';
}

/** Null: the program calls no agents. What needs more time than there is was not computed. */
export function boundOfRun(machine: Machine, { inputs, maxCost, seconds }: RunBoundOptions): RunBound | null {
  if (!callsAgents(machine)) return null;
  const options = { ...DEFAULTS, inputs, maxCost, seconds, withRare: true as const };
  const explored = explore(machine, exploreOptions(machine, options, options.free));
  if (explored.stoppedBy !== null) return { calls: null, cost: null, agents: [], problem: 'not computed' };
  const bounds = boundsOf(explored, { maxCost });
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
  if (agents.length === 0) return null;
  const areNumbers = agents.every(({ at_most }) => at_most !== null);
  const calls = areNumbers
    ? mostCalls(
        explored,
        agents.reduce((sum, { at_most }) => sum + (at_most ?? 0), 0),
      )
    : null;
  const reserved = bounds.find(({ kind }) => kind === 'cost')?.reserved;
  return { calls, cost: calls === null && machine.limits.cost === undefined ? null : (reserved ?? null), agents };
}

/** The calls on the longest way: agents of different branches are not called in one run. `sum`: of all of them. */
function mostCalls(explored: Exploration, sum: number): number {
  const graph = withMergedSites(explored);
  const ordered = orderOf(graph);
  const isAgent = graph.sites.map(({ kind }) => kind === 'agent');
  const callsOn = ({ counts }: Edge): number => counts.filter((site) => isAgent[site]).length;
  return Math.min(sum, largestSum(graph, ordered, ordered.edges.map(callsOn), callsOn));
}

function callsAgents({ states, plans = {} }: Machine): boolean {
  const inStates = states.some(({ code }) => code.some(({ op }) => op === 'agent' || op === 'step-agent'));
  return inStates || Object.keys(plans).length > 0;
}
