/** What a run spends on agents at most, as a sentence. */
import type { RunBounds } from '../../machine/machine.js';
import { countOf, dollars } from './amounts.js';

/** `at most 12 calls of agents (builder 10, planner 2), at most $4.20`, or why there is no number. */
export function boundWords({ calls, cost, only_by_limit, agents, problem }: RunBounds): string {
  if (problem !== undefined) return 'the calls of agents were not computed in time (see `statedsl check --bounds`)';
  if (calls === null) {
    const free = agents.find(({ at_most }) => at_most === null);
    const why = free === undefined ? '' : ` (${free.agent}: ${free.formula ?? free.because ?? 'without a limit'})`;
    return `no number bounds the calls of agents${why}`;
  }
  const each = agents.length < 2 ? '' : ` (${agents.map(({ agent, at_most }) => `${agent} ${at_most}`).join(', ')})`;
  const reported = only_by_limit === true ? ', as far as calls report their cost' : '';
  const money =
    cost === null || calls === 0 ? '' : `, at most ${dollars(cost)} and the last turn of each call${reported}`;
  return `at most ${countOf(calls, 'call')} of agents${each}${money}`;
}
