/**
 * One plan under way, inside a run of plans: its scheduler, the plans that its calls run, and where it stands among
 * them. A call that is a plan, or one plan for each item of a list, has its parts here until all of them have ended.
 */
import type { Json } from '../../../machine/expression.js';
import type { Plan, PlanCall, ToolBinding } from '../../../machine/plan.js';
import type { PlanCheck } from '../../request.js';
import { type CallRecord, isFailure, type StartedCall } from '../scheduler/call-record.js';
import type { PlanOutcome } from '../scheduler/plan-outcome.js';
import type { PlanScheduler } from '../scheduler/plan-scheduler.js';

/** Numbers of calls from the outermost plan inwards; below a call for each item the number of the item. */
export type CallPath = readonly number[];

/** A call that is made outside: everything but plans. */
export interface LeafCall extends StartedCall {
  /** Where it is as text: the numbers of its node and its own, each counted from 1. */
  readonly key: string;
  readonly binding: ToolBinding;
  readonly node: PlanNode;
  /** Its tool is a plan, and this asks whether parameters or result are what its schema wants. */
  readonly check: PlanCheck | null;
  phase: 'queued' | 'launched' | 'settled';
}

export interface PlanNode {
  readonly plan: Plan;
  readonly scheduler: PlanScheduler;
  /** Where the plan is called; empty for the outermost. */
  readonly at: CallPath;
  /** What the keys of its calls begin with. */
  readonly prefix: string;
  readonly parent: { readonly node: PlanNode; readonly call: number; readonly item: number | null } | null;
  /** Calls at once that the plan asks for; the outermost has the limit of all. */
  readonly max: number;
  /** Calls in flight, also those of the plans inside. */
  inFlight: number;
  /** Ready calls that `max` holds back. */
  held: LeafCall[];
  /** Parts of calls that run a plan for each item, by call. */
  readonly items: Map<number, ItemParts>;
  /** Keys of the calls made outside that made calls here fail. */
  readonly failed: Map<number, readonly string[]>;
  ended: boolean;
}

/** Results of the plans for each item, in the order of the items. */
export interface ItemParts {
  readonly values: (Json | null)[];
  open: number;
  failure: { readonly item: number; readonly outcome: PlanOutcome; readonly keys: readonly string[] } | null;
}

/** Calls of the plan that failed and were not made up for. */
export function unrecovered(plan: Plan, records: readonly CallRecord[]): { call: PlanCall; record: CallRecord }[] {
  return plan.calls.flatMap((call) => {
    const record = records[call.index] as CallRecord;
    return isFailure(record) && record.recovered !== true ? [{ call, record }] : [];
  });
}

/** How messages call a call. */
export function callTitle({ source, tool, delegate }: PlanCall): string {
  const name = tool ?? delegate;
  return `call ${source + 1}${name === null ? '' : ` (\`${name}\`)`}`;
}

/** What whoever calls a plan gets: its output, or else everything that it came to. */
export function innerValue({ plan, scheduler }: PlanNode): Json {
  return plan.output === null ? scheduler.kind('state') : scheduler.output();
}

/** What the plan that a call runs gives to that call. */
export function innerOutcome(node: PlanNode, records: readonly CallRecord[]): PlanOutcome {
  const failures = unrecovered(node.plan, records);
  const [first] = failures;
  if (first === undefined) return { kind: 'result', value: innerValue(node) };
  const { call, record } = first;
  const message = `${callTitle(call)} failed: ${record.error?.message ?? ''}`;
  // Whether it ran is as unknown as that of the call inside.
  if (record.error?.code === 'in_doubt') return { kind: 'in-doubt', message };
  return { kind: 'failure', code: 'plan_failed', message };
}

/** Keys of the calls outside that made the plan fail. */
export function blamedKeys(node: PlanNode, records: readonly CallRecord[]): string[] {
  return unrecovered(node.plan, records).flatMap(({ call }) => node.failed.get(call.index) ?? refusedKeys(node, call));
}

/** A call whose result could not be written is to blame itself, if it was made outside. */
function refusedKeys({ plan, prefix }: PlanNode, { index, tool }: PlanCall): string[] {
  const binding = tool === null ? undefined : plan.tools[tool];
  return binding === undefined || binding.calls.kind === 'plan' ? [] : [prefix + (index + 1)];
}

/** The plan around the call that has as many calls in flight as it wants, or null. */
export function heldBack(from: PlanNode): PlanNode | null {
  for (let node: PlanNode | undefined = from; node !== undefined; node = node.parent?.node)
    if (node.inFlight >= node.max) return node;
  return null;
}

export function bindingOf(plan: Plan, call: PlanCall): ToolBinding {
  if (call.delegate !== null) {
    const calls = { kind: 'plan', file: call.delegate, each: null } as const;
    return { calls, outcomes: null, failure: null, timeoutMs: null, idempotent: null, schema: null };
  }
  const binding = call.tool === null ? undefined : plan.tools[call.tool];
  if (binding === undefined) throw new Error(`${callTitle(call)} has no tool`);
  return binding;
}

export function withItem({ item, outcome }: NonNullable<ItemParts['failure']>): PlanOutcome {
  return 'message' in outcome ? { ...outcome, message: `item ${item + 1}: ${outcome.message}` } : outcome;
}

/** The calls of one plan in its order; of several the one that is called first. */
export function isBefore(a: LeafCall, b: LeafCall): boolean {
  if (a.node === b.node) return a.call.index < b.call.index;
  const [left, right] = [
    [...a.node.at, a.call.index],
    [...b.node.at, b.call.index],
  ];
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) if (left[i] !== right[i]) return (left[i] as number) < (right[i] as number);
  return left.length < right.length;
}
