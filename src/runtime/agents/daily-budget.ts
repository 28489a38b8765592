/**
 * What a program may spend in a day, in all its runs of a store. A call reserves its `max_cost` before it begins, so that runs
 * that work at the same time cannot exceed the budget together. A call that does not fit waits, like one whose account has
 * reached a limit, until the day ends, another call costs less than it had reserved, or somebody raises the budget.
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
import type { AgentSettings, DailyBudget } from './resolve.js';

/** What a program has spent on a day. */
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
  readonly calls: readonly { readonly id: string; readonly reserved: number; readonly process: unknown }[];
}

interface BudgetedCall {
  /** Names it among all calls of the store. */
  readonly id: string;
  readonly agent: string;
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

/** Reserves what the call may cost; or its outcome, if it has to wait. */
export async function reserveOfDay(
  { id, agent, most }: BudgetedCall,
  settings: AgentSettings,
  context: EffectContext,
): Promise<ReservedCall | Outcome> {
  const budget = await budgetNow(settings);
  const files = filesOf(context);
  if (budget === null || files === null) return { ends: () => undefined };
  const account = accountOfProgram(context);
  if (most !== null && most > budget.cost_per_day) {
    const reason = `the call may cost ${dollars(most)}, but the budget of a day is ${dollars(budget.cost_per_day)}`;
    return { kind: 'not-started', reason, error_type: 'limit' };
  }
  const now = Date.now();
  if (most === null) reportOnce(`${agent} reserves nothing of the budget, because it has no \`max_cost\``, context);
  let before: DaySpending | null = null;
  let isFitting = false;
  const change = (state: DaySpending | null): DaySpending => {
    before = today(state, { account, program: context.program ?? '', day: dayOf(now, budget) }, id);
    isFitting = fits(before, most ?? 0, budget);
    const call = { id, reserved: most ?? 0, process: thisProcess() };
    return isFitting ? { ...before, calls: [...before.calls, call] } : before;
  };
  try {
    files.change(account, change);
  } catch (cause) {
    const reason = cause instanceof Error && !('code' in cause) ? cause.message : reasonOf(cause);
    return { kind: 'not-started', reason: `what the program has spent today cannot be recorded: ${reason}` };
  }
  if (!isFitting) return waits(before as unknown as DaySpending, most ?? 0, budget, now);
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

/** The end of the day, as long as a call does not fit; 0: it may fit. */
export async function budgetUntil(account: string, settings: AgentSettings, context: ProgramOfRun): Promise<number> {
  const needs = Number(/@\$([\d.]+)$/.exec(account)?.[1] ?? 0);
  const budget = await budgetNow(settings);
  const files = filesOf(context);
  if (budget === null || files === null) return 0;
  const now = Date.now();
  const { state } = files.read(accountOfProgram(context));
  const facts = { account, program: context.program ?? '', day: dayOf(now, budget) };
  return needs > budget.cost_per_day || fits(today(state, facts, null), needs, budget) ? 0 : endOfDay(now, budget);
}

function filesOf({ resources }: ProgramOfRun): SharedStates<DaySpending> | null {
  return resources.runFolder === null ? null : spendingsIn(resolve(resources.runFolder(), '../..'));
}

const accountOfProgram = ({ program = '', programDir = '' }: ProgramOfRun): string => `${program} ${programDir}`;

/** The spending of this day. What processes had reserved that were killed is spent. `again`: a call that begins again. */
function today(
  state: DaySpending | null,
  facts: Pick<DaySpending, 'account' | 'program' | 'day'>,
  again: string | null,
): DaySpending {
  // A clock that is set back does not give a day its money again.
  if (state === null || state.day < facts.day) return { ...facts, spent: 0, unknown: 0, calls: [] };
  const lost = state.calls.filter(({ id, process }) => id === again || !isAlive(process));
  return lost.reduce((known, { id }) => endCall(known, id, null), state);
}

function endCall(state: DaySpending, id: string, cost: number | null): DaySpending {
  const call = state.calls.find((one) => one.id === id);
  // It began on another day.
  if (call === undefined) return state;
  const calls = state.calls.filter((one) => one !== call);
  const isUnknown = cost === null && call.reserved === 0;
  return {
    ...state,
    calls,
    spent: addCost(state.spent, cost ?? call.reserved),
    unknown: state.unknown + (isUnknown ? 1 : 0),
  };
}

export const reservedOf = ({ calls }: DaySpending): number =>
  calls.reduce((sum, { reserved }) => addCost(sum, reserved), 0);

function fits(state: DaySpending, most: number, { cost_per_day: perDay }: DailyBudget): boolean {
  const used = state.spent + reservedOf(state);
  return most === 0 ? used < perDay - ROUNDED : used + most <= perDay + ROUNDED;
}

function waits(state: DaySpending, most: number, budget: DailyBudget, now: number): Outcome {
  const { program, day, spent } = state;
  const reserved = reservedOf(state);
  const used = `${dollars(spent)} spent${reserved === 0 ? '' : `, ${dollars(reserved)} reserved by other calls`}`;
  const needed = most === 0 ? '' : `; this call may cost ${dollars(most)}`;
  const message = `the budget of ${day} is ${dollars(budget.cost_per_day)}: ${used}${needed}`;
  const until_ms = endOfDay(now, budget);
  const account = `budget:${program}@$${most}`;
  return {
    kind: 'not-started',
    reason: message,
    unavailable: { cause: 'budget', message, until_ms, at_ms: now, account },
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
