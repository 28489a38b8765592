/**
 * What a program may spend in a day, in all its runs of a store, and what the runs of a trial may spend together. A call
 * reserves its `max_cost` before it begins, so that runs that work at the same time cannot exceed the budget together. A call
 * that does not fit waits, like one whose account has reached a limit, until the day ends, another call costs less than it had
 * reserved, or somebody raises the budget.
 */
import { resolve } from 'node:path';
import type { Outcome } from '../../interpreter/events/event.js';
import { readYamlFile } from '../configuration/yaml-file.js';
import type { EffectContext, SharedLimits } from '../effect-context.js';
import { entryAt } from '../store/own-file.js';
import { thisProcess } from '../store/run-lock.js';
import { SharedStates } from '../store/shared-states.js';
import { reasonOf } from '../store/store-error.js';
import { startTimer } from '../timer.js';
import { isAlive } from './breakers/breakers.js';
import { inZone } from './decode-call.js';
import type { AgentSettings, DailyBudget, TrialBudget } from './resolve.js';
import {
  type BudgetedCall,
  type DaySpending,
  dollars,
  endCall,
  fits,
  type Purse,
  type Reservation,
  type ReservedCall,
  readSpending,
  reserveFrom,
  today,
  waits,
} from './spending.js';

type ProgramOfRun = Pick<EffectContext, 'program' | 'programDir' | 'resources'>;

const LOOK_MS = 1000;

/** The file of the spendings of a store. */
export const spendingsIn = (store: string): SharedStates<DaySpending> =>
  new SharedStates(resolve(store, 'budget'), 'spending', readSpending);

/** Reserves what the call may cost in each budget; or its outcome, if it has to wait. */
export async function reserveCall(
  call: BudgetedCall,
  settings: AgentSettings,
  context: EffectContext,
): Promise<ReservedCall | Outcome> {
  const spendings = spendingsOf(context);
  const reserved: ReservedCall[] = [];
  const ends = async (cost: number | null): Promise<void> => {
    for (const one of reserved) await one.ends(cost);
  };
  for (const purse of spendings === null ? [] : await pursesOf(settings, context)) {
    const one = await reserveIn(purse, call, spendings as Spendings, context);
    if ('ends' in one) reserved.push(one);
    else {
      await ends(0);
      return one;
    }
  }
  return { ends };
}

async function reserveIn(
  purse: Purse,
  call: BudgetedCall,
  spendings: Spendings,
  context: EffectContext,
): Promise<ReservedCall | Outcome> {
  const { limit, isOfTrial } = purse;
  const { most, agent } = call;
  if (most !== null && most > limit && !isOfTrial) {
    const reason = `the call may cost ${dollars(most)}, but the budget of a day is ${dollars(limit)}`;
    return { kind: 'not-started', reason, error_type: 'limit' };
  }
  if (most === null && !isOfTrial)
    reportOnce(`${agent} reserves nothing of the budget, because it has no \`max_cost\``, context);
  const reserved = await spendings.reserve(purse, call);
  if (typeof reserved === 'string') {
    const spent = isOfTrial ? 'what the trial has spent' : 'what the program has spent today';
    return { kind: 'not-started', reason: `${spent} cannot be recorded: ${reserved}` };
  }
  return reserved.isFitting ? { ends: (cost) => spendings.end(purse, call.id, cost) } : waits(reserved, purse);
}

/** Where spendings are stored. */
type Spendings = Pick<SharedLimits, 'reserve' | 'end'>;

function inFiles(files: SharedStates<DaySpending>): Spendings {
  return {
    async reserve(purse, call) {
      let reserved: Reservation | null = null;
      try {
        files.change(purse.account, (state) => {
          const { state: next, ...others } = reserveFrom(state, purse, call, { process: thisProcess(), isAlive });
          reserved = others;
          return next;
        });
      } catch (cause) {
        return cause instanceof Error && !('code' in cause) ? cause.message : reasonOf(cause);
      }
      return reserved as unknown as Reservation;
    },
    async end({ account }, id, cost) {
      try {
        files.change(account, (state) => (state === null ? null : endCall(state, id, cost)));
      } catch {
        // The reservation stays until this process ends, and counts then.
      }
    },
  };
}

function spendingsOf(context: ProgramOfRun): Spendings | null {
  const files = filesOf(context);
  return context.resources.limits ?? (files === null ? null : inFiles(files));
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
  return (needs > limit && !isOfTrial) || fits(today(state, purse, { again: null, isAlive }), needs, limit) ? 0 : until;
}

const YEAR_MS = 365 * 86_400_000;

async function pursesOf(settings: AgentSettings, { program = '', programDir = '' }: ProgramOfRun): Promise<Purse[]> {
  const now = Date.now();
  const { trial } = settings;
  const budget = await budgetNow(settings);
  const purses = trial === undefined ? [] : [purseOfTrial(trial, now)];
  if (budget === null) return purses;
  return [...purses, purseOfDay({ account: `${program} ${programDir}`, program }, budget, now)];
}

/** What a program may spend on the day of this time. */
export function purseOfDay(
  { account, program }: Pick<DaySpending, 'account' | 'program'>,
  budget: DailyBudget,
  now: number,
): Purse {
  const day = dayOf(now, budget);
  return {
    account,
    program,
    day,
    limit: budget.cost_per_day,
    of: day,
    waits: `budget:${program}`,
    until: endOfDay(now, budget),
    isOfTrial: false,
  };
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
  return state === null ? null : today(state, state, { again: null, isAlive });
}

function filesOf({ resources }: ProgramOfRun): SharedStates<DaySpending> | null {
  const { runFolder } = resources;
  return runFolder === null ? null : spendingsIn(resolve(runFolder(), '../..'));
}

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
export async function budgetNow({ budget }: Pick<AgentSettings, 'budget'>): Promise<DailyBudget | null> {
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
