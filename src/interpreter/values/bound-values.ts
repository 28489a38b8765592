/** The values that a state has bound at this moment, for people. */
import type { Json } from '../../machine/expression.js';
import type { Run } from '../run-state/run.js';
import type { Slot } from '../run-state/thread.js';
import { define, plain } from './value.js';

/** Entry values and locals of the current state, by name, without those that are not bound yet. */
export function boundValues(run: Run): Record<string, Json> {
  const { main } = run;
  const state = run.linked.machine.states[main.state];
  const values: Record<string, Json> = {};
  const add = (names: readonly string[], slots: readonly Slot[]): void => {
    names.forEach((name, slot) => {
      const value = slots[slot];
      // Names with `$` are the compiler's own.
      if (value !== undefined && !name.startsWith('$')) define(values, name, plain(value));
    });
  };
  add(state?.entry ?? [], main.entry);
  add(state?.locals ?? [], main.locals);
  return values;
}
