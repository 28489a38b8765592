/**
 * What follows from an event alone: whether it ends the work on a run, whether it counts as an effect, and the active
 * time.
 */
import type { RunEvent } from './event.js';

/** The status of a run on which no process works after this event. */
export type EndStatus = 'returned' | 'failed' | 'skipped' | 'suspended' | 'interrupted';

/** The status of a run whose last event this is; null if the event does not end the work on the run. */
export function statusAfter(event: RunEvent | undefined): EndStatus | null {
  switch (event?.type) {
    case 'run_returned':
      return 'returned';
    case 'run_failed':
      return 'failed';
    case 'run_skipped':
      return 'skipped';
    case 'run_suspended':
      return 'suspended';
    case 'run_interrupted':
      return 'interrupted';
    default:
      return null;
  }
}

/** Whether a run has ended. One that has failed can be resumed all the same. */
export function isOver({ status }: { readonly status: string | null | undefined }): boolean {
  return status === 'returned' || status === 'failed' || status === 'skipped';
}

/** Whether the run has ended with this event. */
export function endsRun(event: RunEvent): boolean {
  return isOver({ status: statusAfter(event) });
}

/** Whether the program makes the event when it is executed, also with what is delivered to it. The others are added to its record. */
export function isMadeByRun(event: RunEvent): boolean {
  switch (event.type) {
    case 'run_suspended':
    case 'run_interrupted':
    case 'run_resumed':
    case 'worktree_committed':
    case 'answer_refused':
    case 'key_shared':
      return false;
    case 'warned':
      return event.by !== 'runner';
    default:
      return true;
  }
}

/** The kinds of effects that do work: commands, functions, agents and tools. */
export const WORK_EFFECTS: ReadonlySet<string> = new Set(['shell', 'argv', 'function', 'agent', 'tool']);

/** Whether the event begins one of the `effects` that lists and reports count: further attempts are the same effect. */
export function countsAsEffect(event: RunEvent): boolean {
  return event.type === 'effect_requested' && event.attempt === 1 && WORK_EFFECTS.has(event.kind);
}

/**
 * How long a run was executed, from the times of its events. The time between a suspension, an interruption or a crash and
 * the next `run_resumed` does not count, also if answers and signals are recorded meanwhile.
 */
export class ActiveTime {
  /** `ms`: the time so far, in milliseconds. `last`: the time of the last event, if the run was executed after it. */
  constructor(
    public ms = 0,
    public last: number | null = null,
  ) {}

  /** Takes the next event, recorded at `at` (milliseconds since the epoch). Returns the milliseconds that it adds. */
  take(at: number, event: RunEvent): number {
    const added = this.last === null || event.type === 'run_resumed' ? 0 : Math.max(0, at - this.last);
    this.ms += added;
    if (event.type === 'run_suspended' || event.type === 'run_interrupted') this.last = null;
    // What is delivered to a run that no process executes is recorded at once.
    else if (this.last !== null || !isDelivery(event)) this.last = at;
    return added;
  }
}

/** What another process records in a run that no process executes. */
export function isDelivery({ type }: RunEvent): boolean {
  return type === 'answered' || type === 'answer_refused' || type === 'signal_received' || type === 'key_shared';
}

/** Whether a delivery makes the event by the way: an approval is written to the state of its plan, too. */
export function followsDelivery({ type }: RunEvent): boolean {
  return type === 'state_set';
}
