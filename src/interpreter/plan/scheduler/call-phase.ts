/** How far a call of a plan has come, and the records of calls that are decided. */
import type { Json } from '../../../machine/expression.js';
import type { PlanCall, PlanPath } from '../../../machine/plan.js';
import type { CallRecord } from './call-record.js';

/** `settled` waits with its result until the calls before it are decided where they write the same. */
export type Phase =
  | { readonly kind: 'open' | 'ready' | 'running' }
  /** `record`: what becomes of the call once its result is written, where that is not simply done. */
  | { readonly kind: 'settled'; readonly arm: number; readonly value: Json; readonly record: CallRecord | null }
  | { readonly kind: 'decided'; readonly record: CallRecord };

export const OPEN: Phase = { kind: 'open' };
export const READY: Phase = { kind: 'ready' };
export const RUNNING: Phase = { kind: 'running' };
/** What becomes of most calls, once for all of them. */
export const DONE: Phase & { kind: 'decided' } = { kind: 'decided', record: done(0) };

export function done(arm: number | null): CallRecord {
  return { status: 'done', arm, reason: null, error: null };
}

export function failed(code: Json, message: string): CallRecord {
  return { status: 'failed', arm: null, reason: null, error: { code, message } };
}

export function superseded(arm: number | null): CallRecord {
  return { status: 'superseded', arm, reason: null, error: null };
}

const NOWHERE: readonly PlanPath[] = [];

/** The paths of arms that a decided call did not take; of one that was skipped for such an arm all of its own. */
export function untakenPaths({ arms }: PlanCall, { arm, reason }: CallRecord): readonly PlanPath[] {
  if (reason === 'branch') return arms.flat();
  return arm === null || arms.length < 2 ? NOWHERE : arms.flatMap((paths, at) => (at === arm ? NOWHERE : paths));
}
