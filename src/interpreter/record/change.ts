/**
 * Changes that a person makes to a run in a debugger, between two instructions. A change is on record with its moment, so
 * that the run is changed there again when it is rebuilt.
 */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { RunEvent } from '../events/event.js';
import { type LinkedMachine, STOP } from '../run-state/linked-machine.js';
import type { Run } from '../run-state/run-memory.js';
import type { Thread } from '../run-state/thread.js';
import { fromRecord, printedForm } from '../values/json.js';
import { plain, type Value } from '../values/value.js';

export type VariableChanged = Extract<RunEvent, { type: 'variable_changed' }>;

/** What tells one moment of a run from all others: how far each part of it has come. `pc` comes next. */
export function momentOf(thread: Thread, pc: number): string {
  const { path, run, counter, failures, frames, locals } = thread;
  const names = run.linked.machine.states[thread.state]?.locals ?? [];
  const turns = names.flatMap((name, slot) => {
    const value = name.startsWith('$') ? locals[slot] : undefined;
    return typeof value === 'number' ? [`${slot}:${value}`] : [];
  });
  const attempts = frames.map((frame) => (frame.kind === 'step' ? `${frame.attempt}${frame.phase}` : ''));
  return [run.statesTotal, path, pc, counter, failures, attempts.join(), turns.join()].join('|');
}

/** Where a change stands: a tracked variable, or a local one of a thread. */
export interface ChangedLocation {
  readonly name: string;
  readonly in: 'local' | 'tracked';
  readonly slot: number;
}

/** The change of a variable of a thread that stands before an instruction. */
export function changeAt(
  thread: Thread,
  pc: number,
  location: ChangedLocation,
  value: Value,
  by: string,
): VariableChanged {
  const written = { value: plain(value), ...omitUndefined({ printed: printedForm(value) }) };
  const at = { thread: thread.path, pc, moment: momentOf(thread, pc) };
  return { type: 'variable_changed', ...location, ...written, ...at, by };
}

/** Makes and records a change of a thread that stands there. */
export function applyChange(thread: Thread, event: VariableChanged): void {
  const { run } = thread;
  const { name, slot, value, printed } = event;
  const changed = fromRecord(value, printed) as Value;
  run.recordNow(event);
  if (event.in === 'local') {
    thread.locals[slot] = changed;
    return;
  }
  run.trackedSlots[slot] = changed;
  run.recordNow({ type: 'tracked_set', name, value, ...omitUndefined({ printed }) });
}

/** Stops a run that is rebuilt at the moments of changes, in their order. */
export class ExpectedChanges {
  private reached: Thread | null = null;
  private original: LinkedMachine | null = null;

  constructor(private left: readonly VariableChanged[]) {}

  /** Whether the run stands at the next change, and makes nothing before it. */
  get isReached(): boolean {
    return this.reached !== null;
  }

  /** Call with the run, and again where it continues in another program. */
  watch(run: Run): void {
    if (this.left.length === 0) return;
    const { linked } = run;
    this.original = linked;
    const positions = new Set(this.left.map(({ pc }) => pc));
    const instructions = linked.instructions.map((instruction, pc) =>
      positions.has(pc)
        ? (t: Thread): number => {
            if (!this.isNext(t, pc)) return instruction(t);
            this.reached = t;
            t.run.stopBefore(t, pc);
            return STOP;
          }
        : instruction,
    );
    run.relink({ ...linked, instructions });
  }

  /** False: the run does not stand there. */
  take(event: VariableChanged): boolean {
    const thread = this.reached;
    const [next, ...rest] = this.left;
    if (thread === null || next === undefined || next.moment !== event.moment) return false;
    this.left = rest;
    this.reached = null;
    applyChange(thread, event);
    if (rest.length === 0 && this.original !== null) thread.run.relink(this.original);
    return true;
  }

  private isNext(thread: Thread, pc: number): boolean {
    const [next] = this.left;
    return next !== undefined && next.pc === pc && next.thread === thread.path && momentOf(thread, pc) === next.moment;
  }
}
