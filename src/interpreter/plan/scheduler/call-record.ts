/** What a scheduler tells of the calls of a plan: those that are to be made, and what became of each. */
import type { Json } from '../../../machine/expression.js';
import type { PlanCall } from '../../../machine/plan.js';
import type { Reason } from './resolve-parameter.js';

export type CallStatus = 'done' | 'failed' | 'skipped' | 'blocked' | 'waiting' | 'superseded' | 'satisfied';

export interface CallRecord {
  readonly status: CallStatus;
  /** The arm that was taken, from 0. */
  readonly arm: number | null;
  readonly reason: Reason | null;
  readonly error: { readonly code: Json; readonly message: string } | null;
  /** The call failed, and another one wrote what it should have written. */
  readonly recovered?: true;
}

/** A call that is to be made now. */
export interface StartedCall {
  readonly call: PlanCall;
  readonly parameters: { readonly [name: string]: Json };
}
