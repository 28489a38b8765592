/**
 * Effects, from the request to their end. `beginEffect` is the only way to ask the world for something: the thread waits
 * for it, the event says so, it is counted, and the request goes out, in this order.
 */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { EffectKind, RunEvent } from '../events/event.js';
import type { EffectRequest, SampleRequest } from '../request.js';
import { inStep } from '../run-state/open-frames.js';
import type { Pending } from '../run-state/pending.js';
import { locationOf, type Thread } from '../run-state/thread.js';

type RequestedEvent = Extract<RunEvent, { type: 'effect_requested' }>;

/** A request that a program, a function, an agent or a tool carries out. */
type PerformedRequest = Extract<EffectRequest, { readonly tool: string | null }>;

/** What is known of an effect besides its request. */
export interface EffectFacts
  extends Partial<Pick<Pending, 'purpose' | 'until' | 'waiting' | 'waits' | 'putsOff' | 'retries' | 'call'>> {
  /** The record of the request; null: there is none. */
  readonly event: RunEvent | null;
  /** It is the first try of a command, function, agent or tool, which the totals of the run count. */
  readonly counts?: boolean;
}

/** Asks the world for an effect, which the thread waits for from now on. */
export function beginEffect(thread: Thread, request: EffectRequest, { event, counts, ...facts }: EffectFacts): void {
  const { run } = thread;
  const { effect, kind, attempt } = request;
  suspend(thread, { purpose: 'result', until: null, waiting: null, ...facts, effect, kind }, attempt);
  if (event !== null) run.recordNow(event);
  if (counts === true) run.usage.countEffect();
  run.request(request);
}

/** The record of a request. `details` follow what all requests have, in the order of the record. */
export function requestedEvent(request: PerformedRequest, details: Partial<RequestedEvent>): RequestedEvent {
  const { effect, kind, tool, text, state, line, attempt } = request;
  return { type: 'effect_requested', effect, kind, tool, text, state, line, attempt, ...details };
}

/** The record of a request that nothing performs: a sample, a signal. */
export function awaitedEvent(thread: Thread, effect: string, kind: EffectKind, text: string): RequestedEvent {
  const { state, line } = locationOf(thread);
  const common = { type: 'effect_requested', effect, kind, tool: null, text, state, line, attempt: 1 } as const;
  return { ...common, ...inStep(thread) };
}

/** Asks for the time, for chance or for an identifier. `facts`: also the effect, where it is not the next of the thread. */
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

/** Asks what time it is; an instruction needs it before it can wait for a point in time. */
export function readClock(thread: Thread, text: string): void {
  beginSample(thread, 'clock', text, { purpose: 'clock' });
}

/** A point in time, in milliseconds since the epoch, and how long that is from now. */
interface TimerEnd {
  readonly until: number;
  readonly ms: number;
  /** The effect that this timer ends, when it is not waited for itself. */
  readonly bounds?: string;
}

/** Waits until a point in time. `facts`: also the effect, where it is not the next of the thread. */
export function beginTimer(
  thread: Thread,
  { until, ms, bounds }: TimerEnd,
  { effect = thread.nextEffect(), ...facts }: Omit<EffectFacts, 'event' | 'until'> & { readonly effect?: string } = {},
): void {
  const event: RunEvent = { type: 'timer_set', effect, until };
  beginEffect(thread, timerRequest({ effect, until, ms, bounds }), { event, until, ...facts });
}

/** Waits until a point in time that is the only thing the thread waits for, or that ends something else it waits for. */
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
}): EffectRequest {
  const { effect, until, ms, bounds } = facts;
  return omitUndefined({ effect, kind: 'timer', attempt: 1, delayMs: 0, ms, until, bounds });
}

/**
 * Asks again for the time, the chance or the timer that a restored thread waits for; no event. False where it waits for
 * something else.
 */
export function reissueSample(thread: Thread, { effect, kind, until }: Pending, bounds?: string): boolean {
  if (kind === 'timer') thread.run.request(timerRequest({ effect, until: until ?? 0, ms: null, bounds }));
  else if (kind === 'clock' || kind === 'random' || kind === 'uuid') thread.run.request(sampleRequest(effect, kind));
  else return false;
  return true;
}

/** Registers what a thread waits for. What the world is not asked for, a person gives: an approval. */
export function suspend(thread: Thread, facts: Omit<Pending, 'thread' | 'taken' | 'attempt'>, attempt = 1): void {
  const pending: Pending = { ...facts, attempt, thread, taken: false };
  thread.status = 'blocked';
  thread.pending.push(pending);
  thread.run.addPending(pending);
}

/** The thread does not wait for this any more. */
export function forget(pending: Pending): void {
  const { thread } = pending;
  thread.run.removePending(pending.effect);
  const at = thread.pending.indexOf(pending);
  if (at >= 0) thread.pending.splice(at, 1);
}

const PROCESSES: ReadonlySet<EffectKind> = new Set(['shell', 'argv', 'function', 'agent', 'tool']);

/** Stops an effect. That is no failure, but the record says that it came to an end. */
export function cancel(pending: Pending): void {
  forget(pending);
  const { run } = pending.thread;
  const { effect, attempt } = pending;
  if (pending.taken) run.cancel(effect);
  if (PROCESSES.has(pending.kind))
    run.recordNow({
      type: 'effect_settled',
      effect,
      attempt,
      outcome: { kind: 'failed', error_type: 'cancelled', message: 'stopped: its result is not needed' },
      stopped: true,
    });
}

/** Drops everything a thread waits for, with the record of what was stopped. */
export function cancelAll(thread: Thread): void {
  for (const pending of [...thread.pending]) cancel(pending);
}
