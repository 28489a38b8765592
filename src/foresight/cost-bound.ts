/** The most that the calls of agents may cost. */
import type { Machine } from '../machine/machine.js';
import { type Bound, type BoundOptions, cutAt } from './bound.js';
import type { Exploration } from './explore.js';

/** `most`: how often each site is reached at most. */
export function costBound(
  { sites, machine, agentLines }: Exploration,
  most: readonly number[],
  { maxCost }: BoundOptions,
): Bound | null {
  const agents = sites.flatMap(({ kind, name }, index) => {
    if (kind !== 'agent') return [];
    const each = Math.min(maxCost[name] ?? Number.POSITIVE_INFINITY, costInSteps(machine, agentLines.get(name)));
    return [{ name, each, calls: most[index] as number }];
  });
  if (agents.length === 0) return null;
  const limit = machine.limits.cost;
  const free = agents.find(({ each }) => !Number.isFinite(each));
  const sum = agents.reduce((total, { each, calls }) => total + calls * each, 0);
  const why = limit === undefined ? '' : ', and a run only stops after the call that exceeds `LIMIT: cost`';
  const cost: Bound = {
    what: 'cost',
    kind: 'cost',
    atMost: Number.isFinite(sum) ? sum : null,
    formula: free === undefined ? null : 'unknown',
    isOnlyByLimit: false,
    because: free === undefined ? null : { text: `${free.name} has no max_cost${why}`, file: null, line: null },
  };
  return free === undefined ? cutAt(cost, limit ?? null, 'LIMIT: cost') : cost;
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
