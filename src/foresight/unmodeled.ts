/** Kinds of failures that no exploration makes. Where a program names one, more can happen than what was explored. */
import type { Machine } from '../machine/machine.js';
import type { Moment } from './moments.js';

const UNMODELED: readonly string[] = ['value_too_large', 'cancelled', 'worktree', 'merge_conflict'];

/** The first of these kinds that handlers or conditions of a machine name; null: none. */
export function unmodeledKindIn({ states }: Machine): string | null {
  const isNamed = new Map<string, boolean>();
  for (const { code, handlers } of states) {
    for (const { kind } of handlers) if (kind !== null) isNamed.set(kind, true);
    for (const one of code) {
      const text = one.op === 'unless' ? JSON.stringify(one.condition) : '';
      for (const kind of UNMODELED) if (text.includes(JSON.stringify(kind))) isNamed.set(kind, true);
    }
  }
  return UNMODELED.find((kind) => isNamed.has(kind)) ?? null;
}

/** The kind of failures that a moment is about, if no exploration makes it. */
export function unmodeledKindOf(moment: Moment): string | null {
  return moment.kind === 'failed' && moment.error !== null && UNMODELED.includes(moment.error) ? moment.error : null;
}
