/**
 * Parameters with what their references stand for. A reference gives a value, is ruled out for a reason, or is not
 * decided yet. Nothing here depends on the order in which calls end: what is decided stays so.
 */
import type { Json } from '../../machine/expression.js';
import type { Parameter, PlanPath, Read } from '../../machine/plan.js';

export type Reason = 'branch' | 'unresolved' | 'failed' | 'missing' | 'waiting';

export type Resolved =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'out'; readonly reason: Reason }
  /** Calls that come before have to be decided first. */
  | { readonly kind: 'pending' };

/** What one path stands for. */
export type Lookup = (read: Read & { readonly op: 'path' }) => Resolved;

const PENDING: Resolved = { kind: 'pending' };

export function resolveParameter(parameter: Parameter, lookup: Lookup): Resolved {
  switch (parameter.op) {
    case 'literal':
      return { kind: 'value', value: parameter.value };
    case 'read':
      return resolveRead(parameter.of, lookup);
    case 'list': {
      const items: Json[] = [];
      const rest = collected(parameter.items, lookup, (value) => items.push(value));
      return rest ?? { kind: 'value', value: items };
    }
    case 'object': {
      const entries: [string, Json][] = [];
      const values = parameter.entries.map(([, value]) => value);
      const rest = collected(values, lookup, (value, at) => entries.push([parameter.entries[at]?.[0] ?? '', value]));
      // Made from entries, a key `__proto__` is a key.
      return rest ?? { kind: 'value', value: Object.fromEntries(entries) };
    }
    default:
      return unreachable(parameter);
  }
}

/** Null when every part is a value; else the reason that counts: of all, so that it does not depend on timing. */
function collected(
  parts: readonly Parameter[],
  lookup: Lookup,
  take: (value: Json, at: number) => void,
): Resolved | null {
  let out: Reason | null = null;
  let pending = false;
  parts.forEach((part, at) => {
    const resolved = resolveParameter(part, lookup);
    if (resolved.kind === 'value') take(resolved.value, at);
    else if (resolved.kind === 'pending') pending = true;
    else out = worse(out, resolved.reason);
  });
  if (pending) return PENDING;
  return out === null ? null : { kind: 'out', reason: out };
}

function resolveRead(read: Read, lookup: Lookup): Resolved {
  if (read.op === 'path') return lookup(read);
  const isAny = read.op === 'any';
  let last: Resolved = { kind: 'out', reason: 'missing' };
  let out: Reason | null = null;
  let pending = false;
  for (const part of read.of) {
    last = resolveRead(part, lookup);
    if (last.kind === 'out') {
      // What a person may still open is not ruled out: the alternatives behind it are not asked.
      if (isAny && last.reason === 'waiting') return last;
      out = worse(out, last.reason);
    } else if (isAny) return last;
    else if (last.kind === 'pending') pending = true;
  }
  if (pending) return PENDING;
  return out === null ? last : { kind: 'out', reason: out };
}

/** A failure counts most; what may still come counts least, because the others say that it is of no use. */
function worse(one: Reason | null, other: Reason): Reason {
  if (one === null || one === 'waiting') return other;
  return other === 'failed' ? other : one;
}

/** The parameter with null for everything that is not there. */
export function filled(parameter: Parameter, read: (path: PlanPath) => Json | undefined): Json {
  if (parameter.op === 'list') return parameter.items.map((item) => filled(item, read));
  if (parameter.op === 'object')
    return Object.fromEntries(parameter.entries.map(([key, value]) => [key, filled(value, read)]));
  const resolved = resolveParameter(parameter, ({ path }) => {
    const value = read(path);
    return value === undefined ? { kind: 'out', reason: 'missing' } : { kind: 'value', value };
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

function unreachable(parameter: never): never {
  throw new Error(`not a parameter: ${JSON.stringify(parameter)}`);
}
