/**
 * The breaker of an account, as a value. A usage limit or an overload opens it. Then no call of the account starts until the
 * reset. After the reset one call goes first, as a probe. Once the service has answered it, two calls may begin, then four, and
 * so on, until nobody has to wait any more.
 */
import type { Outcome, Unavailable } from '../../../interpreter/events/event.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** A call of which nothing was heard for so long does not hold up the others. */
const SILENT_MS = 10 * 60_000;
/** An account that answered again so long ago counts as free, no matter who has called it since. */
const FORGOTTEN_MS = 60 * 60_000;
/** From this level on, the account counts as free. */
const MOST_LEVEL = 64;

/** A call that has begun while the breaker was not closed, and of which nothing was heard yet. */
export interface ProbingCall {
  readonly id: string;
  readonly began_ms: number;
  readonly process: unknown;
}

export interface BreakerState {
  readonly account: string;
  readonly cause: 'usage' | 'overload';
  /** What the service said. */
  readonly message: string;
  /** When the limit was noticed last, and when the next call may begin. Milliseconds since the epoch. */
  readonly opened_ms: number;
  readonly until_ms: number;
  /** How often in a row the service was found unavailable without saying until when. */
  readonly failures: number;
  /** How many calls may be under way of which nothing was heard: 1 for the probe, then 2, 4, … */
  readonly level: number;
  /** How many have been answered at this level. */
  readonly answered: number;
  /** Whether a call had to wait at this level. */
  readonly wanted: boolean;
  readonly calls: readonly ProbingCall[];
}

/** A limit that a call has reached. */
export interface ReachedLimit {
  readonly account: string;
  /** When the call had begun, and what names it if it was allowed to begin by an open breaker. */
  readonly beganMs: number;
  readonly id: string;
  readonly unavailable: Unavailable & { readonly cause: BreakerState['cause'] };
}

/** A call that may begin. */
export interface AccountCall {
  /** The service has answered; it may be called several times. */
  hears(): void;
  /** The call has ended. Returns its outcome, with the time until which its account waits. */
  ends(outcome: Outcome): Outcome | Promise<Outcome>;
}

/** What a call that has begun tells about its account: the service has answered it, or nothing is known, or it has reached a limit. */
export type CallNews =
  | { readonly kind: 'answered' | 'left'; readonly id: string }
  | ({ readonly kind: 'limit' } & ReachedLimit);

type Admission =
  /** It may begin. `state`: what to store; null: the account is free, and nothing need be stored. */
  | { readonly kind: 'begins'; readonly state: BreakerState | null }
  /** It waits, at least until this time. `state`: what to store, if that changes. */
  | { readonly kind: 'waits'; readonly untilMs: number; readonly state: BreakerState };

const pauseMs = (failures: number): number => Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 20), LONGEST_PAUSE_MS);

/** Until when no call may begin. If the clock was set back, the rest of the time begins now. */
export function waitsUntil({ until_ms: until, opened_ms: opened, level }: BreakerState, nowMs: number): number {
  // A probe was answered since then.
  if (level > 1) return Math.min(until, nowMs);
  return nowMs < opened ? nowMs + (until - opened) : until;
}

/**
 * After the clock was set back: the limit begins now, and lasts as long as it was to last. Without that, the rest of the time would
 * begin again at each look. The same state: the clock was not set back, or nobody waits.
 */
export function reopen(state: BreakerState, nowMs: number): BreakerState {
  const { level, opened_ms: opened } = state;
  if (level > 1 || nowMs >= opened) return state;
  return { ...state, opened_ms: nowMs, until_ms: waitsUntil(state, nowMs) };
}

/** Whether the service has answered since, and nothing has happened for long: then the limit says nothing about now. */
export function isForgotten({ level, until_ms: until, calls }: BreakerState, nowMs: number): boolean {
  const newest = Math.max(until, ...calls.map(({ began_ms: began }) => began));
  return level > 1 && nowMs - newest > FORGOTTEN_MS;
}

/** Whether a limit lets a call begin. `isAlive`: whether the process of a call still runs. */
export function admit(
  state: BreakerState | null,
  call: ProbingCall,
  isAlive: (process: unknown) => boolean,
): Admission {
  const now = call.began_ms;
  if (state === null) return { kind: 'begins', state: null };
  const until = waitsUntil(state, now);
  if (now < until) return { kind: 'waits', untilMs: until, state: withMembers(reopen(state, now), { wanted: true }) };
  const calls = state.calls.filter(
    ({ id, began_ms: began, process }) => id !== call.id && Math.abs(now - began) < SILENT_MS && isAlive(process),
  );
  if (calls.length < state.level) return { kind: 'begins', state: withMembers(state, { calls: [...calls, call] }) };
  return { kind: 'waits', untilMs: now + FIRST_PAUSE_MS, state: withMembers(state, { wanted: true }) };
}

