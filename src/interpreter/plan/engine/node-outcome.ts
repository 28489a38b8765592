/** What a plan came to, for the call that runs it. */
import type { Json } from '../../../machine/expression.js';
import type { Plan, PlanCall } from '../../../machine/plan.js';
import { type CallRecord, isFailure } from '../scheduler/call-record.js';
import type { PlanOutcome } from '../scheduler/plan-outcome.js';
import { callTitle, type PlanNode } from './plan-node.js';

export interface FailedCall {
  readonly call: PlanCall;
  readonly record: CallRecord;
}

/** The calls that failed and whose outputs no other call wrote instead. */
export function findFailures(plan: Plan, records: readonly CallRecord[]): FailedCall[] {
  return plan.calls.flatMap((call) => {
    const record = records[call.index] as CallRecord;
    return isFailure(record) && record.recovered !== true ? [{ call, record }] : [];
  });
}

/** The value of an inner plan: its output, or without one all of its state. */
export function innerValue({ plan, scheduler }: PlanNode): Json {
  return plan.output === null ? scheduler.data.kind('state') : scheduler.data.output();
}

/** The outcome of the call that runs the plan. */
export function innerOutcome(node: PlanNode, records: readonly CallRecord[]): PlanOutcome {
  const [first] = findFailures(node.plan, records);
  if (first === undefined) return { kind: 'result', value: innerValue(node) };
  const { call, record } = first;
  const message = `${callTitle(call)} failed: ${record.error?.message ?? ''}`;
  // If it is unknown whether the call inside ran, it is unknown of the plan too.
  if (record.error?.code === 'in_doubt') return { kind: 'in-doubt', message };
  return { kind: 'failure', code: 'plan_failed', message };
}

/** The keys of the leaf calls that made the plan fail. */
export function blamedKeys(node: PlanNode, records: readonly CallRecord[]): string[] {
  return findFailures(node.plan, records).flatMap(({ call }) => node.failed.get(call.index) ?? ownKeys(node, call));
}

/** A call whose result could not be written is to blame itself, if the world performed it. */
function ownKeys({ plan, prefix }: PlanNode, { index, tool }: PlanCall): string[] {
  const binding = tool === null ? undefined : plan.tools[tool];
  return binding === undefined || binding.calls.kind === 'plan' ? [] : [prefix + (index + 1)];
}
