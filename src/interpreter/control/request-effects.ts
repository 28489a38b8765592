/**
 * Effects, from the request to their end. `beginEffect` is the only way to make one. In this order it makes the thread
 * wait, records the event, counts the effect and adds the request.
 */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { EffectKind, RunEvent } from '../events/event.js';
import { WORK_EFFECTS } from '../events/status-after.js';
import type { EffectRequest, SampleRequest } from '../request.js';
import { inStep } from '../run-state/open-frames.js';
import type { Pending } from '../run-state/pending.js';
import { locationOf, type Thread, wakeWaiters } from '../run-state/thread.js';

type RequestedEvent = Extract<RunEvent, { type: 'effect_requested' }>;

/** A request that a program, a function, an agent or a tool performs. */
type ProgramRequest = Extract<EffectRequest, { readonly tool: string | null }>;

/** Facts of an effect in addition to its request. */
export interface EffectFacts
  extends Partial<
    Pick<Pending, 'purpose' | 'until' | 'waiting' | 'waits' | 'putsOff' | 'retries' | 'call' | 'continues' | 'reserved'>
  > {
  /** The event that records the request; null: there is none. */
  readonly event: RunEvent | null;
  /** Whether it is the first attempt of a command, function, agent or tool, which the totals of the run count. */
  readonly counts?: boolean;
}

/** Requests an effect and makes the thread wait for it. */
export function beginEffect(thread: Thread, request: EffectRequest, { event, counts, ...facts }: EffectFacts): void {
  const { run } = thread;
  const { effect, kind, attempt } = request;
  suspend(thread, { purpose: 'result', until: null, waiting: null, ...facts, effect, kind }, attempt);
  if (event !== null) run.recordNow(event);
  if (counts === true) run.usage.countEffect();
  run.request(request);
}

/** The event of a request. `details` follow the members of all requests, in the order of the record. */
export function requestedEvent(request: ProgramRequest, details: Partial<RequestedEvent>): RequestedEvent {
  const { effect, kind, tool, text, state, line, attempt } = request;
  return { type: 'effect_requested', effect, kind, tool, text, state, line, attempt, ...details };
}

/** The event of a request that starts nothing: a sample, a signal. */
export function awaitedEvent(thread: Thread, effect: string, kind: EffectKind, text: string): RequestedEvent {
  const { state, line } = locationOf(thread);
  const common = { type: 'effect_requested', effect, kind, tool: null, text, state, line, attempt: 1 } as const;
  return { ...common, ...inStep(thread) };
}

/** Requests the time, a random number or an identifier. `facts` may name the effect, if it is not the thread's next one. */
export function beginSample(
  thread: Thread,
  kind: SampleRequest['kind'],
  text: string,
  { effect = thread.nextEffect(), ...facts }: Omit<EffectFacts, 'event'> & { readonly effect?: string } = {},
): void {
  const event = awaitedEvent(thread, effect, kind, text);
  beginEffect(thread, sampleRequest(effect, kind), { event, ...facts });
}

function sampleRequest(effect: string, kind: SampleRequest['kind']): SampleRequest {
  return { effect, kind, attempt: 1, delayMs: 0 };
}

/** Requests the time, which an instruction needs before it can wait for a point in time. */
export function readClock(thread: Thread, text: string): void {
  beginSample(thread, 'clock', text, { purpose: 'clock' });
}

/** A point in time, in milliseconds since the epoch, and how long that is from now. */
interface TimerEnd {
  readonly until: number;
  readonly ms: number;
  /** The effect that this timer ends, if the thread does not wait for the timer itself. */
  readonly bounds?: string;
}

/** Waits until a point in time. `facts` may name the effect, if it is not the thread's next one. */
export function beginTimer(
  thread: Thread,
  { until, ms, bounds }: TimerEnd,
  { effect = thread.nextEffect(), ...facts }: Omit<EffectFacts, 'event' | 'until'> & { readonly effect?: string } = {},
): void {
  const account = facts.waiting?.account;
  const event: RunEvent = omitUndefined({ type: 'timer_set', effect, until, account });
  beginEffect(thread, timerRequest({ effect, until, ms, bounds, account }), { event, until, ...facts });
}

/** Waits until a point in time, alone or as the end of something else that the thread waits for. */
export function setTimer(thread: Thread, end: TimerEnd): void {
  const { until, bounds } = end;
  if (bounds === undefined) beginTimer(thread, end, { waiting: { kind: 'time', name: null, until } });
  else beginTimer(thread, end, { purpose: 'bound' });
}

function timerRequest(facts: {
  readonly effect: string;
  readonly until: number;
  readonly ms: number | null;
  readonly bounds: string | undefined;
  readonly account: string | undefined;
}): EffectRequest {
  const { effect, until, ms, bounds, account } = facts;
  return omitUndefined({ effect, kind: 'timer', attempt: 1, delayMs: 0, ms, until, bounds, account });
}

/**
 * Repeats the request for the time, the random number or the timer that a restored thread waits for, without an event.
 * False if it waits for something else.
 */
export function reissueSample(thread: Thread, { effect, kind, until, waiting }: Pending, bounds?: string): boolean {
  const account = waiting?.account;
  if (kind === 'timer') thread.run.request(timerRequest({ effect, until: until ?? 0, ms: null, bounds, account }));
  else if (kind === 'clock' || kind === 'random' || kind === 'uuid') thread.run.request(sampleRequest(effect, kind));
  else return false;
  return true;
}

/** Registers what a thread waits for, in the object that it is given. Without a request, a person provides it: an approval. */
export function suspend(thread: Thread, facts: Omit<Pending, 'thread' | 'taken' | 'attempt'>, attempt = 1): void {
  // A copy of an object with so many optional members takes longer than everything else here.
  const pending = facts as { thread: Thread } & Omit<Pending, 'thread'>;
  pending.attempt = attempt;
  pending.thread = thread;
  pending.taken = false;
  thread.status = 'blocked';
  thread.pending.push(pending);
  thread.run.addPending(pending);
  if (pending.reserved !== undefined) thread.run.usage.reserve(pending.reserved);
}

/** Makes the thread no longer wait for this. */
export function forget(pending: Pending): void {
  const { thread } = pending;
  thread.run.removePending(pending.effect);
  const at = thread.pending.indexOf(pending);
  if (at >= 0) thread.pending.splice(at, 1);
  if (pending.reserved === undefined) return;
  thread.run.usage.reserve(-pending.reserved);
  wakeWaiters(thread.run);
}

/** Stops an effect. That is not a failure, but the record notes its end. */
export function cancel(pending: Pending): void {
  forget(pending);
  const { run } = pending.thread;
  const { effect, attempt } = pending;
  if (pending.taken) run.cancel(effect);
  if (WORK_EFFECTS.has(pending.kind))
    run.recordNow({
      type: 'effect_settled',
      effect,
      attempt,
      outcome: { kind: 'failed', error_type: 'cancelled', message: 'stopped: its result is not needed' },
      stopped: true,
    });
}

/** Drops everything that a thread waits for, and records what was stopped. */
export function cancelAll(thread: Thread): void {
  for (const pending of [...thread.pending]) cancel(pending);
}
