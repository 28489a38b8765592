/**
 * What all runs of an engine share: limits that accounts of agents have reached, and what programs have spent of their budgets.
 * Each is an object of its own, whose rules are those of one machine; only where it is stored differs. Calls that wait are known
 * by their names: as soon as some may begin, the objects of their runs get a message. Without it, they look again by themselves.
 *
 * The state of an object: `state`, and `w<call>` for each call that waits. The object of a kind lists the others.
 */
import type { Unavailable } from '../interpreter/events/event.js';
import {
  admit,
  type BreakerState,
  backOff,
  type CallNews,
  freePermits,
  hear,
  isForgotten,
  reachLimit,
  readState,
  reopen,
  waitsUntil,
} from '../runtime/agents/breakers/breaker.js';
import {
  type BudgetedCall,
  type DaySpending,
  endCall,
  fits,
  type Purse,
  type Reservation,
  reserveFrom,
  today,
  waitsFor,
} from '../runtime/agents/spending.js';
import { EngineRefusal, type ObjectContext, type SharedContext } from './engine-context.js';
import type { FreedCalls } from './messages.js';
import type { ServiceNames } from './services.js';

/** `memo`: outcomes that runs remember; `begun`: steps that will be remembered. */
export type SharedKind = 'breaker' | 'spending' | 'memo' | 'begun';

/** A text that a run keeps for others; null: it is to be forgotten. */
export interface KeptText {
  readonly kind: SharedKind;
  readonly text: string | null;
  readonly run: string;
}

/** A call asks whether it may begin, or tells what it has found out. `at`: milliseconds since the epoch. */
export interface AskedAccount {
  readonly account: string;
  readonly at: number;
  readonly asks: { readonly kind: 'enter'; readonly id: string } | { readonly kind: 'tell'; readonly news: CallNews };
}

/** A call reserves what it may cost, or has ended; or a worker has learned that somebody has raised the budget. */
export interface AskedSpending {
  readonly purse: Purse;
  readonly asks:
    | { readonly kind: 'reserve'; readonly call: BudgetedCall }
    | { readonly kind: 'end'; readonly id: string; readonly cost: number | null }
    | { readonly kind: 'raised' };
}

/** A call that waits for a budget. */
interface WaitingCall {
  /** What its run waits for. */
  readonly account: string;
  readonly needs: number;
}

export interface AccountAnswer {
  /** Null: the account is free. */
  readonly state: BreakerState | null;
  /** Why the call has to wait; null: it may begin. */
  readonly waits: Unavailable | null;
}

/** An object of a kind, and what it is about. */
export interface SharedEntry {
  readonly key: string;
  readonly name: string;
}

/**
 * The maker of a call is not asked whether it lives: the engine gives a call of a worker that died to another one, which
 * asks with the same name. Until then it holds what it has reserved.
 */
const isAlive = (): boolean => true;

/** The beginning of the names of state that have a call that waits. */
const WAITS = 'w';
/** A call that waits for others, and not for a time, looks again after so many milliseconds if nobody has told it anything. */
const LOOK_MS = 60_000;
/** No name is longer, in characters. */
const LONGEST = 4000;

