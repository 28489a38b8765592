/** Launches calls of a plan: each try is an effect of the thread. */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { beginEffect, reissueSample } from '../control/effects.js';
import { doubledMs } from '../instructions/back-off.js';
import type { Pending } from '../run-state/pending.js';
import type { Run } from '../run-state/run.js';
import type { Thread } from '../run-state/thread.js';
import { runningPlan } from './active-plan.js';
import { type CallOptions, overrides } from './call-options.js';
import { type CallFacts, type CallTry, callRequest, requestEvent } from './call-request.js';
import type { LeafCall } from './engine/plan-node.js';

export function launchCall(thread: Thread, leaf: LeafCall, next: CallTry, { delayMs = 0, counts = false } = {}): void {
  const facts = callFacts(leaf, runningPlan(thread).options);
  const request = callRequest(thread, facts, next, delayMs);
  const { waits, correction, continues } = next;
  const call = omitUndefined({ key: leaf.key, correction });
  beginEffect(
    thread,
    request,
    omitUndefined({ event: requestEvent(thread, request, facts), counts, call, waits, continues }),
  );
}

/** Launches the next try of a failed call after a pause. `chance`: null if the pause has one length. */
export function retryCall(
  thread: Thread,
  leaf: LeafCall,
  failed: NonNullable<Pending['retries']>,
  chance: number | null,
): void {
  const { effect, attempt } = failed;
  const { pauseMs, upToMs } = runningPlan(thread).options?.retry ?? { pauseMs: 0 };
  const delayMs = chance === null ? pauseMs : doubledMs(omitUndefined({ pauseMs, upToMs }), attempt, chance);
  thread.run.recordNow({ type: 'effect_retried', ...failed, delay_ms: delayMs });
  launchCall(thread, leaf, { effect, attempt: attempt + 1 }, { delayMs });
}

/** Launches a call that is on record, whether or not it has a permit. False if the run has no such call ready. */
export function forceStartCall(run: Run, effect: string): boolean {
  for (const thread of planThreads(run)) {
    const { engine, effect: base } = runningPlan(thread);
    const leaf = effect.startsWith(`${base}.`) ? engine.forceStart(effect.slice(base.length + 1)) : null;
    if (leaf === null) continue;
    launchCall(thread, leaf, { effect, attempt: 1 }, { counts: true });
    return true;
  }
  return false;
}

/** Requests again what a restored thread waits for. An approval has no request. */
export function requestAgain(thread: Thread, pending: Pending): void {
  const { effect, kind, attempt, waits, call, continues } = pending;
  if (kind === 'approval' || call === undefined) return;
  if (reissueSample(thread, pending)) return;
  const { engine, options } = runningPlan(thread);
  const leaf = engine.leaf(call.key);
  if (leaf === null) throw new Error(`no call ${call.key} of the plan runs`);
  const next = omitUndefined({ effect, attempt, waits, correction: call.correction, continues, again: true as const });
  thread.run.request(callRequest(thread, callFacts(leaf, options), next));
}

function callFacts(leaf: LeafCall, options: CallOptions | null): CallFacts {
  const { call, binding, parameters, check } = leaf;
  const { tool, arms, line, remarks } = call;
  return { name: tool ?? '', binding, check, parameters, arms, line, remarks, ...overrides(options, leaf) };
}

function planThreads(run: Run): Thread[] {
  const threads = new Set([...run.pending.values()].map(({ thread }) => thread));
  return [...threads].filter(({ plan }) => plan !== null);
}
