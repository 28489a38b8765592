/** The limits that accounts of agents have reached in all runs of this user, and what programs have spent of their budgets. */
import { type BreakerState, isForgotten, waitsUntil } from '../runtime/agents/breakers/breaker.js';
import { breakerFiles, breakersFolder } from '../runtime/agents/breakers/breakers.js';
import { spendingsIn } from '../runtime/agents/daily-budget.js';
import { type DaySpending, reservedOf } from '../runtime/agents/spending.js';
import { RunRefused, storeError } from '../runtime/store/store-error.js';
import type { ProjectHost } from './project/project-host.js';
import type { LimitList, ReachedAccountLimit } from './runs.js';

/** `directory`: the store whose budgets are listed; null: none. */
export function listLimits(directory: string | null, env: ProjectHost['environment']): LimitList {
  const { states, problems } = breakerFiles(breakersFolder(env)).list();
  const spendings = directory === null ? { states: [], problems: [] } : spendingsIn(directory).list();
  return limitList(states, spendings.states, [...problems, ...spendings.problems]);
}

/** What is known of accounts and budgets, as it is listed. */
export function limitList(
  breakers: readonly BreakerState[],
  spendings: readonly DaySpending[],
  problems: readonly string[],
): LimitList {
  const now = Date.now();
  const budgets = spendings.map((state) => {
    const { program, day, spent, unknown } = state;
    return { program, day, spent, reserved: reservedOf(state), ...(unknown === 0 ? {} : { cost_unknown: unknown }) };
  });
  const limits = breakers.filter((state) => !isForgotten(state, now)).map((state) => limitOf(state, now));
  return { limits, budgets, problems };
}

function limitOf(state: BreakerState, now: number): ReachedAccountLimit {
  const { account, cause, message, opened_ms: since, level } = state;
  const until = waitsUntil(state, now);
  return {
    account,
    cause,
    message,
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    state: now < until ? 'waits' : level === 1 ? 'probe' : 'ramp',
    calls: now < until ? 0 : level,
  };
}

/**
 * Lets the calls of an account begin again, and returns the accounts. `name`: an account, the beginning of one, or `all`.
 * Throws a `RunRefused` or a `StoreError`.
 */
export function clearLimits(name: string, env: ProjectHost['environment']): string[] {
  const files = breakerFiles(breakersFolder(env));
  const cleared = accountsCalled(name, files.list().states);
  try {
    for (const account of cleared) files.clear(account);
    if (name === 'all') files.clearUnusable();
  } catch (cause) {
    throw storeError('write in', files.folder, cause);
  }
  return cleared;
}

/** The accounts that a name means. Throws a `RunRefused`. */
export function accountsCalled(name: string, breakers: readonly BreakerState[]): string[] {
  const accounts = breakers.map(({ account }) => account);
  const same = accounts.filter((account) => account === name);
  const near = same.length > 0 ? same : accounts.filter((account) => name !== '' && account.startsWith(name));
  if (name === 'all') return accounts;
  if (near.length === 1) return near;
  const others = accounts.map((account) => `\`${account}\``).join(', ');
  const help = accounts.length === 0 ? 'none has reached a limit' : `use one of ${others}, or \`all\``;
  throw new RunRefused('unknown', `no account that has reached a limit is called \`${name}\``, help);
}
