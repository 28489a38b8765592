/** Takes an outcome from the world to the plan: an answer of a person, the end of a limit, or what a call came to. */

import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { backOff, unavailability } from '../agents/agent-wait.js';
import { continuedSession } from '../agents/continued-session.js';
import { spend } from '../control/budget.js';
import type { Outcome } from '../events/event.js';
import { askChance, chanceOf } from '../instructions/back-off.js';
import { decodeOutcome } from '../outcome.js';
import type { Pending } from '../run-state/pending.js';
import type { Thread } from '../run-state/thread.js';
import { runningPlan } from './active-plan.js';
import { mayRetry } from './call-options.js';
import { decodeAgentOutcome, decodeToolOutcome, unusableOutcome } from './call-outcome.js';
import { type LeafCall, resultSchema } from './engine/plan-node.js';
import { launchCall, retryCall } from './launch-call.js';
import { applyLimit, isLimit } from './limit-timers.js';
import type { PlanOutcome } from './scheduler/plan-outcome.js';

const APPROVAL = { decoding: 'capture', ok: [0], tool: null, agent: false } as const;

/**
 * Applies one outcome to the engine. False if nothing is applied yet, because the call is tried once more, or because
 * the run has ended. `isBound`: the program binds the result of the CALL.
 */
export function collect(thread: Thread, pending: Pending, outcome: Outcome, isBound: boolean): boolean {
  const { engine } = runningPlan(thread);
  const { call, effect, kind, waits, putsOff, retries } = pending;
  if (call === undefined) throw new Error(`no call of a plan waits for ${effect}`);
  if (kind === 'approval') {
    engine.approve(call.key, (decodeOutcome(outcome, APPROVAL).value ?? null) as Json, pending.answeredBy);
    return true;
  }
  if (isLimit(pending)) return applyLimit(thread, pending, outcome);
  const leaf = engine.leaf(call.key);
  if (leaf === null) throw new Error(`no call ${call.key} of the plan runs`);
  if (putsOff !== undefined) {
    const { continues } = pending;
    launchCall(
      thread,
      leaf,
      omitUndefined({ ...putsOff, waits, correction: call.correction, continues, reserved: pending.reserved }),
    );
    return false;
  }
  if (retries !== undefined) {
    retryCall(thread, leaf, retries, chanceOf(outcome));
    return false;
  }
  if (leaf.binding.calls.kind === 'agent') return collectFromAgent(thread, pending, leaf, outcome);
  const isKept = leaf.call.arms.length > 0 || (isBound && leaf.node.parent === null);
  const isWanted = isKept || resultSchema(leaf.binding) !== undefined;
  return settle(thread, pending, leaf, decodeToolOutcome(outcome, leaf.binding, isWanted));
}

/** An agent whose answer cannot be used is asked once more, in its session if it has one. */
function collectFromAgent(thread: Thread, pending: Pending, leaf: LeafCall, outcome: Outcome): boolean {
  const { effect, attempt, call } = pending;
  if (spend(thread.run, outcome)) return false;
  const unavailable = unavailability(outcome);
  if (unavailable !== null) {
    const continues = continuedSession(outcome, pending.continues);
    backOff(thread, omitUndefined({ ...pending, continues }), unavailable);
    return false;
  }
  const answer = decodeAgentOutcome(outcome, leaf.call.tool ?? '', resultSchema(leaf.binding) !== undefined);
  if (answer.kind !== 'unusable') return settle(thread, pending, leaf, answer);
  if (call?.correction !== undefined) return settle(thread, pending, leaf, unusableOutcome(answer));
  const { problem, session, sessionTokens } = answer;
  // The question is another one, so it is an effect of its own; it counts as the same attempt.
  const next = { effect: `${effect}.again`, attempt, correction: omitUndefined({ problem, session, sessionTokens }) };
  launchCall(thread, leaf, next, { counts: true });
  return false;
}

/** Gives the outcome to the engine, unless the program allows one more try. */
function settle(thread: Thread, { effect, attempt }: Pending, leaf: LeafCall, outcome: PlanOutcome): boolean {
  const { engine, options } = runningPlan(thread);
  const isOwn = leaf.node.parent === null && leaf.check === null;
  if (options === null || !isOwn || !mayRetry(options, attempt, outcome, leaf.binding)) {
    engine.settle(leaf.key, outcome);
    return true;
  }
  const error = outcome.kind === 'result' ? '' : outcome.message;
  const retries = { effect, attempt, error };
  if (options.retry.upToMs === undefined) retryCall(thread, leaf, retries, null);
  else askChance(thread, { retries, call: { key: leaf.key } });
  return false;
}
