/** Cost and tokens of agent calls, and the limits on them. A cost that is not told is unknown, which is not zero. */
import type { Outcome } from '../events/event.js';
import type { Run } from '../run-state/run.js';
import { exceedLimit } from './transfer.js';

/** US dollars of one try; null is unknown. What never started, or was answered by a stand-in, costs nothing. */
export function costOf(outcome: Outcome): number | null {
  if (outcome.kind === 'exited' || outcome.kind === 'timed-out') return outcome.cost ?? null;
  return outcome.kind === 'value' || outcome.kind === 'not-started' ? 0 : null;
}

/** Adds what one try of an agent call used. True when that ended the run. `step`: what it was for. */
export function spend(run: Run, outcome: Outcome, step?: string): boolean {
  run.usage.addCall(costOf(outcome), 'tokens' in outcome ? outcome.tokens : undefined);
  const { limits } = run;
  const { knownCost, tokens } = run.usage;
  if (limits.cost !== undefined && knownCost > limits.cost) exceedLimit(run, 'cost', limits.cost, knownCost, step);
  const used = tokens.in + tokens.out;
  if (limits.tokens !== undefined && used > limits.tokens) exceedLimit(run, 'tokens', limits.tokens, used, step);
  return run.result !== null;
}
