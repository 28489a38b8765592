/**
 * Parameters with what their references stand for. A reference gives a value, is ruled out for a reason, or is not
 * decided yet. Nothing here depends on the order in which calls end: what is decided stays so.
 */

import type { Json } from '../../../machine/expression.js';
import type { Parameter, PlanPath, Read } from '../../../machine/plan.js';
import { unreachable } from '../../../prelude/unreachable.js';
import { defineMember } from '../../values/data-tree.js';

export type Reason = 'branch' | 'denied' | 'unresolved' | 'failed' | 'missing' | 'waiting';

export type Resolved =
  | { readonly kind: 'value'; readonly value: Json }
  /** `path` is the one that is ruled out. */
  | { readonly kind: 'out'; readonly reason: Reason; readonly path: PlanPath | null }
  /** Calls that come before have to be decided first. */
  | { readonly kind: 'pending' };

/** What one path stands for. */
export type Lookup = (read: Read & { readonly op: 'path' }) => Resolved;

type Rest = Exclude<Resolved, { readonly kind: 'value' }>;

export function resolveParameter(parameter: Parameter, lookup: Lookup): Resolved {
  switch (parameter.op) {
    case 'literal':
      return { kind: 'value', value: parameter.value };
    case 'read':
      return resolveRead(parameter.of, lookup);
    case 'list': {
      const items: Json[] = [];
      let rest: Rest | null = null;
      for (const item of parameter.items) {
        const resolved = resolveParameter(item, lookup);
        if (resolved.kind === 'value') items.push(resolved.value);
        else rest = together(rest, resolved);
      }
      return rest ?? { kind: 'value', value: items };
    }
    case 'object': {
      const members: { [key: string]: Json } = {};
      let rest: Rest | null = null;
      for (const [key, part] of parameter.entries) {
        const resolved = resolveParameter(part, lookup);
        if (resolved.kind === 'value') defineMember(members, key, resolved.value);
        else rest = together(rest, resolved);
      }
      return rest ?? { kind: 'value', value: members };
    }
    default:
      return unreachable(parameter);
  }
}

/**
 * What counts of two parts without a value: of all parts, so that it does not depend on timing. An arm that was not
 * taken settles the whole, whatever the other parts come to.
 */
function together(one: Rest | null, other: Rest): Rest {
  if (one === null || isBranch(other)) return other;
  if (isBranch(one)) return one;
  if (other.kind === 'pending') return other;
  return one.kind === 'pending' || RANK[one.reason] <= RANK[other.reason] ? one : other;
}

function isBranch(rest: Rest): boolean {
  return rest.kind === 'out' && rest.reason === 'branch';
}

/** Which reason counts. What may still come counts least, because the others say that it is of no use. */
const RANK: Readonly<Record<Reason, number>> = {
  branch: 0,
  denied: 1,
  failed: 2,
  unresolved: 3,
  missing: 4,
  waiting: 5,
};

function resolveRead(read: Read, lookup: Lookup): Resolved {
  if (read.op === 'path') return lookup(read);
  const isAny = read.op === 'any';
  let last: Resolved = { kind: 'out', reason: 'missing', path: null };
  let rest: Rest | null = null;
  for (const part of read.of) {
    last = resolveRead(part, lookup);
    // What a person may still open is not ruled out: the alternatives behind it are not asked.
    if (isAny && (last.kind !== 'out' || last.reason === 'waiting')) return last;
    if (last.kind !== 'value') rest = together(rest, last);
  }
  return rest ?? last;
}

/** The parameter with null for everything that is not there. */
export function filled(parameter: Parameter, read: (path: PlanPath) => Json | undefined): Json {
  if (parameter.op === 'list') return parameter.items.map((item) => filled(item, read));
  if (parameter.op === 'object')
    return Object.fromEntries(parameter.entries.map(([key, value]) => [key, filled(value, read)]));
  const resolved = resolveParameter(parameter, ({ path }) => {
    const value = read(path);
    return value === undefined ? { kind: 'out', reason: 'missing', path } : { kind: 'value', value };
  });
  return resolved.kind === 'value' ? resolved.value : null;
}

/** The paths that have to be decided before anything can be said: of alternatives only the first. */
export function firstPaths(parameter: Parameter, found: (read: Read & { readonly op: 'path' }) => void): void {
  switch (parameter.op) {
    case 'literal':
      return;
    case 'read':
      return firstOfRead(parameter.of, found);
    case 'list':
      for (const item of parameter.items) firstPaths(item, found);
      return;
    case 'object':
      for (const [, value] of parameter.entries) firstPaths(value, found);
      return;
    default:
      return unreachable(parameter);
  }
}

function firstOfRead(read: Read, found: (read: Read & { readonly op: 'path' }) => void): void {
  if (read.op === 'path') return found(read);
  for (const part of read.op === 'any' ? read.of.slice(0, 1) : read.of) firstOfRead(part, found);
}
