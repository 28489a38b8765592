/** Why a path has no value, from what became of the calls that may write it, and in words. */
import type { Json } from '../../../machine/expression.js';
import type { PlanCall, PlanPath } from '../../../machine/plan.js';
import { printPath } from '../../../machine/reference.js';
import { missingField, missingIndex } from '../../failure.js';
import { DataTree } from '../../values/data-tree.js';
import type { Value } from '../../values/value.js';
import type { CallRecord } from './call-record.js';
import type { Reason } from './resolve-parameter.js';

/** A call that may write the path, and what became of it. */
export interface Writer {
  readonly call: PlanCall;
  readonly record: CallRecord;
}

/** `given`: what is there before any call. A failed writer counts most: its result is what is missing. */
export function reasonOf(path: PlanPath, writers: Iterable<Writer>, given: Json): Reason {
  let found: Reason | null = null;
  for (const { call, record } of writers) {
    const { status, arm, reason } = record;
    if (status === 'failed' || status === 'blocked' || (status === 'denied' && arm === null)) return 'failed';
    const paths = arm === null ? [] : (call.arms[arm] ?? []);
    if (paths.some((one) => one.length <= path.length && one.every((step, i) => step === path[i])))
      found = 'unresolved';
    else found ??= reason ?? 'branch';
  }
  return found ?? (isFieldOf(path, given) ? 'unresolved' : 'missing');
}

/** What the path would be a part of is there. */
function isFieldOf(path: PlanPath, given: Json): boolean {
  const start = namesBefore(path) + 1;
  return path.length > start && new DataTree(given).has(path.slice(0, start));
}

/** The steps before the first name that a document chose: the kind, and of an instance its id. */
function namesBefore(path: PlanPath): number {
  return path[0] === 'instance' ? 3 : 1;
}

/** What there is instead of the path, as a clause. */
export function describeMissing(path: PlanPath, read: (part: PlanPath) => Json | undefined): string {
  for (let length = path.length - 1; length >= namesBefore(path); length--) {
    const outer = path.slice(0, length) as unknown as PlanPath;
    const value = read(outer);
    if (value === undefined) continue;
    const step = path[length] as string;
    const name = writtenName(outer);
    return (Array.isArray(value) ? missingIndex : missingField)(name, value as Value, step).message;
  }
  return `\`${writtenName(path)}\` has no value`;
}

/** The path as a document writes it. */
export function writtenName(path: PlanPath): string {
  return `†${printPath(path[0] === 'instance' ? (path.slice(2) as unknown as PlanPath) : path)}`;
}
