/** The rules of budgets: what was spent, what a call reserves, and whether it fits. Where that is stored is decided elsewhere. */
import type { Outcome } from '../../interpreter/events/event.js';
import { addCost } from '../../interpreter/run-state/run-usage.js';

/** Sums of costs are rounded. */
const ROUNDED = 1e-9;

/** What a program has spent on a day, or the runs of a trial since it began. */
export interface DaySpending {
  /** The program, with its folder. */
  readonly account: string;
  readonly program: string;
  /** In the zone of the budget: `2026-03-01`. */
  readonly day: string;
  /** US dollars of calls that have ended, and of those whose process was killed. */
  readonly spent: number;
  /** How many calls have not told their cost, and had no `max_cost`. */
  readonly unknown: number;
  readonly calls: readonly {
    readonly id: string;
    readonly reserved: number;
    /** Nothing says what it may cost: the agent of which it reserves what other calls have cost, or all that is left. */
    readonly guessed?: string;
    readonly process: unknown;
  }[];
  /** Of a trial: the most that a call has cost, by its agent. */
  readonly largest?: Readonly<Record<string, number>>;
}

/** Where money is taken from. */
export interface Purse extends Pick<DaySpending, 'account' | 'program' | 'day'> {
  /** US dollars. */
  readonly limit: number;
  /** How messages call the budget: `the budget of …`. */
  readonly of: string;
  /** What a call that waits for it names, before the amount. */
  readonly waits: string;
  /** When it is filled again; milliseconds since the epoch. */
  readonly until: number;
  /** Nobody knows when it is filled again, and what a call may cost is guessed where nothing says it. */
  readonly isOfTrial: boolean;
}

export interface BudgetedCall {
  /** Names it among all calls of the store. */
  readonly id: string;
  readonly agent: string;
  /** The name under which its calls are counted. */
  readonly key?: string;
  /** The most that it may cost; null: it reserves nothing. */
  readonly most: number | null;
}

export interface ReservedCall {
  /** `cost`: US dollars; null: unknown, then it counts what it has reserved. */
  ends(cost: number | null): void | Promise<void>;
}

/** What a call reserves. */
export interface Reservation {
  /** What was spent before. */
  readonly before: DaySpending;
  readonly isFitting: boolean;
  /** What it needs, in US dollars. */
  readonly needs: number;
}

/** Reserves what a call may cost, if that fits. `process`: who makes the call. */
export function reserveFrom(
  state: DaySpending | null,
  purse: Purse,
  { id, agent, key = agent, most }: BudgetedCall,
  { process, isAlive }: { readonly process: unknown; readonly isAlive: (process: unknown) => boolean },
): Reservation & { readonly state: DaySpending } {
  const { limit, isOfTrial } = purse;
  const before = today(state, purse, { again: id, isAlive });
  const largest = before.largest?.[key];
  const needs = most ?? (isOfTrial ? (largest ?? 0) : 0);
  const isFitting = fits(before, needs, limit);
  const isUnknown = isOfTrial && most === null && largest === undefined;
  // Until one call has ended, nothing is known about what calls cost.
  const reserved = isUnknown ? Math.max(limit - before.spent - reservedOf(before), 0) : needs;
  const guessed = isOfTrial && most === null ? { guessed: key } : {};
  const call = { id, reserved, ...guessed, process };
  return { before, isFitting, needs, state: isFitting ? { ...before, calls: [...before.calls, call] } : before };
}

/** What a call waits for that does not fit: the budget, and how much is needed. */
export const waitsFor = ({ waits: budget }: Pick<Purse, 'waits'>, needs: number): string => `${budget}@$${needs}`;

/** The spending of this day. What processes had reserved that were killed is spent. `again`: a call that begins again. */
export function today(
  state: DaySpending | null,
  facts: Pick<DaySpending, 'account' | 'program' | 'day'>,
  { again, isAlive }: { readonly again: string | null; readonly isAlive: (process: unknown) => boolean },
): DaySpending {
  // A clock that is set back does not give a day its money again.
  const { account, program, day } = facts;
  if (state === null || state.day < day) return { account, program, day, spent: 0, unknown: 0, calls: [] };
  const lost = state.calls.filter(({ id, process }) => id === again || !isAlive(process));
  return lost.reduce((known, { id }) => endCall(known, id, null), state);
}

/** `cost`: null if it is not known. */
export function endCall(state: DaySpending, id: string, cost: number | null): DaySpending {
  const call = state.calls.find((one) => one.id === id);
  // It began on another day.
  if (call === undefined) return state;
  const calls = state.calls.filter((one) => one !== call);
  const { guessed } = call;
  const isUnknown = cost === null && (call.reserved === 0 || guessed !== undefined);
  const known = guessed === undefined ? call.reserved : (state.largest?.[guessed] ?? 0);
  const spent = cost ?? known;
  return {
    ...state,
    calls,
    spent: addCost(state.spent, spent),
    unknown: state.unknown + (isUnknown ? 1 : 0),
    ...(guessed === undefined ? {} : { largest: { ...state.largest, [guessed]: Math.max(spent, known) } }),
  };
}

export const reservedOf = ({ calls }: DaySpending): number =>
  calls.reduce((sum, { reserved }) => addCost(sum, reserved), 0);

export function fits(state: DaySpending, most: number, limit: number): boolean {
  const used = state.spent + reservedOf(state);
  return most === 0 ? used < limit - ROUNDED : used + most <= limit + ROUNDED;
}

/** What a call comes to that does not fit. */
export function waits({ before, needs: most }: Pick<Reservation, 'before' | 'needs'>, purse: Purse): Outcome {
  const { spent } = before;
  const reserved = reservedOf(before);
  const used = `${dollars(spent)} spent${reserved === 0 ? '' : `, ${dollars(reserved)} reserved by other calls`}`;
  const needed = most === 0 ? '' : `; this call may cost ${dollars(most)}`;
  const message = `the budget of ${purse.of} is ${dollars(purse.limit)}: ${used}${needed}`;
  const unavailable = { cause: 'budget' as const, message, until_ms: purse.until, at_ms: Date.now() };
  return {
    kind: 'not-started',
    reason: message,
    unavailable: { ...unavailable, account: waitsFor(purse, most) },
  };
}

export const dollars = (amount: number): string => `$${amount.toFixed(amount > 0 && amount < 0.01 ? 4 : 2)}`;

/** A spending as it was stored; null if it is none. */
export function readSpending(value: unknown): DaySpending | null {
  if (value === null || typeof value !== 'object') return null;
  const { account, program, day, spent, unknown, calls } = value as Readonly<Record<keyof DaySpending, unknown>>;
  const isSpending =
    typeof account === 'string' &&
    typeof program === 'string' &&
    typeof day === 'string' &&
    /^\d{4}-\d\d-\d\d$/.test(day) &&
    Number.isFinite(spent) &&
    Number.isSafeInteger(unknown) &&
    Array.isArray(calls) &&
    calls.every((one) => typeof one?.id === 'string' && Number.isFinite(one?.reserved));
  return isSpending ? (value as DaySpending) : null;
}