/** Handlers that change an object, by their names on the engine. */
export function sharedHandlers(services: ServiceNames) {
  return {
    async account(context: ObjectContext, asked: AskedAccount): Promise<AccountAnswer> {
      refuseUnless(isAskedAccount(asked), 'a call says about its account');
      const { account, at, asks } = asked;
      const stored = await context.get<BreakerState>('state');
      const known = stored === null || isForgotten(stored, at) ? null : reopen(stored, at);
      if (asks.kind === 'enter') return enter(context, services, { stored, known, at, id: asks.id });
      const { news } = asks;
      // Those that wait do not ask again before they may begin.
      const isWanted = known !== null && !known.wanted && (await waitingIn(context)).length > 0;
      const next = hear(isWanted ? { ...known, wanted: true } : known, news);
      keep(context, services, { kind: 'breaker', name: account }, stored, next);
      if (news.kind === 'limit') context.set(`${WAITS}${news.id}`, {});
      await wake(context, services, account, freePermits(next, at, isAlive));
      return { state: next, waits: null };
    },

    /** Null: there is nothing to answer. */
    async spend(context: ObjectContext, asked: AskedSpending): Promise<Reservation | null> {
      refuseUnless(isAskedSpending(asked), 'a call says about a budget');
      const { purse, asks } = asked;
      const stored = await context.get<DaySpending>('state');
      if (asks.kind === 'reserve') {
        const { call } = asks;
        const { state, ...reserved } = reserveFrom(stored, purse, call, { process: null, isAlive });
        keep(context, services, { kind: 'spending', name: purse.account }, stored, state);
        const { isFitting, needs } = reserved;
        const name = `${WAITS}${call.id}`;
        if (isFitting) context.clear(name);
        else context.set(name, { account: waitsFor(purse, needs), needs } satisfies WaitingCall);
        return reserved;
      }
      const state = stored === null || asks.kind === 'raised' ? stored : endCall(stored, asks.id, asks.cost);
      keep(context, services, { kind: 'spending', name: purse.account }, stored, state);
      await wakeFitting(context, services, state, purse);
      return null;
    },

    /** All calls of an account may begin. */
    async clear(context: ObjectContext): Promise<void> {
      const stored = await context.get<BreakerState>('state');
      context.clear('state');
      if (stored !== null) await wake(context, services, stored.account, Number.POSITIVE_INFINITY);
    },

    /** The text of an object that has nothing else. */
    async keepText(context: ObjectContext, kept: KeptText): Promise<void> {
      refuseUnless(isKept(kept), 'a worker keeps');
      const { kind, text, run } = kept;
      if (text === null) context.clear('state');
      else context.set('state', text);
      context.send(services.sharedObject(kind, 'enlist'), { key: context.key, name: text === null ? null : run });
    },

    /** The object of a kind learns of another one. */
    async enlist(context: ObjectContext, { key, name }: { key: string; name: string | null }): Promise<void> {
      if (name === null) context.clear(key);
      else context.set(key, name);
    },
  };
}

/** Handlers that only read it. */
export function sharedReaders() {
  return {
    look: (context: SharedContext): Promise<unknown> => context.get<unknown>('state'),

    async entries(context: SharedContext): Promise<readonly SharedEntry[]> {
      const found = (await context.names()).map((key) => ({ key, name: context.get<string>(key) }));
      const entries: SharedEntry[] = [];
      for (const { key, name } of found) entries.push({ key, name: (await name) ?? '' });
      return entries;
    },
  };
}

interface Entering {
  readonly stored: BreakerState | null;
  readonly known: BreakerState | null;
  readonly at: number;
  readonly id: string;
}

function enter(context: ObjectContext, services: ServiceNames, { stored, known, at, id }: Entering): AccountAnswer {
  const admission = admit(known, { id, began_ms: at, process: null }, isAlive);
  const { state } = admission;
  keep(context, services, { kind: 'breaker', name: state?.account ?? '' }, stored, state);
  if (admission.kind === 'begins') {
    if (stored !== null) context.clear(`${WAITS}${id}`);
    return { state, waits: null };
  }
  context.set(`${WAITS}${id}`, {});
  const until = at < waitsUntil(admission.state, at) ? admission.untilMs : at + LOOK_MS;
  return { state, waits: backOff(admission.state, until, at) };
}

/** Stores what has changed. The object of the kind learns of a new one. */
function keep(
  context: ObjectContext,
  services: ServiceNames,
  { kind, name }: { readonly kind: SharedKind; readonly name: string },
  stored: unknown,
  next: unknown,
): void {
  if (next === stored) return;
  if (next === null) return context.clear('state');
  context.set('state', next);
  if (stored === null)
    context.send(services.sharedObject(kind, 'enlist'), { key: context.key, name } satisfies SharedEntry);
}

