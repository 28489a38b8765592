/** Cost and tokens of agent calls, and the limits on them. A cost that is not told is unknown, which is not zero. */
import type { Outcome } from '../events/event.js';
import type { Run } from '../run-state/run.js';
import { exceedLimit } from './transfer.js';

/** A sum of US dollars, without what adding fractions in binary leaves behind. */
export function addCost(a: number, b: number): number {
  return Math.round((a + b) * 1e9) / 1e9;
}

/** US dollars of one try; null is unknown. What never started, or was answered by a stand-in, costs nothing. */
export function costOf(outcome: Outcome): number | null {
  if (outcome.kind === 'exited' || outcome.kind === 'timed-out') return outcome.cost ?? null;
  return outcome.kind === 'value' || outcome.kind === 'not-started' ? 0 : null;
}

/** Adds what one try of an agent call used. True when that ended the run. `step`: what it was for. */
export function spend(run: Run, outcome: Outcome, step?: string): boolean {
  run.agentCalls++;
  const cost = costOf(outcome);
  if (cost === null) run.unknownCosts++;
  else run.knownCost = addCost(run.knownCost, cost);
  if ('tokens' in outcome && outcome.tokens !== undefined) {
    run.tokens.in += outcome.tokens.in;
    run.tokens.out += outcome.tokens.out;
    run.tokens.cache_read += outcome.tokens.cache_read;
    run.tokens.cache_write += outcome.tokens.cache_write;
  }
  const { limits } = run;
  if (limits.cost !== undefined && run.knownCost > limits.cost)
    exceedLimit(run, 'cost', limits.cost, run.knownCost, step);
  const tokens = run.tokens.in + run.tokens.out;
  if (limits.tokens !== undefined && tokens > limits.tokens) exceedLimit(run, 'tokens', limits.tokens, tokens, step);
  return run.result !== null;
}
