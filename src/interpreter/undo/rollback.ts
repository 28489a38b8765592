/**
 * UNDO and ROLLBACK. The entries of the register are performed as instructions, one after another, newest first. An entry
 * is removed when it has ended, so that a run which is stopped in between still has it.
 */
import type { Instruction } from '../../machine/machine.js';
import { asFailure, factsOf, reportFailure } from '../control/fail.js';
import { endFailed } from '../control/transfer.js';
import type { RolledBack } from '../events/facts.js';
import type { RuntimeFailure } from '../failure.js';
import { linkEffect } from '../instructions/effect-instructions.js';
import { linkPlan } from '../plan/plan-instruction.js';
import { type LinkContext, type Linked, STOP } from '../run-state/linked-machine.js';
import type { Run } from '../run-state/run-memory.js';
import { locationOf, record, type Thread } from '../run-state/thread.js';
import type { UndoEntry, UndoInstruction } from '../run-state/undo-register.js';
import type { DeliveryOffset } from '../settle.js';
import type { Value } from '../values/value.js';
import { compileFreezer } from './freeze.js';
import { registerOf } from './register.js';

export function linkUndo(instruction: Extract<Instruction, { op: 'undo' }>, context: LinkContext): Linked {
  const freeze = compileFreezer(instruction.by as UndoInstruction);
  const next = context.pc + 1;
  return {
    instruction: (t) => {
      // A CALL that took another path than its first one has not done what its UNDO would undo.
      const skipped = t.unperformed;
      t.unperformed = false;
      if (skipped) return next;
      registerOf(t).push({ ...locationOf(t), transitions: t.run.transitions, ...freeze(t) });
      return next;
    },
  };
}

/** What follows when the register is empty: a position, or `STOP` if the run has ended. */
type After = (thread: Thread, came: RolledBack) => number;

/** `mark` is the slot of the number of entries that stay. */
function linkPerforming(context: LinkContext, after: After, mark?: number): Linked {
  const known = new WeakMap<UndoEntry, Linked>();
  const linkEntry = (entry: UndoEntry): Linked => {
    const { by, line, state } = entry;
    const before = known.get(entry);
    if (before !== undefined) return before;
    const located = { ...context, undo: { line, state } };
    const made = by.op === 'plan' ? linkPlan(by, located) : linkEffect(by, located);
    known.set(entry, made);
    return made;
  };

  const tryEntry = (t: Thread, perform: (one: Linked) => number): number | null => {
    const entry = registerOf(t).newest;
    const came = t.rollback;
    if (entry === null || came === null) return null;
    const { output } = t;
    try {
      const pc = perform(linkEntry(entry));
      if (pc === STOP) return STOP;
      t.rollback = { ...came, done: came.done + 1 };
    } catch (thrown) {
      const failure = asFailure(thrown);
      reportFailedEntry(t, entry, failure);
      t.run.undo.noteFailed(entry);
      t.rollback = { ...came, failed: [...came.failed, { line: entry.line, error: failure.message }] };
    }
    // A pipe below the ROLLBACK must not read the output of an UNDO.
    t.output = output;
    registerOf(t).pop();
    t.run.undo.noteUndone(entry);
    return null;
  };

  /** Performs entries until one has to wait, or none is left. */
  const continueRollback = (t: Thread): number => {
    const kept = keptBefore(t, mark);
    while (registerOf(t).entries.length > kept)
      if (tryEntry(t, ({ instruction }) => instruction(t)) === STOP) return STOP;
    const { done, failed } = t.rollback ?? NOTHING;
    t.rollback = null;
    if (done + failed.length > 0) record(t, { type: 'rolled_back', done, failed });
    return after(t, { done, failed });
  };

  return {
    instruction: (t) => {
      t.rollback = NOTHING;
      return continueRollback(t);
    },
    suspender: {
      resume: (t, pending, outcome) =>
        tryEntry(t, (one) => one.suspender?.resume(t, pending, outcome) ?? STOP) === STOP ? STOP : continueRollback(t),
      reissue: (t, pending) => {
        const entry = registerOf(t).newest;
        if (entry !== null) linkEntry(entry).suspender?.reissue(t, pending);
      },
    },
  };
}

const NOTHING: RolledBack = { done: 0, failed: [] };

/** Reports the failure of an UNDO. The remaining entries are still performed. */
function reportFailedEntry(thread: Thread, { line, state }: UndoEntry, failure: RuntimeFailure): void {
  reportFailure(thread, { ...factsOf(thread, failure), from_state: state, line });
}

export function linkRollback({ bind, mark }: Extract<Instruction, { op: 'rollback' }>, context: LinkContext): Linked {
  const next = context.pc + 1;
  return linkPerforming(
    context,
    (t, came) => {
      t.locals[bind] = came as unknown as Value;
      return next;
    },
    mark,
  );
}

/** How many entries were registered before the turn of a loop began: a mark that a rollback or KEEP goes back to. */
function keptBefore(t: Thread, mark: number | undefined): number {
  return mark === undefined ? 0 : ((t.locals[mark] as number | undefined) ?? 0);
}

/** KEEP: what is done so far is not undone any more. */
export function linkKeep({ mark }: Extract<Instruction, { op: 'keep' }>, context: LinkContext): Linked {
  const next = context.pc + 1;
  return {
    instruction: (t) => {
      registerOf(t).take(keptBefore(t, mark));
      return next;
    },
  };
}

/** The rollback of a run that has ended: afterwards the run has its former end again. */
export function linkLateRollback(context: LinkContext): Linked {
  return linkPerforming(context, (t, came) => {
    const { run } = t;
    const { error, value } = run.undo.finishLateRollback(came);
    if (error !== null) endFailed(run, error, { value });
    return STOP;
  });
}

/** Rolls back a failed run because the user asked for it. Ignored if that is not possible. */
export function beginRollback(run: Run, by: string, delivery: DeliveryOffset = {}): void {
  const { main, result } = run;
  if (result?.status !== 'failed' || run.undo.open.length === 0) return;
  run.recordNow({ type: 'rollback_started', by, ...delivery });
  run.reopen(result);
  main.pc = run.linked.rollback;
  main.plan = null;
  main.status = 'ready';
  run.enqueue(main);
}
