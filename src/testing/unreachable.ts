/** What tests need not execute: no run comes there, whatever its inputs are. */
import { unreachableIn } from '../foresight/unreachable.js';
import type { Coverage, CoveredItem } from './coverage.js';

export function dropUnreachable(coverage: Coverage): void {
  const reachable = new Set<CoveredItem>();
  const unreachable = new Set<CoveredItem>();
  for (const [machine, items] of coverage.missing()) {
    if (items.size === 0) continue;
    const isUnreachable = unreachableIn(machine);
    for (const [item, positions] of items) (positions.every(isUnreachable) ? unreachable : reachable).add(item);
  }
  // Patterns belong to several machines.
  for (const item of unreachable) if (!reachable.has(item)) coverage.drop(item);
}
