/**
 * Reports UNDOs that no ROLLBACK can follow. Any instruction can fail, so its handlers and the state ERROR can follow
 * it too.
 */
import type { State } from '../../machine/machine.js';
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { Span } from '../../source/source-file.js';
import { successors } from '../graph/flow.js';
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

/** For each instruction of each state, whether a ROLLBACK can follow it. */
function reachingRollback(states: readonly State[], error: number): boolean[][] {
  const starts: number[] = [];
  let length = 0;
  for (const { code } of states) {
    starts.push(length);
    length += code.length;
  }
  const before: number[][] = Array.from({ length }, () => []);
  // A GOTO with an unknown target leads through an extra node.
  const anywhere = before.push([]) - 1;
  for (const start of starts) before[start]?.push(anywhere);
  const failing = error < 0 ? null : (starts[error] as number);
  states.forEach((state, at) => {
    const base = starts[at] as number;
    const joins = joinsOf(state);
    state.code.forEach((i, pc) => {
      const next = i.op === 'branch-end' ? [joins[pc] ?? pc] : successors(state.code, pc);
      if (i.op === 'fork') next.push(...i.branches.map((branch) => branch.pc));
      if (i.op === 'fork-each') next.push(i.body);
      for (const handler of state.handlers) if (handler.from <= pc && pc < handler.to) next.push(handler.pc);
      for (const to of next) before[base + to]?.push(base + pc);
      if (i.op === 'goto') before[starts[i.state] ?? anywhere]?.push(base + pc);
      if (i.op === 'goto-dynamic') before[anywhere]?.push(base + pc);
      if (failing !== null) before[failing]?.push(base + pc);
    });
  });
  const reaches = new Array<boolean>(before.length).fill(false);
  const work = states.flatMap(({ code }, at) =>
    code.flatMap(({ op }, pc) => (op === 'rollback' ? [(starts[at] as number) + pc] : [])),
  );
  while (work.length > 0) {
    for (const from of before[work.pop() as number] ?? []) {
      if (reaches[from]) continue;
      reaches[from] = true;
      work.push(from);
    }
  }
  return states.map(({ code }, at) => code.map((_, pc) => reaches[(starts[at] as number) + pc] === true));
}

/** The successor of the end of each branch: the join of its innermost fork. */
function joinsOf({ code }: State): readonly (number | undefined)[] {
  const open: number[] = [];
  return code.map((i, pc) => {
    while (open.length > 0 && (open.at(-1) as number) <= pc) open.pop();
    if (i.op === 'fork' || i.op === 'fork-each') open.push(i.join);
    return open.at(-1);
  });
}
