/** Launches calls of a plan: each try is an effect of the thread. */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { beginEffect, reissueSample } from '../control/request-effects.js';
import { reservationFor } from '../control/reservations.js';
import { doubledMs } from '../instructions/wait-instructions.js';
import type { Pending } from '../run-state/pending.js';
import type { Run } from '../run-state/run-memory.js';
import type { Thread } from '../run-state/thread.js';
import { type CallOptions, overrides, runningPlan } from './active-plan.js';
import { type CallFacts, type CallTry, callRequest, requestEvent } from './call-request.js';
import type { LeafCall } from './engine/plan-node.js';

/** Launches a call, or lets it wait until the budget of the run has what its agent may cost; the run may end instead. */
export function launchCall(thread: Thread, leaf: LeafCall, next: CallTry, { delayMs = 0, counts = false } = {}): void {
  if (thread.run.result !== null) return;
  const { calls } = leaf.binding;
  // A try that was put off has kept what it reserved.
  const reserved = calls.kind === 'agent' ? (next.reserved ?? reservationFor(thread, calls.agent)) : 0;
  if (reserved === 'ended') return;
  const paid = reserved === 'wait' || reserved === 0 ? next : { ...next, reserved };
  if (reserved !== 'wait') return beginCall(thread, leaf, paid, { delayMs, counts });
  const active = runningPlan(thread);
  active.unpaid = [...active.unpaid, { key: leaf.key, next, delayMs, counts }];
}

/** Launches the calls that waited for budget and have it now. */
export function launchUnpaid(thread: Thread): void {
  const active = runningPlan(thread);
  const { unpaid, engine } = active;
  active.unpaid = [];
  for (const { key, next, delayMs, counts } of unpaid) {
    // The time of a call around it may be over.
    const leaf = engine.leaf(key);
    if (leaf !== null) launchCall(thread, leaf, next, { delayMs, counts });
  }
}

interface Launching {
  readonly delayMs: number;
  readonly counts: boolean;
}

function beginCall(thread: Thread, leaf: LeafCall, next: CallTry, { delayMs, counts }: Launching): void {
  const facts = callFacts(leaf, runningPlan(thread).options);
  const request = callRequest(thread, facts, next, delayMs);
  const { waits, correction, continues, reserved } = next;
  const call = omitUndefined({ key: leaf.key, correction });
  beginEffect(
    thread,
    request,
    omitUndefined({ event: requestEvent(thread, request, facts), counts, call, waits, continues, reserved }),
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
    const active = runningPlan(thread);
    const { engine, effect: base, unpaid } = active;
    const waits = unpaid.find(({ next }) => next.effect === effect);
    const paid = waits === undefined ? null : engine.leaf(waits.key);
    if (waits !== undefined && paid !== null) {
      active.unpaid = unpaid.filter((one) => one !== waits);
      beginCall(thread, paid, waits.next, waits);
      return true;
    }
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
