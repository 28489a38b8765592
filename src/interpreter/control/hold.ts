/**
 * Failures that are not taken. A run that is resumed after a failure that was no effect's begins again at the instruction
 * that failed, with everything it had done until then: while its record is read, the thread is held there instead.
 */
import type { HeldFailure } from '../events/event.js';
import { STOP } from '../run-state/linked-machine.js';
import type { Run } from '../run-state/run.js';
import { makeReady, type Thread } from '../run-state/thread.js';

export function holdKey({ thread, number }: HeldFailure): string {
  return `${thread}#${number}`;
}

/** Whether this failure of a thread is one that the run is held at; it has the same number when it happens again. */
export function isHeld({ run, path, failures }: Thread): boolean {
  return run.holds?.has(holdKey({ thread: path, number: failures + 1 })) === true;
}

/** The thread waits at its instruction, or at the conditions that led to it and nowhere else: they can be edited, too. */
export function hold(thread: Thread): number {
  thread.pc = statementOf(thread);
  thread.status = 'blocked';
  thread.run.hold(thread);
  return STOP;
}

/** All threads that are held can go on. The run is held at no failure any more. */
export function releaseHeld(run: Run): void {
  run.holdAt(null);
  for (const thread of run.takeHeld()) makeReady(thread);
}

/** The first of the conditions directly above an instruction that is reached through them alone. */
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

/** What never goes on with the instruction below it. */
const ENDS: ReadonlySet<string> = new Set(['jump', 'goto', 'goto-dynamic', 'fail', 'return', 'fell-off', 'branch-end']);
