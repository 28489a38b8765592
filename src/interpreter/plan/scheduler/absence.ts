/** Why a path has no value: from what became of the calls that may write it, as a reason and in words. */
import type { Json } from '../../../machine/expression.js';
import type { PlanCall, PlanPath } from '../../../machine/plan.js';
import { printPath } from '../../../prelude/reference.js';
import { missingField, missingIndex } from '../../failure.js';
import type { Value } from '../../values/value.js';
import { type CallRecord, isFailure } from './call-record.js';
import type { AbsenceReason } from './resolve-parameter.js';

/** A decided call that may write the path. */
export interface Writer {
  readonly call: PlanCall;
  readonly record: CallRecord;
}

/** `given`: the data before any call. A failed writer counts most, because its result is what is missing. */
export function absenceReason(
  path: PlanPath,
  writers: readonly Writer[],
  isGiven: (part: readonly string[]) => boolean,
): Exclude<AbsenceReason, 'waiting'> {
  let found: Exclude<AbsenceReason, 'waiting'> | null = null;
  for (const { call, record } of writers) {
    const { status, arm, reason } = record;
    if (isFailure(record) || status === 'blocked') return 'failed';
    const paths = arm === null ? [] : (call.arms[arm] ?? []);
    if (paths.some((one) => one.length <= path.length && one.every((segment, i) => segment === path[i])))
      found = 'unresolved';
    else found ??= reason === null || reason === 'waiting' ? 'branch' : reason;
  }
  return found ?? (isFieldOf(path, isGiven) ? 'unresolved' : 'missing');
}

/** Whether the value is there that the path names a part of. */
function isFieldOf(path: PlanPath, isGiven: (part: readonly string[]) => boolean): boolean {
  const start = countFixedSegments(path) + 1;
  return path.length > start && isGiven(path.slice(0, start));
}

/** The segments before the first name that a document chose: the kind, and for an instance also its id. */
function countFixedSegments(path: PlanPath): number {
  return path[0] === 'instance' ? 3 : 1;
}

/** A clause that says what is there instead of the path. */
export function describeAbsence(path: PlanPath, read: (part: PlanPath) => Json | undefined): string {
  for (let length = path.length - 1; length >= countFixedSegments(path); length--) {
    const outer = path.slice(0, length) as unknown as PlanPath;
    const value = read(outer);
    if (value === undefined) continue;
    const segment = path[length] as string;
    const name = nameInDocument(outer);
    return (Array.isArray(value) ? missingIndex : missingField)(name, value as Value, segment).message;
  }
  return `\`${nameInDocument(path)}\` has no value`;
}

/** The path as a document writes it. */
export function nameInDocument(path: PlanPath): string {
  return `†${printPath(path[0] === 'instance' ? (path.slice(2) as unknown as PlanPath) : path)}`;
}
