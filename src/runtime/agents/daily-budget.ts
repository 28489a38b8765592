/**
 * What a program may spend in a day, in all its runs of a store, and what the runs of a trial may spend together. A call
 * reserves its `max_cost` before it begins, so that runs that work at the same time cannot exceed the budget together. A call
 * that does not fit waits, like one whose account has reached a limit, until the day ends, another call costs less than it had
 * reserved, or somebody raises the budget.
 */
import { resolve } from 'node:path';
import type { Outcome } from '../../interpreter/events/event.js';
import { addCost } from '../../interpreter/run-state/run-usage.js';
import { readYamlFile } from '../configuration/yaml-file.js';
import type { EffectContext } from '../effect-context.js';
import { entryAt } from '../store/own-file.js';
import { thisProcess } from '../store/run-lock.js';
import { SharedStates } from '../store/shared-states.js';
import { reasonOf } from '../store/store-error.js';
import { startTimer } from '../timer.js';
import { isAlive } from './breakers/breakers.js';
import { inZone } from './decode-call.js';
import type { AgentSettings, DailyBudget, TrialBudget } from './resolve.js';

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
interface Purse extends Pick<DaySpending, 'account' | 'program' | 'day'> {
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

interface BudgetedCall {
  /** Names it among all calls of the store. */
  readonly id: string;
  readonly agent: string;
  /** The name under which its calls are counted. */
  readonly key?: string;
  /** The most that it may cost; null: it reserves nothing. */
  readonly most: number | null;
}

interface ReservedCall {
  /** `cost`: US dollars; null: unknown, then it counts what it has reserved. */
  ends(cost: number | null): void;
}

type ProgramOfRun = Pick<EffectContext, 'program' | 'programDir' | 'resources'>;

const LOOK_MS = 1000;
/** Sums of costs are rounded. */
const ROUNDED = 1e-9;

/** The file of the spendings of a store. */
export const spendingsIn = (store: string): SharedStates<DaySpending> =>
  new SharedStates(resolve(store, 'budget'), 'spending', readSpending);

/** Reserves what the call may cost in each budget; or its outcome, if it has to wait. */
export async function reserveCall(
  call: BudgetedCall,
  settings: AgentSettings,
  context: EffectContext,
): Promise<ReservedCall | Outcome> {
  const files = filesOf(context);
  const reserved: ReservedCall[] = [];
  const ends = (cost: number | null): void => {
    for (const one of reserved) one.ends(cost);
  };
  for (const purse of files === null ? [] : await pursesOf(settings, context)) {
    const one = reserveIn(purse, call, files as SharedStates<DaySpending>, context);
    if ('ends' in one) reserved.push(one);
    else {
      ends(0);
      return one;
    }
  }
  return { ends };
}

function reserveIn(
  purse: Purse,
  { id, agent, key = agent, most }: BudgetedCall,
  files: SharedStates<DaySpending>,
  context: EffectContext,
): ReservedCall | Outcome {
  const { account, limit, isOfTrial } = purse;
  if (most !== null && most > limit && !isOfTrial) {
    const reason = `the call may cost ${dollars(most)}, but the budget of a day is ${dollars(limit)}`;
    return { kind: 'not-started', reason, error_type: 'limit' };
  }
  if (most === null && !isOfTrial)
    reportOnce(`${agent} reserves nothing of the budget, because it has no \`max_cost\``, context);
  let before: DaySpending | null = null;
  let isFitting = false;
  let needs = 0;
  const change = (state: DaySpending | null): DaySpending => {
    before = today(state, purse, id);
    const largest = before.largest?.[key];
    needs = most ?? (isOfTrial ? (largest ?? 0) : 0);
    isFitting = fits(before, needs, limit);
    const isUnknown = isOfTrial && most === null && largest === undefined;
    // Until one call has ended, nothing is known about what calls cost.
    const reserved = isUnknown ? Math.max(limit - before.spent - reservedOf(before), 0) : needs;
    const guessed = isOfTrial && most === null ? { guessed: key } : {};
    const call = { id, reserved, ...guessed, process: thisProcess() };
    return isFitting ? { ...before, calls: [...before.calls, call] } : before;
  };
  try {
    files.change(account, change);
  } catch (cause) {
    const reason = cause instanceof Error && !('code' in cause) ? cause.message : reasonOf(cause);
    const spent = isOfTrial ? 'what the trial has spent' : 'what the program has spent today';
    return { kind: 'not-started', reason: `${spent} cannot be recorded: ${reason}` };
  }
  if (!isFitting) return waits(before as unknown as DaySpending, needs, purse);
  return {
    ends(cost) {
      try {
        files.change(account, (state) => (state === null ? null : endCall(state, id, cost)));
      } catch {
        // The reservation stays until this process ends, and counts then.
      }
    },
  };
}

/** Resolves when a call that waits for a budget may fit, or when stopped. */
export async function waitForBudget(account: string, settings: AgentSettings, context: EffectContext): Promise<void> {
  const { stop } = context;
  while (!stop.aborted && (await budgetUntil(account, settings, context)) > 0)
    await new Promise<void>((wake) => {
      const cancel = startTimer(LOOK_MS, () => {
        stop.removeEventListener('abort', giveUp);
        wake();
      });
      const giveUp = (): void => {
        cancel();
        wake();
      };
      stop.addEventListener('abort', giveUp, { once: true });
    });
}

/** When the budget is filled again, as long as a call does not fit; 0: it may fit. */
export async function budgetUntil(account: string, settings: AgentSettings, context: ProgramOfRun): Promise<number> {
  const needs = Number(/@\$([\d.]+)$/.exec(account)?.[1] ?? 0);
  const files = filesOf(context);
  const purses = await pursesOf(settings, context);
  const purse = purses.find(({ isOfTrial }) => isOfTrial === account.startsWith('trial:'));
  if (purse === undefined || files === null) return 0;
  const { limit, isOfTrial, until } = purse;
  const { state } = files.read(purse.account);
  return (needs > limit && !isOfTrial) || fits(today(state, purse, null), needs, limit) ? 0 : until;
}

const YEAR_MS = 365 * 86_400_000;

async function pursesOf(settings: AgentSettings, { program = '', programDir = '' }: ProgramOfRun): Promise<Purse[]> {
  const now = Date.now();
  const { trial } = settings;
  const budget = await budgetNow(settings);
  const purses = trial === undefined ? [] : [purseOfTrial(trial, now)];
  if (budget === null) return purses;
  const day = dayOf(now, budget);
  const daily: Purse = {
    account: `${program} ${programDir}`,
    program,
    day,
    limit: budget.cost_per_day,
    of: day,
    waits: `budget:${program}`,
    until: endOfDay(now, budget),
    isOfTrial: false,
  };
  return [...purses, daily];
}

/** The name under which the spending of a trial is kept. */
export const trialAccount = (id: string): string => `trial:${id}`;

function purseOfTrial({ id, limit, day }: TrialBudget, now: number): Purse {
  const waits = trialAccount(id);
  return {
    account: waits,
    program: `trial ${id}`,
    day,
    limit,
    of: 'the trial',
    waits,
    until: now + YEAR_MS,
    isOfTrial: true,
  };
}

/** What the runs of a trial have spent; null: nothing. Throws nothing. */
export function spentByTrial(store: string, id: string): DaySpending | null {
  const { state } = spendingsIn(store).read(trialAccount(id));
  return state === null ? null : today(state, state, null);
}

function filesOf({ resources }: ProgramOfRun): SharedStates<DaySpending> | null {
  const { budgets, runFolder } = resources;
  if (budgets !== undefined) return spendingsIn(budgets);
  return runFolder === null ? null : spendingsIn(resolve(runFolder(), '../..'));
}

/** The spending of this day. What processes had reserved that were killed is spent. `again`: a call that begins again. */
function today(
  state: DaySpending | null,
  facts: Pick<DaySpending, 'account' | 'program' | 'day'>,
  again: string | null,
): DaySpending {
  // A clock that is set back does not give a day its money again.
  const { account, program, day } = facts;
  if (state === null || state.day < day) return { account, program, day, spent: 0, unknown: 0, calls: [] };
  const lost = state.calls.filter(({ id, process }) => id === again || !isAlive(process));
  return lost.reduce((known, { id }) => endCall(known, id, null), state);
}

function endCall(state: DaySpending, id: string, cost: number | null): DaySpending {
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

function fits(state: DaySpending, most: number, limit: number): boolean {
  const used = state.spent + reservedOf(state);
  return most === 0 ? used < limit - ROUNDED : used + most <= limit + ROUNDED;
}

function waits(state: DaySpending, most: number, purse: Purse): Outcome {
  const { spent } = state;
  const reserved = reservedOf(state);
  const used = `${dollars(spent)} spent${reserved === 0 ? '' : `, ${dollars(reserved)} reserved by other calls`}`;
  const needed = most === 0 ? '' : `; this call may cost ${dollars(most)}`;
  const message = `the budget of ${purse.of} is ${dollars(purse.limit)}: ${used}${needed}`;
  const unavailable = { cause: 'budget' as const, message, until_ms: purse.until, at_ms: Date.now() };
  return {
    kind: 'not-started',
    reason: message,
    unavailable: { ...unavailable, account: `${purse.waits}@$${most}` },
  };
}

const dollars = (amount: number): string => `$${amount.toFixed(amount > 0 && amount < 0.01 ? 4 : 2)}`;

/** The day in the zone, as `2026-03-01`. */
function dayOf(now: number, { zone = 'UTC' }: DailyBudget): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
  const found = Object.fromEntries(parts.formatToParts(now).map(({ type, value }) => [type, value]));
  return `${found.year}-${found.month}-${found.day}`;
}

function endOfDay(now: number, budget: DailyBudget): number {
  const [year = 0, month = 1, day = 1] = dayOf(now, budget).split('-').map(Number);
  return inZone(Date.UTC(year, month - 1, day + 1), budget.zone ?? 'UTC');
}

interface KnownBudget {
  readonly stamp: string;
  readonly perDay: number | null;
}

const known = new Map<string, KnownBudget>();

/** The budget as the configuration says it now, because somebody may have raised it. Null: there is none any more. */
async function budgetNow({ budget }: AgentSettings): Promise<DailyBudget | null> {
  if (budget === undefined || budget.file === null) return budget ?? null;
  const { file } = budget;
  const stat = entryAt(file);
  if (stat === null) return budget;
  const stamp = `${stat.mtimeMs} ${stat.size} ${stat.ino}`;
  let found = known.get(file);
  if (found?.stamp !== stamp) {
    const { value } = await readYamlFile(file);
    const given = (value as { readonly budget?: { readonly cost_per_day?: unknown } } | null)?.budget;
    const perDay = given?.cost_per_day;
    found = { stamp, perDay: typeof perDay === 'number' && perDay > 0 ? perDay : given === undefined ? null : -1 };
    known.set(file, found);
  }
  if (found.perDay === null) return null;
  // While somebody edits it, it may hold no number.
  return found.perDay < 0 ? budget : { ...budget, cost_per_day: found.perDay };
}

const reported = new Set<string>();

function reportOnce(problem: string, { runId, notice }: EffectContext): void {
  const key = `${runId} ${problem}`;
  if (reported.has(key)) return;
  reported.add(key);
  notice?.(problem);
}

function readSpending(value: unknown): DaySpending | null {
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