const waitingIn = async (context: ObjectContext): Promise<string[]> =>
  (await context.names()).filter((name) => name.startsWith(WAITS)).sort();

/** Tells the runs of so many calls that wait that they may begin: the oldest runs first. */
async function wake(context: ObjectContext, services: ServiceNames, account: string, count: number): Promise<void> {
  if (count === 0) return;
  const counts = new Map<string, number>();
  for (const name of (await waitingIn(context)).slice(0, count)) {
    context.clear(name);
    const runId = runOf(name.slice(WAITS.length));
    counts.set(runId, (counts.get(runId) ?? 0) + 1);
  }
  for (const [runId, calls] of counts)
    context.send(services.run(runId, 'freed'), { account, count: calls } satisfies FreedCalls);
}

/** Anybody who reaches the engine can ask, and a handler that fails is repeated forever. */
function refuseUnless(isFit: boolean, what: string): void {
  if (!isFit) throw new EngineRefusal(400, `this is not what ${what}`);
}

const isName = (one: unknown): one is string => typeof one === 'string' && one.length > 0 && one.length <= LONGEST;

function isKept(given: unknown): given is KeptText {
  const { kind, text, run } = (given ?? {}) as Partial<KeptText>;
  return (kind === 'memo' || kind === 'begun') && (text === null || typeof text === 'string') && isName(run);
}

function isAskedSpending(given: unknown): given is AskedSpending {
  const { purse, asks } = (given ?? {}) as Partial<AskedSpending>;
  const { account, program, day, limit, waits, of } = purse ?? {};
  if (![account, program, day, waits, of].every(isName) || !Number.isFinite(limit)) return false;
  if (asks?.kind === 'raised') return true;
  if (asks?.kind === 'end') return isName(asks.id) && (asks.cost === null || isAmount(asks.cost));
  const { id, agent, most } = (asks?.kind === 'reserve' ? asks.call : null) ?? {};
  return isName(id) && isName(agent) && (most === null || isAmount(most));
}

const isAmount = (one: unknown): boolean => Number.isFinite(one) && (one as number) >= 0;

function isAskedAccount(given: unknown): given is AskedAccount {
  const { account, at, asks } = (given ?? {}) as Partial<AskedAccount>;
  if (!isName(account) || !Number.isFinite(at)) return false;
  if (asks?.kind === 'enter') return isName(asks.id);
  const { news } = asks ?? {};
  if (asks?.kind !== 'tell' || !isName(news?.id)) return false;
  if (news.kind !== 'limit') return news.kind === 'answered' || news.kind === 'left';
  if (typeof news.unavailable !== 'object' || news.unavailable === null) return false;
  return news.account === account && Number.isFinite(news.beganMs) && readState(reachLimit(null, news)) !== null;
}

/** Tells the runs of calls that wait and fit into the budget: the oldest runs first. */
async function wakeFitting(
  context: ObjectContext,
  services: ServiceNames,
  state: DaySpending | null,
  purse: Purse,
): Promise<void> {
  const now = today(state, purse, { again: null, isAlive });
  const names = await waitingIn(context);
  const waiting = names.map((name) => context.get<WaitingCall>(name));
  let needed = 0;
  for (const [at, name] of names.entries()) {
    const call = await waiting[at];
    if (call == null || !fits(now, needed + call.needs, purse.limit)) continue;
    needed += call.needs;
    context.clear(name);
    const freed = { account: call.account, count: 1 } satisfies FreedCalls;
    context.send(services.run(runOf(name.slice(WAITS.length)), 'freed'), freed);
  }
}

/** A call is named by its run, its effect and its attempt. */
const runOf = (id: string): string => id.split(' ', 1)[0] ?? '';
