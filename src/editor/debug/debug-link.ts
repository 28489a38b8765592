/**
 * The hook of a debugger: other instructions. A trap stands in front of an instruction, and `link`, `execute` and
 * `advance` have no branch for it, so a run without a debugger pays nothing.
 */
import { asFailure } from '../../interpreter/control/fail.js';
import { RuntimeFailure } from '../../interpreter/failure.js';
import { type LinkedInstruction, type LinkedMachine, STOP } from '../../interpreter/run-state/linked-machine.js';
import type { Thread } from '../../interpreter/run-state/thread.js';

export interface Trap {
  /** The positions that are trapped; null: all. */
  readonly positions: ReadonlySet<number> | null;
  /** True: the thread stops before the instruction. `isAgain`: it was executed, and the thread stopped at its failure. */
  readonly before: (thread: Thread, pc: number, isAgain: boolean) => boolean;
  /** Whether a thread stops before this failure is handled; null: failures are not looked at. */
  readonly failing: ((thread: Thread, pc: number, failure: RuntimeFailure) => boolean) | null;
  /** Called when it stops there. */
  readonly atFailure: (thread: Thread, pc: number, failure: RuntimeFailure) => void;
  readonly failures: Failures;
  /** Called instead of a return when a thread stops; may throw to leave `advance`. */
  readonly leave: () => void;
}

/** Threads that stopped at a failure, which they throw again when they continue. */
export type Failures = Map<Thread, { readonly failure: RuntimeFailure; isShown: boolean }>;

export function debugLink(linked: LinkedMachine, trap: Trap): LinkedMachine {
  const { positions, failing, failures } = trap;
  const isTrapped = (pc: number): boolean =>
    positions === null || positions.has(pc) || failing !== null || failures.size > 0;
  const instructions = linked.instructions.map((instruction, pc) =>
    isTrapped(pc) && pc !== linked.rollback ? trapInstruction(instruction, pc, trap) : instruction,
  );
  if (failing === null) return { ...linked, instructions };
  const suspenders = linked.suspenders.map((suspender, at) =>
    suspender === null || at === linked.rollback
      ? suspender
      : {
          ...suspender,
          resume: (...given: Parameters<typeof suspender.resume>): number => {
            try {
              return suspender.resume(...given);
            } catch (thrown) {
              const [thread, { effect }] = given;
              const failure = ofEffect(asFailure(thrown), effect);
              // What it waited for is settled, so the thread fails at the same position when it is executed next.
              if (failure === null || !failing(thread, thread.pc, failure)) throw thrown;
              failures.set(thread, { failure, isShown: false });
              return thread.pc;
            }
          },
        },
  );
  return { ...linked, instructions, suspenders };
}

/** Without a debugger, after one was there: only threads that stopped at a failure still have to throw it. */
export function releasedLink(linked: LinkedMachine, failures: Failures): LinkedMachine {
  if (failures.size === 0) return linked;
  const instructions = linked.instructions.map(
    (instruction): LinkedInstruction =>
      (t) => {
        const known = failures.get(t);
        if (known === undefined) return instruction(t);
        failures.delete(t);
        throw known.failure;
      },
  );
  return { ...linked, instructions };
}

/** The failure with the effect that caused it, which is not known when it is thrown again; null: it has another cause. */
function ofEffect(failure: RuntimeFailure, effect: string): RuntimeFailure | null {
  const { errorType, message, tool, exit, about, source } = failure;
  if (source.effects !== undefined) return source.effects.length === 0 ? null : failure;
  return new RuntimeFailure(errorType, message, tool, exit, about, { ...source, effects: [effect] });
}

function trapInstruction(
  instruction: LinkedInstruction,
  pc: number,
  { before, failing, atFailure, failures, leave }: Trap,
): LinkedInstruction {
  const stop = (t: Thread): typeof STOP => {
    t.run.stopBefore(t, pc);
    leave();
    return STOP;
  };
  if (failing === null && failures.size === 0) return (t) => (before(t, pc, false) ? stop(t) : instruction(t));
  const stopAt = (t: Thread, failure: RuntimeFailure): typeof STOP => {
    failures.set(t, { failure, isShown: true });
    atFailure(t, pc, failure);
    return stop(t);
  };
  return (t) => {
    const known = failures.size === 0 ? undefined : failures.get(t);
    if (known?.isShown === false) return stopAt(t, known.failure);
    if (before(t, pc, known !== undefined)) return stop(t);
    if (known !== undefined) {
      failures.delete(t);
      throw known.failure;
    }
    try {
      return instruction(t);
    } catch (thrown) {
      const failure = asFailure(thrown);
      if (failing?.(t, pc, failure) !== true) throw thrown;
      return stopAt(t, failure);
    }
  };
}
