/** The values that a state has bound at this moment, for people. */
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Run } from '../run-state/run-memory.js';
import { type Printed, printedForms } from './json.js';
import { plainByName } from './value.js';

/** Entry values and locals of the current state, by name, without those that are not bound yet. */
export function boundValues(run: Run): { readonly bound: Record<string, Json>; readonly printed_bound?: Printed } {
  const { main } = run;
  const state = run.linked.machine.states[main.state];
  const names = [...(state?.entry ?? []), ...(state?.locals ?? [])];
  // Names with `$` are the compiler's own.
  const values = [...main.entry.slice(0, state?.entry.length ?? 0), ...main.locals].map((value, at) =>
    names[at]?.startsWith('$') ? undefined : value,
  );
  return { bound: plainByName(names, values), ...omitUndefined({ printed_bound: printedForms(names, values) }) };
}
