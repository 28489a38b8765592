/** What a run spends at most, as a sentence, and whether somebody has to confirm it. */
import { dollars } from '../views/drawing/amounts.js';
import type { RunBounds } from './programs.js';

/** `at most 12 calls of agents (builder 10, planner 2), at most $4.20`, or why there is no number. */
export function boundWords({ calls, cost, agents, problem }: RunBounds): string {
  if (problem !== undefined) return 'the calls of agents were not computed in time';
  if (calls === null) {
    const free = agents.find(({ at_most }) => at_most === null);
    const why = free === undefined ? '' : ` (${free.agent}: ${free.formula ?? free.because ?? 'without a limit'})`;
    return `no number bounds the calls of agents${why}`;
  }
  const each = agents.length < 2 ? '' : ` (${agents.map(({ agent, at_most }) => `${agent} ${at_most}`).join(', ')})`;
  const money = cost === null ? '' : `, at most ${dollars(cost)} and the last turn of each call`;
  return `at most ${calls} ${calls === 1 ? 'call' : 'calls'} of agents${each}${money}`;
}

/** Why a run has to be confirmed; null: it need not be. What has no bound is above every number. */
export function whyConfirm(
  bound: RunBounds | null,
  { calls, cost }: { readonly calls?: number; readonly cost?: number },
): string | null {
  if (bound === null || (calls === undefined && cost === undefined)) return null;
  const limits = [
    ...(calls !== undefined && (bound.calls ?? Number.POSITIVE_INFINITY) > calls ? [`${calls} calls`] : []),
    ...(cost !== undefined && (bound.cost ?? Number.POSITIVE_INFINITY) > cost ? [dollars(cost)] : []),
  ];
  const costWords =
    bound.cost === null && cost !== undefined && bound.calls !== null ? ', and no bound of the cost' : '';
  return limits.length === 0
    ? null
    : `the run has ${boundWords(bound)}${costWords}: more than \`confirm_above\` allows (${limits.join(', ')})`;
}
