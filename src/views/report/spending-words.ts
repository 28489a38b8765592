/** Costs in words, for people. */
import { countOf, dollars } from '../drawing/amounts.js';
import type { Spending } from './spending.js';

export function spendingWords({ cost, unknown_costs, tokens }: Spending): string {
  const known = cost === null ? [] : [dollars(cost)];
  const unknown = unknown_costs === 0 ? [] : [`${countOf(unknown_costs, 'call')} of unknown cost`];
  const used = tokens.in + tokens.out === 0 ? [] : [`${tokens.in} tokens in`, `${tokens.out} out`];
  return [[...known, ...unknown].join(' and '), ...used].join(', ');
}

/** For a table: the known cost, marked if there are also unknown costs. */
export function costCell({ cost, unknown_costs }: Pick<Spending, 'cost' | 'unknown_costs'>): string {
  return cost !== null && unknown_costs > 0 ? `${dollars(cost)} + unknown` : dollars(cost);
}
