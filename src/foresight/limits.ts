/** LIMIT and properties: whether it can end runs that the exploration continues, which counts neither states nor costs. */
import type { Limits } from '../machine/machine.js';
import type { Exploration } from './exploration.js';
import type { Edge } from './graph.js';
import { entriesIn, largestSum, orderOf } from './longest-ways.js';
import type { Rule } from './monitors.js';

/** What the exploration says if no run violates a rule. */
export type Explored = 'undecided' | 'bounded' | 'proved';

export interface Capped {
  readonly verdict: Explored;
  readonly note?: string;
}

/** What is known of all runs, if LIMIT may end some of them before the explored end. */
export function cappedByLimits(exploration: Exploration, rule: Rule, whole: Explored): Capped {
  // What never happens does not happen in a run that ends earlier, either.
  const isAboutEnd = rule.kind === 'after' || (rule.kind === 'ends' && rule.statuses?.includes('failed') === false);
  if (!isAboutEnd || whole === 'undecided') return { verdict: whole };
  const { limits } = exploration.machine;
  if (limits.transitions !== undefined && mostTransitions(exploration) > limits.transitions)
    return { verdict: 'undecided', note: '`LIMIT: transitions` may end a run earlier' };
  const name = limitOfEffects(exploration, limits);
  return name === null
    ? { verdict: whole }
    : { verdict: 'bounded', note: `for runs that \`LIMIT: ${name}\` does not end` };
}

/** Whether `LIMIT: time` may end a run on this way, because time passes. */
export function mayRunOutOfTime({ machine }: Exploration, way: readonly Edge[]): boolean {
  return machine.limits.timeMs !== undefined && way.some(({ isTime }) => isTime);
}

function limitOfEffects({ sites }: Exploration, { timeMs, cost, tokens, journal, output }: Limits): string | null {
  const callsAgents = sites.some(({ kind }) => kind === 'agent');
  if (timeMs !== undefined) return 'time';
  if (callsAgents && cost !== undefined) return 'cost';
  if (callsAgents && tokens !== undefined) return 'tokens';
  if (output !== undefined) return 'output';
  return journal === undefined ? null : 'journal';
}

/** The most state changes of a run; infinite if they can repeat without end. The first state is entered without one. */
function mostTransitions(exploration: Exploration): number {
  const countIn = entriesIn(exploration);
  const ordered = orderOf(exploration);
  return largestSum(exploration, ordered, ordered.edges.map(countIn), (edge) => countIn(edge) - 1);
}
