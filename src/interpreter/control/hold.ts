/**
 * Holds threads at failures. If no effect caused a failure, the run is resumed at the failed instruction, with everything
 * that it had done before: while the record is read, the thread is held there instead of failing.
 */
import type { HeldFailure } from '../events/event.js';
import { STOP } from '../run-state/linked-machine.js';
import type { Run } from '../run-state/run-memory.js';
import { makeReady, type Thread } from '../run-state/thread.js';

export function holdKey({ thread, number }: HeldFailure): string {
  return `${thread}#${number}`;
}

/** Whether the run is held at this failure of a thread. A failure has the same number when it happens again. */
export function isHeld({ run, path, failures }: Thread): boolean {
  return run.holds?.has(holdKey({ thread: path, number: failures + 1 })) === true;
}

/** Holds the thread at its instruction, or at the conditions that lead only to it, because they can be edited too. */
export function hold(thread: Thread): number {
  thread.pc = statementOf(thread);
  thread.status = 'blocked';
  thread.run.hold(thread);
  return STOP;
}

/** Releases all held threads. The run is no longer held at any failure. */
export function releaseHeld(run: Run): void {
  run.holdAt(null);
  for (const thread of run.takeHeld()) makeReady(thread);
}

/** The first of the conditions directly above an instruction, if it can only be reached through them. */
function statementOf(thread: Thread): number {
  const { machine, starts } = thread.run.linked;
  const code = machine.states[thread.state]?.code ?? [];
  const base = starts[thread.state] as number;
  let pc = thread.pc - base;
  for (;;) {
    const ways = code.flatMap((instruction, at) => {
      const isJump = instruction.op === 'jump' || instruction.op === 'unless';
      const reaches = (at === pc - 1 && !ENDS.has(instruction.op)) || (isJump && instruction.to === pc);
      return reaches ? [at] : [];
    });
    const [only] = ways;
    if (ways.length !== 1 || only === undefined || code[only]?.op !== 'unless') return base + pc;
    pc = only;
  }
}

/** Instructions after which the next one is never executed. */
const ENDS: ReadonlySet<string> = new Set(['jump', 'goto', 'goto-dynamic', 'fail', 'return', 'fell-off', 'branch-end']);
