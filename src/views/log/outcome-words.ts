/** How effects ended, in a few words: the log of a run, its state and its report say it alike. */

import type { Outcome } from '../../interpreter/events/event.js';
import { unreachable } from '../../prelude/unreachable.js';
import { duration, limitDuration } from '../drawing/duration.js';

/** How an effect ended, in a few words. What programs said is in them as it is. */
export function outcomeWords(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'exited':
      return `${endWords(outcome)}, ${duration(outcome.duration_ms)}${outcome.output_truncated ? ', later output ignored' : ''}`;
    case 'value':
      return outcome.duration_ms === undefined ? 'done' : duration(outcome.duration_ms);
    case 'changed':
      return `${outcome.files.length} ${outcome.files.length === 1 ? 'file' : 'files'} changed`;
    case 'timed-out':
      return `timed out after ${limitDuration(outcome.timeout_ms)}`;
    case 'not-started':
      return outcome.reason;
    case 'failed':
      return isStopped(outcome) ? 'stopped' : `failed: ${outcome.message}`;
    default:
      return unreachable(outcome);
  }
}

/** The report of an agent, or the reason why it was stopped, says more than the exit of its process. */
function endWords({
  exit,
  signal,
  guard,
  unavailable,
  is_error: isError,
}: Extract<Outcome, { kind: 'exited' }>): string {
  if (guard !== undefined) return `stopped by ${guard.name}: ${guard.message}`;
  if (unavailable !== undefined) return 'not available now';
  if (isError) return 'reported an error';
  return exit === null ? (signal ?? 'killed') : `exit ${exit}`;
}

/** Its result is no longer needed, for example because a quorum was met. That is not a failure. */
export function isStopped(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && outcome.error_type === 'cancelled';
}
