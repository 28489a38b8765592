/** What can be done with a run now. Where something is not possible, the reason is a text for a person. */
import { isOver } from '../../interpreter/events/status-after.js';
import type { PageRun } from '../data/page-data.js';

export type ActionName = 'signal' | 'resume' | 'replay' | 'apply' | 'cancel';

/** Null: it is possible. */
export type Reason = string | null;

const OVER: ReadonlyMap<string, string> = new Map([
  ['returned', 'The run has returned.'],
  ['failed', 'The run has failed.'],
  ['skipped', 'The run was skipped, because another run had its key.'],
]);

export function reasonsAgainst(run: PageRun): Readonly<Record<ActionName, Reason>> {
  const { status, error } = run;
  const over = OVER.get(status) ?? null;
  const isCancelled = error?.kind === 'cancelled';
  const notBegun = run.last_seq > 0 ? null : over !== null ? 'The run never began.' : 'The run has not begun.';
  return {
    signal: over ?? notBegun,
    resume: resumeReason(status, isCancelled),
    replay: notBegun,
    apply:
      run.worktree === undefined
        ? 'The run worked in no worktree of its own, so there is nothing to merge.'
        : status === 'returned'
          ? null
          : 'Only the changes of a run that has returned can be merged.',
    cancel: over,
  };
}

const DAMAGED = 'The record of this run is damaged. A new run can begin from an event before the damage.';

/** The same for a run that can only be read up to a damaged event. */
export const REASONS_IF_DAMAGED: Readonly<Record<ActionName, Reason>> = {
  signal: DAMAGED,
  resume: DAMAGED,
  replay: null,
  apply: DAMAGED,
  cancel: DAMAGED,
};

function resumeReason(status: PageRun['status'], isCancelled: boolean): Reason {
  if (status !== 'failed' && isOver({ status })) return OVER.get(status) ?? null;
  if (status === 'running') return 'A process executes the run.';
  if (status === 'queued') return 'The service executes the run as soon as other runs have ended.';
  return isCancelled ? 'The run was cancelled for good.' : null;
}
