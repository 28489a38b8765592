/**
 * The object of a key: the run that has it, and those that wait for it, in the order in which they came. It decides which run is
 * executed, and tells all of them. A run that gets a key which it does not want any more gives it back at once: so in whichever
 * order messages come, none holds a key after its end.
 */
import type { RunEvent } from '../interpreter/events/event.js';
import type { OnBusy } from '../runtime/store/run-header.js';
import type { ObjectContext } from './engine-context.js';
import type { ServiceNames } from './services.js';

/** A run wants a key. `claim`: the number of this wish; a later one takes its place. */
export interface KeyClaim {
  readonly key: string;
  readonly run_id: string;
  readonly claim: number;
  readonly onBusy: OnBusy;
}

/** A run gives a key back, or does not want it any more: with this wish, and with all earlier ones. */
export type ReleasedKey = Omit<KeyClaim, 'onBusy'>;

/** What is on the record of a run about its key. */
export type KeyEvent = Extract<RunEvent, { readonly type: 'key_shared' | 'run_skipped' }>;

/** What a run learns about its key. `run_id`: the other run. */
export type KeyWord =
  | { readonly kind: 'granted'; readonly key: string; readonly claim: number; readonly events: readonly KeyEvent[] }
  | { readonly kind: 'skipped' | 'busy'; readonly key: string; readonly claim: number; readonly run_id: string }
  /** Another run waits for this one, or was skipped. */
  | { readonly kind: 'note'; readonly key: string; readonly run_id: string; readonly how: 'waits' | 'skipped' }
  | { readonly kind: 'cancel'; readonly key: string; readonly run_id: string };

interface WaitingClaim extends KeyClaim {
  /** When it came, in milliseconds since the epoch. */
  readonly since: number;
  /** The runs that it has waited for, and those that it has cancelled. */
  readonly waitedFor: readonly string[];
  readonly cancelled: readonly string[];
}

export interface KeyState {
  /** Null: then nobody waits, either. */
  readonly holder: { readonly run_id: string; readonly claim: number } | null;
  readonly waiting: readonly WaitingClaim[];
}

/** What follows from a message: the new state, and the messages to runs. */
export interface KeyDecision {
  readonly state: KeyState;
  readonly told: readonly (readonly [to: string, KeyWord])[];
}

export const FREE_KEY: KeyState = { holder: null, waiting: [] };

export function decideClaim(state: KeyState, given: KeyClaim, now: number): KeyDecision {
  const { holder } = state;
  const isOwn = ({ run_id }: { readonly run_id: string }): boolean => run_id === given.run_id;
  // A message that was overtaken by a later one.
  if ([...state.waiting, ...(holder === null ? [] : [holder])].some((one) => isOwn(one) && one.claim > given.claim))
    return { state, told: [] };
  const claim = { ...given, since: now, waitedFor: [], cancelled: [] };
  const waiting = state.waiting.filter((one) => !isOwn(one));
  // What the run gave back before may still be on its way here.
  if (holder === null || isOwn(holder)) return grantKey(claim, waiting, now);
  const { stays, told } = meet(claim, holder.run_id);
  return { state: { holder, waiting: [...waiting, ...stays] }, told };
}

export function decideRelease({ holder, waiting }: KeyState, { run_id, claim }: ReleasedKey, now: number): KeyDecision {
  const isGiven = (one: { readonly run_id: string; readonly claim: number }): boolean =>
    one.run_id === run_id && one.claim <= claim;
  const left = waiting.filter((one) => !isGiven(one));
  if (holder !== null && !isGiven(holder)) return { state: { holder, waiting: left }, told: [] };
  const next = nextOf(left);
  if (next === null) return { state: FREE_KEY, told: [] };
  return grantKey(
    next,
    left.filter((one) => one !== next),
    now,
  );
}

/** Of those that cancel others, the newest continues; otherwise the one that came first. */
function nextOf(waiting: readonly WaitingClaim[]): WaitingClaim | null {
  const cancelling = waiting.filter(({ onBusy }) => onBusy === 'cancel');
  if (cancelling.length === 0) return waiting[0] ?? null;
  return cancelling.reduce((newest, one) => (one.run_id > newest.run_id ? one : newest));
}

function grantKey(claim: WaitingClaim, others: readonly WaitingClaim[], now: number): KeyDecision {
  const { key, run_id } = claim;
  const event = (other: string, how: 'waited' | 'cancelled'): KeyEvent => ({
    type: 'key_shared',
    ...{ key, run_id: other, how },
    ...(how === 'waited' ? { waited_ms: Math.max(0, Math.round(now - claim.since)) } : {}),
  });
  const events = [
    ...claim.cancelled.map((other) => event(other, 'cancelled')),
    ...claim.waitedFor.map((other) => event(other, 'waited')),
  ];
  const met = others.map((one) => meet(one, run_id));
  return {
    state: { holder: { run_id, claim: claim.claim }, waiting: met.flatMap(({ stays }) => stays) },
    told: [[run_id, { kind: 'granted', key, claim: claim.claim, events }], ...met.flatMap(({ told }) => told)],
  };
}

/** What a run does about the one that has its key. */
function meet(
  one: WaitingClaim,
  holder: string,
): { readonly stays: readonly WaitingClaim[]; readonly told: KeyDecision['told'] } {
  const { key, run_id, claim, onBusy } = one;
  // Of two that cancel each other, the newer one continues.
  if (onBusy === 'skip' || (onBusy === 'cancel' && holder > run_id))
    return {
      stays: [],
      told: [
        [run_id, { kind: 'skipped', key, claim, run_id: holder }],
        [holder, { kind: 'note', key, run_id, how: 'skipped' }],
      ],
    };
  const busy: KeyWord = { kind: 'busy', key, claim, run_id: holder };
  if (onBusy === 'cancel')
    return {
      stays: [{ ...one, cancelled: [...one.cancelled, holder] }],
      told: [
        [run_id, busy],
        [holder, { kind: 'cancel', key, run_id }],
      ],
    };
  if (one.waitedFor.includes(holder)) return { stays: [one], told: [[run_id, busy]] };
  return {
    stays: [{ ...one, waitedFor: [...one.waitedFor, holder] }],
    told: [
      [run_id, busy],
      [holder, { kind: 'note', key, run_id, how: 'waits' }],
    ],
  };
}

/** Handlers of the object of a key, by their names on the engine. Without a run it has no state. */
export function keyHandlers(services: ServiceNames) {
  const decide = async (
    context: ObjectContext,
    decision: (state: KeyState, now: number) => KeyDecision,
  ): Promise<void> => {
    const { state, told } = decision((await context.get<KeyState>('state')) ?? FREE_KEY, await context.now());
    if (state.holder === null) context.clear('state');
    else context.set('state', state);
    for (const [run, word] of told) context.send(services.run(run, 'keyed'), word);
  };
  return {
    claim: (context: ObjectContext, claim: KeyClaim): Promise<void> =>
      decide(context, (state, now) => decideClaim(state, claim, now)),
    release: (context: ObjectContext, given: ReleasedKey): Promise<void> =>
      decide(context, (state, now) => decideRelease(state, given, now)),
  };
}
