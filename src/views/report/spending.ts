/** The cost of agent calls. An unknown cost differs from zero. */
import type { Attempt, Tokens } from './facts.js';

/** What calls of agents cost together. */
export interface Spending {
  /** The reported cost in US dollars; null if no call reported any. */
  readonly cost: number | null;
  /** Calls of unknown cost. */
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
