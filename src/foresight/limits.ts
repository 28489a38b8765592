/** LIMIT and properties: whether it can end runs that the exploration continues, which counts neither states nor costs. */
import type { Limits } from '../machine/machine.js';
import type { Exploration } from './exploration.js';
import type { Edge } from './graph.js';
import { entriesIn, largestSum, orderOf } from './longest-ways.js';
import { mayBeLimit } from './moments.js';
import { momentsOf, type Rule } from './monitors.js';

/** What the exploration says if no run violates a rule. */
export type Explored = 'undecided' | 'bounded' | 'proved';

export interface Capped {
  readonly verdict: Explored;
  readonly note?: string;
}

/** What is known of all runs, if LIMIT may end some of them before the explored end. */
export function cappedByLimits(exploration: Exploration, rule: Rule, whole: Explored): Capped {
  // What never happens does not happen in a run that ends earlier, either, unless it is that end.
  const isAboutEnd =
    rule.kind === 'after' || (rule.kind === 'ends' && rule.statuses?.includes('failed') === false) || isOfLimit(rule);
  if (!isAboutEnd || whole === 'undecided') return { verdict: whole };
  const { limits } = exploration.machine;
  // Who asks for this kind means the limit that every run has, too.
  const transitions = limits.transitions ?? (isOfLimit(rule, 'limit') ? DEFAULT_TRANSITIONS : undefined);
  if (transitions !== undefined && mostTransitions(exploration) > transitions)
    return { verdict: 'undecided', note: `${limitOf(limits)} may end a run earlier` };
  const name = limitOfEffects(exploration, limits);
  return name === null
    ? { verdict: whole }
    : { verdict: 'bounded', note: `for runs that \`LIMIT: ${name}\` does not end` };
}

/** Whether `LIMIT: time` may end a run on this way, because time passes. */
export function mayRunOutOfTime({ machine }: Exploration, way: readonly Edge[]): boolean {
  return machine.limits.timeMs !== undefined && way.some(({ isTime }) => isTime);
}

/** That of a run without `LIMIT: transitions`. */
const DEFAULT_TRANSITIONS = 100_000;

const limitOf = ({ transitions }: Limits): string =>
  transitions === undefined ? `the limit of ${DEFAULT_TRANSITIONS} transitions` : '`LIMIT: transitions`';

/** Whether the first moment of a rule is the end of a run by LIMIT: as one of all failures, or as this kind alone. */
export function isOfLimit(rule: Rule, only?: 'limit'): boolean {
  const [moment] = momentsOf(rule);
  return moment?.kind === 'failed' && mayBeLimit(moment) && (only === undefined || moment.error === only);
}

function limitOfEffects({ sites, machine }: Exploration, limits: Limits): string | null {
  const { timeMs, cost, tokens, journal, output } = limits;
  // Those of called workflows are within these.
  const ofWorkflows = machine.states
    .flatMap(({ code }) => code)
    .flatMap((one) => (one.op === 'workflow-enter' ? Object.keys(one.limits) : []));
  const callsAgents = sites.some(({ kind }) => kind === 'agent');
  if (timeMs !== undefined || ofWorkflows.includes('timeMs')) return 'time';
  if (callsAgents && (cost !== undefined || ofWorkflows.includes('cost'))) return 'cost';
  if (callsAgents && (tokens !== undefined || ofWorkflows.includes('tokens'))) return 'tokens';
  if (output !== undefined) return 'output';
  return journal === undefined ? null : 'journal';
}

/** The most state changes of a run; infinite if they can repeat without end. The first state is entered without one. */
function mostTransitions(exploration: Exploration): number {
  const countIn = entriesIn(exploration);
  const ordered = orderOf(exploration);
  return largestSum(exploration, ordered, ordered.edges.map(countIn), (edge) => countIn(edge) - 1);
}
