/** What a scheduler says about the calls of a plan: the calls to make now, and what became of each one. */
import type { Json } from '../../../machine/expression.js';
import type { PlanCall } from '../../../machine/plan.js';
import type { AbsenceReason } from './resolve-parameter.js';

/** How a call of a plan ended, or what it waits for. `denied`: a person said no to what the call reads. */
export type CallStatus = 'done' | 'failed' | 'denied' | 'skipped' | 'blocked' | 'waiting' | 'superseded' | 'satisfied';

/** What became of a call of a plan. */
export interface CallRecord {
  readonly status: CallStatus;
  /** The arm that the call took, from 0. */
  readonly arm: number | null;
  readonly reason: AbsenceReason | null;
  readonly error: { readonly code: Json; readonly message: string } | null;
  /** The call failed, and another call wrote what it should have written. */
  readonly recovered?: true;
}

/** The call has no result, and took no arm for failures. */
export function isFailure({ status, arm }: CallRecord): boolean {
  return status === 'failed' || (status === 'denied' && arm === null);
}

/** A call to make now. */
export interface StartedCall {
  readonly call: PlanCall;
  readonly parameters: { readonly [name: string]: Json };
}

/** The record of most calls, shared by all of them. */
const DONE_FIRST_ARM: CallRecord = { status: 'done', arm: 0, reason: null, error: null };

/** `arm`: -1 for a call without output paths. */
export function doneRecord(arm: number): CallRecord {
  return arm === 0 ? DONE_FIRST_ARM : { ...DONE_FIRST_ARM, arm: arm < 0 ? null : arm };
}

export function failedRecord(code: Json, message: string): CallRecord {
  return { status: 'failed', arm: null, reason: null, error: { code, message } };
}

export function supersededRecord(arm: number | null): CallRecord {
  return { status: 'superseded', arm, reason: null, error: null };
}
