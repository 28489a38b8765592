/**
 * Reports UNDOs that no ROLLBACK can follow. Any instruction can fail, so its handlers and the state ERROR can follow
 * it too.
 */
import { controlFlow, reaching } from '../../machine/control-flow.js';
import type { State } from '../../machine/machine.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { Span } from '../../source/source-file.js';
import type { LoweredState } from '../lower/lowered-state.js';

/** `error` is the index of the state ERROR, or negative if there is none. */
export function lintUndo(states: readonly LoweredState[], error: number, diagnostics: Diagnostic[]): void {
  if (!states.some(({ state }) => state.code.some(({ op }) => op === 'undo'))) return;
  const rolledBack = reachingRollback(
    states.map(({ state }) => state),
    error,
  );
  states.forEach(({ state, spans }, at) => {
    const reported = new Set<number>();
    state.code.forEach(({ op }, pc) => {
      const span = spans[pc] as Span;
      // A pattern that is used twice is reported once.
      if (op !== 'undo' || rolledBack[at]?.[pc] || reported.has(span.start)) return;
      reported.add(span.start);
      diagnostics.push(say.undoUnreachable(span, {}));
    });
  });
}

/** Whether a ROLLBACK can follow each instruction of each state. */
function reachingRollback(states: readonly State[], error: number): boolean[][] {
  if (!states.some(({ code }) => code.some(({ op }) => op === 'rollback'))) return [];
  const flow = controlFlow(states, error);
  const startOf = (at: number): number => flow.starts[at] as number;
  const rollbacks = states.flatMap(({ code }, at) =>
    code.flatMap(({ op }, pc) => (op === 'rollback' ? [startOf(at) + pc] : [])),
  );
  const reaches = reaching(flow, rollbacks);
  return states.map(({ code }, at) => code.map((_, pc) => reaches[startOf(at) + pc] === true));
}
