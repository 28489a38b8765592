/**
 * Kinds of failures that no exploration makes, or only one with what is rare. Where a program names one that is not explored
 * at all, more can happen than what was explored.
 */
import type { Machine } from '../machine/machine.js';
import type { Moment } from './monitors.js';
import { RARE, type Rare } from './way.js';

const UNMODELED: readonly string[] = ['cancelled', ...RARE];

/** The first of these kinds that handlers or conditions of a machine name; null: none. `explored`: those that are explored apart. */
export function unmodeledKindIn({ states }: Machine, explored: ReadonlySet<Rare>): string | null {
  const kinds = UNMODELED.filter((kind) => !explored.has(kind as Rare));
  const isNamed = new Map<string, boolean>();
  for (const { code, handlers } of states) {
    for (const { kind } of handlers) if (kind !== null) isNamed.set(kind, true);
    for (const one of code) {
      const text = one.op === 'unless' ? JSON.stringify(one.condition) : '';
      for (const kind of kinds) if (text.includes(JSON.stringify(kind))) isNamed.set(kind, true);
    }
  }
  return kinds.find((kind) => isNamed.has(kind)) ?? null;
}

/** The kind of failures that a moment is about, if no exploration makes it. */
export function unmodeledKindOf(moment: Moment): string | null {
  return moment.kind === 'failed' && moment.error !== null && UNMODELED.includes(moment.error) ? moment.error : null;
}
