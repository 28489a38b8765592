/**
 * Replaces the references in a parameter by their values. The result of a parameter is that of all its parts, so it does
 * not depend on which part is looked at first, nor on the order in which calls end.
 */
import type { Json } from '../../../machine/expression.js';
import type { Parameter, PlanPath, Read } from '../../../machine/plan.js';
import { unreachable } from '../../../prelude/unreachable.js';
import { decode } from '../../values/json.js';
import { define } from '../../values/value.js';
import { union, type WriterList } from './write-order.js';

/** Why a call of a plan has no value to read: of `skipped`, `blocked` and `waiting` calls. */
export type AbsenceReason = 'branch' | 'denied' | 'unresolved' | 'failed' | 'missing' | 'waiting';

export type ResolvedParameter =
  | { readonly kind: 'value'; readonly value: Json }
  /** Calls of lower rank in these lists must be decided first. */
  | { readonly kind: 'pending'; readonly lists: readonly WriterList[] }
  /** Everything is decided but these paths, which a person must give. */
  | { readonly kind: 'waiting'; readonly approvals: readonly PlanPath[] }
  /** There will never be a value. `path` is the one that has none. */
  | { readonly kind: 'out'; readonly reason: Exclude<AbsenceReason, 'waiting'>; readonly path: PlanPath | null };

export type PathRead = Read & { readonly op: 'path' };

/** Finds what one path is. */
type Lookup = (read: PathRead) => ResolvedParameter;

type Absent = Exclude<ResolvedParameter, { readonly kind: 'value' }>;

export function resolveParameter(parameter: Parameter, lookup: Lookup): ResolvedParameter {
  switch (parameter.op) {
    case 'literal':
      return { kind: 'value', value: literalValue(parameter) };
    case 'read':
      return resolveRead(parameter.of, lookup);
    case 'list': {
      const items: Json[] = [];
      let absent: Absent | null = null;
      for (const item of parameter.items) {
        const resolved = resolveParameter(item, lookup);
        if (resolved.kind === 'value') items.push(resolved.value);
        else absent = combine(absent, resolved);
      }
      return absent ?? { kind: 'value', value: items };
    }
    case 'object': {
      const members: { [key: string]: Json } = {};
      let absent: Absent | null = null;
      for (const [key, part] of parameter.entries) {
        const resolved = resolveParameter(part, lookup);
        if (resolved.kind === 'value') define(members, key, resolved.value);
        else absent = combine(absent, resolved);
      }
      return absent ?? { kind: 'value', value: members };
    }
    default:
      return unreachable(parameter);
  }
}

/** The value of a literal, whose numbers have the digits of the document. */
function literalValue({ value, printed }: Extract<Parameter, { op: 'literal' }>): Json {
  return printed === undefined ? value : (decode(printed) as Json);
}

function resolveRead(read: Read, lookup: Lookup): ResolvedParameter {
  if (read.op === 'path') return lookup(read);
  const isAny = read.op === 'any';
  let last: ResolvedParameter = { kind: 'out', reason: 'missing', path: null };
  let absent: Absent | null = null;
  for (const part of read.of) {
    last = resolveRead(part, lookup);
    // An alternative that may still come is not ruled out, so the ones after it do not count yet.
    if (isAny && last.kind !== 'out') return last;
    if (last.kind !== 'value') absent = combine(absent, last);
  }
  return absent ?? last;
}

/**
 * Which of two parts without a value decides about the whole. An arm that was not taken decides at once. Anything else
 * counts only when no call is left that could add a reason; and an approval counts least, because no answer of a person
 * helps where another part has no value.
 */
const PRECEDENCE: Readonly<Record<AbsenceReason | 'pending', number>> = {
  branch: 0,
  pending: 1,
  denied: 2,
  failed: 3,
  unresolved: 4,
  missing: 5,
  waiting: 6,
};

function combine(one: Absent | null, other: Absent): Absent {
  if (one === null) return other;
  if (one.kind === 'pending' && other.kind === 'pending')
    return { kind: 'pending', lists: union(one.lists, other.lists) };
  if (one.kind === 'waiting' && other.kind === 'waiting')
    return { kind: 'waiting', approvals: [...one.approvals, ...other.approvals] };
  return precedenceOf(one) <= precedenceOf(other) ? one : other;
}

function precedenceOf(absent: Absent): number {
  return PRECEDENCE[absent.kind === 'out' ? absent.reason : absent.kind];
}

/** The parameter with null for each reference without a value. */
export function fillParameter(parameter: Parameter, read: (path: PlanPath) => Json | undefined): Json {
  if (parameter.op === 'list') return parameter.items.map((item) => fillParameter(item, read));
  if (parameter.op === 'object')
    return Object.fromEntries(parameter.entries.map(([key, value]) => [key, fillParameter(value, read)]));
  const resolved = resolveParameter(parameter, ({ path }) => {
    const value = read(path);
    return value === undefined ? { kind: 'out', reason: 'missing', path } : { kind: 'value', value };
  });
  return resolved.kind === 'value' ? resolved.value : null;
}

/** The paths that must be decided before the parameter can be resolved: only the first of alternatives. */
export function firstPaths(parameter: Parameter): PlanPath[] {
  const paths: PlanPath[] = [];
  addFirstPaths(parameter, paths);
  return paths;
}

function addFirstPaths(parameter: Parameter, paths: PlanPath[]): void {
  switch (parameter.op) {
    case 'literal':
      return;
    case 'read':
      addFirstPathsOfRead(parameter.of, paths);
      return;
    case 'list':
      for (const item of parameter.items) addFirstPaths(item, paths);
      return;
    case 'object':
      for (const [, value] of parameter.entries) addFirstPaths(value, paths);
      return;
    default:
      unreachable(parameter);
  }
}

function addFirstPathsOfRead(read: Read, paths: PlanPath[]): void {
  if (read.op === 'path') {
    paths.push(read.path);
    return;
  }
  const parts = read.op === 'any' ? read.of.slice(0, 1) : read.of;
  for (const part of parts) addFirstPathsOfRead(part, paths);
}
