/** The limits that all workers of an engine share, as a call of an agent asks for them: its objects decide. */
import type { Unavailable } from '../interpreter/events/event.js';
import { type AccountCall, type BreakerState, type CallNews, hear } from '../runtime/agents/breakers/breaker.js';
import { callOf } from '../runtime/agents/breakers/breakers.js';
import { purseOfDay } from '../runtime/agents/daily-budget.js';
import type { DailyBudget } from '../runtime/agents/resolve.js';
import type { BudgetedCall, DaySpending, Purse, Reservation } from '../runtime/agents/spending.js';
import type { SharedLimits } from '../runtime/effect-context.js';
import type { EngineClient } from './client.js';
import type { AccountAnswer, AskedAccount, AskedSpending, SharedEntry, SharedKind } from './shared-object.js';

/** How often a worker looks whether its budget was changed. Milliseconds. */
const LOOK_MS = 2000;

/** The states of all objects of a kind, by their names. */
export async function sharedStates<T extends { readonly account: string }>(
  client: Pick<EngineClient, 'askShared'>,
  kind: SharedKind,
): Promise<readonly T[]> {
  const entries = await client.askShared<readonly SharedEntry[]>(kind, 'entries', null);
  const states = await Promise.all(entries.map(({ key }) => client.askShared<T | null>(key, 'look', null)));
  return states.flatMap((one) => one ?? []).sort((a, b) => (a.account < b.account ? -1 : 1));
}

/**
 * Tells the engine when somebody has raised the budget of a day in the configuration of the worker, so that calls that wait for
 * it begin. `budget`: as it is now; null: there is none any more. Returns what ends it.
 */
export function watchBudget(
  client: Pick<EngineClient, 'askShared'>,
  budget: () => Promise<DailyBudget | null>,
): () => void {
  // Also of an earlier worker, whose configuration may have been another one.
  let reported: number | null = 0;
  let isLooking = false;
  const look = async (): Promise<void> => {
    const now = await budget();
    const limit = now?.cost_per_day ?? null;
    if (limit === reported) return;
    for (const spending of await sharedStates<DaySpending>(client, 'spending')) {
      const purse = purseOfDay(spending, now ?? { cost_per_day: Number.MAX_VALUE }, Date.now());
      const asked = { purse, asks: { kind: 'raised' } } satisfies AskedSpending;
      await client.askShared({ kind: 'spending', name: spending.account }, 'spend', asked);
    }
    reported = limit;
  };
  const timer = setInterval(async () => {
    if (isLooking) return;
    isLooking = true;
    // An engine that cannot be asked is asked again.
    await look().catch(() => undefined);
    isLooking = false;
  }, LOOK_MS).unref();
  return () => clearInterval(timer);
}

const FREE: AccountAnswer = { state: null, waits: null };

export class EngineLimits implements SharedLimits {
  constructor(private readonly client: Pick<EngineClient, 'askShared'>) {}

  /** Rejects if the engine cannot be asked: nothing has begun, and the engine repeats the effect. */
  async enter(account: string, id: string, report: (problem: string) => void): Promise<AccountCall | Unavailable> {
    const began = Date.now();
    const of = { kind: 'breaker', name: account } as const;
    const ask = (asks: AskedAccount['asks'], at: number): Promise<AccountAnswer> =>
      this.client.askShared(of, 'account', { account, at, asks } satisfies AskedAccount, asks.kind === 'enter');
    // Most accounts are free, and many may look at once.
    const known = await this.client.askShared<BreakerState | null>(of, 'look', null, true);
    const { state, waits } = known === null ? FREE : await ask({ kind: 'enter', id }, began);
    if (waits !== null) return waits;
    // What a call has come to must not get lost, so this never rejects.
    const deliver = async (news: CallNews) => {
      try {
        return (await ask({ kind: 'tell', news }, Date.now())).state;
      } catch (cause) {
        report(`the other workers do not learn what the account \`${account}\` has said: ${(cause as Error).message}`);
        return hear(null, news);
      }
    };
    return callOf({ account, id, began, isProbing: state !== null }, deliver);
  }

  /** Rejects if the engine cannot be asked, as `enter` does. */
  async reserve(purse: Purse, call: BudgetedCall): Promise<Reservation> {
    return (await this.spend(purse, { kind: 'reserve', call })) as Reservation;
  }

  async end(purse: Purse, id: string, cost: number | null): Promise<void> {
    // What it had reserved counts then.
    await this.spend(purse, { kind: 'end', id, cost }).catch(() => undefined);
  }

  private spend(purse: Purse, asks: AskedSpending['asks']): Promise<Reservation | null> {
    const message = { purse, asks } satisfies AskedSpending;
    return this.client.askShared({ kind: 'spending', name: purse.account }, 'spend', message, asks.kind === 'reserve');
  }
}
