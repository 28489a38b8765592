/** What people know of the approvals of plans: their names, which of these several plans share, and what answers them. */
import { type Plan, type PlanPath, pathsOf } from '../../../machine/plan.js';
import { printPath } from '../../../prelude/reference.js';
import { bindingOf } from './plan-node.js';

/** The names that more than one plan may ask for, among the plan with this name and all plans inside it. */
export function sharedApprovals(plans: { readonly [name: string]: Plan }, name: string): ReadonlySet<string> {
  const counts = countsOf(plans, name, new Map());
  return new Set([...counts].flatMap(([approval, count]) => (count > 1 ? [approval] : [])));
}

type CountByName = ReadonlyMap<string, number>;

/** How often each name may be asked for; 2 means several times. No plan calls itself, and each is looked at once. */
function countsOf(
  plans: { readonly [name: string]: Plan },
  name: string,
  counted: Map<string, CountByName>,
): CountByName {
  const before = counted.get(name);
  if (before !== undefined) return before;
  const plan = plans[name];
  const counts = new Map<string, number>(plan?.gates.map((path) => [approvalName(path), 1]));
  for (const { tool, delegate } of plan?.calls ?? []) {
    const target = tool === null ? undefined : plan?.tools[tool]?.calls;
    const inner = delegate ?? (target?.kind === 'plan' ? target.file : null);
    if (inner === null) continue;
    const times = delegate === null && target?.kind === 'plan' && target.each !== null ? 2 : 1;
    for (const [approval, count] of countsOf(plans, inner, counted))
      counts.set(approval, Math.min(2, (counts.get(approval) ?? 0) + times * count));
  }
  counted.set(name, counts);
  return counts;
}

/** The path as people write it: below `†state`. */
export function approvalName(path: PlanPath): string {
  return printPath(path).replace(/^state\./, '');
}

/**
 * Whether every call of the plan that reads the path takes its value, whatever it is (`gate: value`). All other approvals are
 * answered with `true` or `false`.
 */
export function isReadAsValue(plan: Plan, path: PlanPath): boolean {
  const name = printPath(path);
  return plan.calls.every((call) => {
    let reads = false;
    for (const value of call.inline === null ? [call.parameters] : [call.parameters, call.inline])
      pathsOf(value, (read) => {
        reads ||= read.gate && printPath(read.path) === name;
      });
    return !reads || (call.inline === null && bindingOf(plan, call).gate === 'value');
  });
}
