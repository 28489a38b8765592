/**
 * What people call the gates of a run of plans. The path of a gate is its name as long as no other place can ask for the
 * same one; where several can, as with a plan that runs for each item, the numbers of the calls around it stand before it.
 * That follows from the plans alone, so that a name means one gate whichever of them is reached first.
 */
import type { Plan, PlanPath } from '../../../machine/plan.js';
import { printPath } from '../../../machine/reference.js';

/** Names that more than one place may ask for, of the plan of this name and all inside it. */
export function sharedApprovals(plans: { readonly [name: string]: Plan }, name: string): ReadonlySet<string> {
  const counts = countsOf(plans, name, new Map());
  return new Set([...counts].flatMap(([gate, count]) => (count > 1 ? [gate] : [])));
}

type Counts = ReadonlyMap<string, number>;

/** Plans do not call themselves, so this ends; each is looked at once. */
function countsOf(plans: { readonly [name: string]: Plan }, name: string, known: Map<string, Counts>): Counts {
  const seen = known.get(name);
  if (seen !== undefined) return seen;
  const plan = plans[name];
  const counts = new Map<string, number>(plan?.gates.map((path) => [approvalName(path), 1]));
  for (const { tool, delegate } of plan?.calls ?? []) {
    const target = tool === null ? undefined : plan?.tools[tool]?.calls;
    const inner = delegate ?? (target?.kind === 'plan' ? target.file : null);
    if (inner === null) continue;
    const times = delegate === null && target?.kind === 'plan' && target.each !== null ? 2 : 1;
    for (const [gate, count] of countsOf(plans, inner, known))
      counts.set(gate, Math.min(2, (counts.get(gate) ?? 0) + times * count));
  }
  known.set(name, counts);
  return counts;
}

/** As a person answers it: below `†state`. */
export function approvalName(path: PlanPath): string {
  return printPath(path).replace(/^state\./, '');
}
