/** What a plan under way stores and reports: the entries that were applied to it, and what became of its calls. */
import type { Json } from '../../../machine/expression.js';
import type { CallTry } from '../call-request.js';
import type { CallRecord } from '../scheduler/call-record.js';
import type { PlanOutcome } from '../scheduler/plan-outcome.js';

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
