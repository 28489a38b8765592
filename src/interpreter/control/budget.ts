/** Cost and tokens of agent calls, and their limits. A cost that is not reported is unknown, which is not zero. */
import type { Outcome } from '../events/event.js';
import type { Run } from '../run-state/run-memory.js';
import { exceedLimit } from './transfer.js';

/** The cost of one attempt in US dollars; null is unknown. A call that never started or was mocked costs nothing. */
export function costOf(outcome: Outcome): number | null {
  if (outcome.kind === 'exited' || outcome.kind === 'timed-out') return outcome.cost ?? null;
  return outcome.kind === 'value' || outcome.kind === 'not-started' ? 0 : null;
}

/** Whether a call of an agent has not begun, because its account cannot be used now. */
export function isBackedOff(outcome: Outcome): boolean {
  return outcome.kind === 'not-started' && outcome.unavailable !== undefined;
}

/** Adds what one attempt of an agent call used. True if that ended the run. `step`: its step. */
export function spend(run: Run, outcome: Outcome, step?: string): boolean {
  if (isBackedOff(outcome)) return false;
  run.usage.addCall(costOf(outcome), 'tokens' in outcome ? outcome.tokens : undefined);
  const { limits } = run;
  const { knownCost, tokens } = run.usage;
  if (limits.cost !== undefined && knownCost > limits.cost) exceedLimit(run, 'cost', limits.cost, knownCost, step);
  const used = tokens.in + tokens.out;
  if (limits.tokens !== undefined && used > limits.tokens) exceedLimit(run, 'tokens', limits.tokens, used, step);
  return run.result !== null;
}
