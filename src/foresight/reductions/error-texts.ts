/**
 * Whether a program looks at the words of failures. Few do, and the words depend on much that an exploration does not know:
 * where they decide something, they are unknown texts.
 */
import type { Machine } from '../../machine/machine.js';
import type { Variable } from './reads.js';
import type { StepFields } from './step-fields.js';

export function looksAtErrors(
  { states, error }: Machine,
  relevant: ReadonlySet<Variable>,
  { deciding }: StepFields,
): boolean {
  const entry = states[error ?? -1]?.entry.indexOf('error') ?? -1;
  if (entry >= 0 && relevant.has(`entry ${error} ${entry}`)) return true;
  if ([...deciding].some((field) => /(?:^|\.)error$/.test(field))) return true;
  return states.some(({ code, handlers }, state) => {
    const holders = [
      ...handlers.flatMap(({ names, keep }) => [names.error, keep?.failures]),
      ...code.flatMap((one) => {
        if (one.op === 'fork' || one.op === 'fork-each') return [one.keep];
        if (one.op === 'each') return [one.keep?.failures];
        return one.op === 'rollback' ? [one.bind] : [];
      }),
    ];
    return holders.some((slot) => slot !== undefined && relevant.has(`local ${state} ${slot}`));
  });
}
