/** What a plan under way stores and reports: the entries that were applied to it, and what became of its calls. */
import type { Json } from '../../../machine/expression.js';
import type { Plan, PlanCall } from '../../../machine/plan.js';
import type { CallTry } from '../call-request.js';
import { type CallRecord, isFailure } from '../scheduler/plan-data.js';
import type { PlanOutcome } from '../scheduler/plan-outcome.js';
import { callTitle, type PlanNode } from './plan-node.js';

/** The outcome of a call, the value of an approval, or that the time of a call is over. */
export type PlanEntry =
  | { readonly key: string; readonly outcome: PlanOutcome }
  | { readonly gate: string; readonly value: Json; readonly by?: string }
  | { readonly limit: string };

/** What a snapshot keeps of a plan: everything else follows from it. */
export interface PlanImage {
  readonly effect: string;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly log: readonly PlanEntry[];
  /** Absent: no call waits for budget. */
  readonly unpaid?: readonly UnpaidCall[];
}

/** A call of an agent that waits for budget: its key, its next try, and the pause before it. */
export interface UnpaidCall {
  readonly key: string;
  readonly next: CallTry;
  readonly delayMs: number;
  /** Whether it is an effect of its own, and not one more attempt. */
  readonly counts: boolean;
}

/** What became of a call of a plan, for reports. */
export interface CallReport extends CallRecord {
  /** From 0. */
  readonly index: number;
  readonly tool: string | null;
  /** In a plan of instances: the one that the call belongs to. */
  readonly instance?: string;
}

/** A call that failed, and what its record says. */
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
