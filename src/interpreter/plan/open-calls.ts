/** Calls of a plan under way, for those who look at a run. */
import type { Json } from '../../machine/expression.js';
import type { PlanCall } from '../../machine/plan.js';
import type { ActivePlan } from '../run-state/open-plan.js';
import { runningPlan } from './active-plan.js';
import { callTitle, type PlanNode } from './engine/plan-node.js';

/** A call that runs, and where it is written. */
export interface OpenCall {
  readonly title: string;
  /** The name of the plan, and the line of the call in it, from 1; 0 if unknown. */
  readonly plan: string;
  readonly line: number;
  readonly parameters: Readonly<Record<string, Json>>;
  /** What the plan has so far, by kind. */
  readonly data: Json;
}

/** The call with this key and those around it, innermost first; empty: it does not run. */
export function callsAround(plan: ActivePlan, key: string): readonly OpenCall[] {
  const leaf = runningPlan({ plan }).engine.leaf(key);
  if (leaf === null) return [];
  const found: OpenCall[] = [];
  const add = ({ name, scheduler }: PlanNode, call: PlanCall, parameters: OpenCall['parameters']): void => {
    found.push({ title: callTitle(call), plan: name, line: call.line, parameters, data: scheduler.data.all() });
  };
  add(leaf.node, leaf.call, leaf.parameters as OpenCall['parameters']);
  for (let { parent } = leaf.node; parent !== null; { parent } = parent.node) {
    const call = parent.node.plan.calls[parent.call];
    if (call !== undefined) add(parent.node, call, {});
  }
  return found;
}

/** The calls that have not ended, with the reason in words. */
export function waitingCalls(plan: ActivePlan): readonly { readonly title: string; readonly why: string }[] {
  const all = [...runningPlan({ plan }).engine.openCalls()];
  return all.map(({ node, call, why }) => {
    const within = node.parent === null ? '' : ` in call ${node.prefix.slice(0, -1)}`;
    return { title: `${callTitle(call).replaceAll('`', '')}${within}`, why };
  });
}