/** How many calls may begin now. */
export function freePermits(state: BreakerState | null, nowMs: number, isAlive: (process: unknown) => boolean): number {
  if (state === null) return Number.POSITIVE_INFINITY;
  if (nowMs < waitsUntil(state, nowMs)) return 0;
  const begun = state.calls.filter(
    ({ began_ms, process }) => Math.abs(nowMs - began_ms) < SILENT_MS && isAlive(process),
  );
  return Math.max(0, state.level - begun.length);
}

/** The service has answered a call. Null: the account is free. */
export function noteAnswer(state: BreakerState, id: string): BreakerState | null {
  const calls = state.calls.filter((one) => one.id !== id);
  if (calls.length === state.calls.length) return state;
  const count = state.answered + 1;
  if (count < state.level) return { ...state, calls, answered: count, failures: 0 };
  if ((state.level > 1 && !state.wanted) || state.level >= MOST_LEVEL) return null;
  return { ...state, calls, level: state.level * 2, answered: 0, failures: 0, wanted: false };
}

/** A call has ended without news of the service. */
export function leftOff(state: BreakerState, id: string): BreakerState {
  const calls = state.calls.filter((one) => one.id !== id);
  return calls.length === state.calls.length ? state : { ...state, calls };
}

/** A call has reached a limit. The same state: it says nothing new. */
export function reachLimit(
  state: BreakerState | null,
  { account, beganMs, id, unavailable }: ReachedLimit,
): BreakerState {
  const { cause, message, until_ms: named, at_ms: now } = unavailable;
  const isAdmitted = state?.calls.some((one) => one.id === id) === true;
  if (state !== null && !isAdmitted) {
    const later = named !== null && named > state.until_ms ? named : null;
    // It had begun before the limit was known. After an answer of the service, that limit is over.
    if (beganMs <= state.opened_ms || state.level === 1)
      return later === null || state.level > 1 ? state : { ...state, until_ms: later, message };
  }
  const failures = state?.failures ?? 0;
  return {
    account,
    cause,
    message,
    opened_ms: now,
    until_ms: named !== null && named > now ? named : now + pauseMs(failures),
    failures: failures + 1,
    level: 1,
    answered: 0,
    wanted: true,
    calls: [],
  };
}

/** What the news of a call make of the breaker of its account. Null: the account is free. */
export function hear(state: BreakerState | null, news: CallNews): BreakerState | null {
  if (news.kind === 'limit') return reachLimit(state, news);
  if (state === null) return null;
  return news.kind === 'answered' ? noteAnswer(state, news.id) : leftOff(state, news.id);
}

/** The same object if nothing is different, which then need not be stored. */
function withMembers(state: BreakerState, members: Partial<BreakerState>): BreakerState {
  const isSame = (Object.keys(members) as (keyof BreakerState)[]).every((name) => state[name] === members[name]);
  return isSame ? state : { ...state, ...members };
}

/** A state as it was stored; null if it is none. */
export function readState(value: unknown): BreakerState | null {
  if (value === null || typeof value !== 'object') return null;
  const state = value as Readonly<Record<keyof BreakerState, unknown>>;
  const { account, cause, message, calls, wanted } = state;
  const numbers = [state.opened_ms, state.until_ms, state.failures, state.level, state.answered];
  const isState =
    typeof account === 'string' &&
    (cause === 'usage' || cause === 'overload') &&
    typeof message === 'string' &&
    typeof wanted === 'boolean' &&
    numbers.every((one) => Number.isSafeInteger(one) && (one as number) >= 0) &&
    (state.level as number) >= 1 &&
    Array.isArray(calls) &&
    calls.every((one) => typeof one?.id === 'string' && Number.isFinite(one?.began_ms));
  return isState ? (value as BreakerState) : null;
}

/** Why a call waits, for the record. `nowMs`: the time now. */
export function backOff({ account, cause, message }: BreakerState, untilMs: number, nowMs: number): Unavailable {
  return omitUndefined({ cause, message, until_ms: untilMs, at_ms: nowMs, account });
}
