/** What a scheduler tells of the calls of a plan: those that are to be made, and what became of each. */
import type { Json } from '../../../machine/expression.js';
import type { OutputMethod, PlanCall, PlanPath } from '../../../machine/plan.js';
import type { Reason } from './resolve-parameter.js';

/** `denied`: a person said no to what the call reads. */
export type CallStatus = 'done' | 'failed' | 'denied' | 'skipped' | 'blocked' | 'waiting' | 'superseded' | 'satisfied';

export interface CallRecord {
  readonly status: CallStatus;
  /** The arm that was taken, from 0. */
  readonly arm: number | null;
  readonly reason: Reason | null;
  readonly error: { readonly code: Json; readonly message: string } | null;
  /** The call failed, and another one wrote what it should have written. */
  readonly recovered?: true;
}

/** The call did not come to a result, and took no arm for that. */
export function isFailure({ status, arm }: CallRecord): boolean {
  return status === 'failed' || (status === 'denied' && arm === null);
}

/** A call that is to be made now. */
export interface StartedCall {
  readonly call: PlanCall;
  readonly parameters: { readonly [name: string]: Json };
}

export interface SchedulerOptions {
  /** How many calls run at once where the plan says nothing. */
  readonly limit: number;
  /** What is there before anything runs, instead of what the plan gives. */
  readonly given?: Json;
  /** Told of each path that is written, in the order of writing. */
  readonly wrote?: (path: PlanPath, value: Json, method: OutputMethod | null) => void;
  /** Told of each output path that was there before. */
  readonly found?: (path: PlanPath) => void;
}
