/** What calls of agents cost, where nobody told is kept apart from nothing. */
import type { Attempt, Tokens } from './facts.js';

export interface Spending {
  /** US dollars that were told; null when no call told any. */
  readonly cost: number | null;
  /** Calls whose cost is not known. */
  readonly unknown_costs: number;
  readonly tokens: {
    readonly in: number;
    readonly out: number;
    readonly cache_read: number;
    readonly cache_write: number;
  };
}

export function spendingOf(attempts: readonly Attempt[]): Spending {
  const calls = attempts.filter(({ request, outcome }) => request.kind === 'agent' && outcome !== null);
  const known = calls.flatMap(({ cost }) => (typeof cost === 'number' ? [cost] : []));
  const tokens = calls.flatMap((call) => (call.tokens === undefined ? [] : [call.tokens]));
  const total = (of: keyof Tokens): number => sum(tokens.map((one) => one[of]));
  return {
    cost: calls.length > 0 && known.length === 0 ? null : sum(known),
    unknown_costs: calls.length - known.length,
    tokens: { in: total('in'), out: total('out'), cache_read: total('cache_read'), cache_write: total('cache_write') },
  };
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
