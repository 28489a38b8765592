/** How effects ended, in a few words, which the log, the state and the report of a run share. */
import type { Outcome } from '../../interpreter/events/event.js';
import { unreachable } from '../../prelude/unreachable.js';
import { duration, limitDuration } from '../drawing/amounts.js';
import { cut, oneLine } from '../drawing/visible-text.js';

/** The maximum number of denied calls on the line, and of columns for each. */
const MOST_DENIED = 3;
const LONGEST = 60;

/** How an effect ended, in a few words. They may contain unescaped text of programs. */
export function outcomeWords(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'exited':
      if (outcome.memo !== undefined) return `${endWords(outcome)}, remembered from run ${outcome.memo}`;
      return `${endWords(outcome)}, ${duration(outcome.duration_ms)}${outcome.output_truncated ? ', later output ignored' : ''}${callWords(outcome)}`;
    case 'value':
      if (outcome.memo !== undefined) return `remembered from run ${outcome.memo}`;
      return outcome.duration_ms === undefined ? 'done' : duration(outcome.duration_ms);
    case 'changed':
      return `${outcome.files.length} ${outcome.files.length === 1 ? 'file' : 'files'} changed`;
    case 'timed-out':
      return outcome.silent === undefined
        ? `timed out after ${limitDuration(outcome.timeout_ms)}`
        : `silent for ${limitDuration(outcome.timeout_ms)}`;
    case 'not-started':
      return outcome.reason;
    case 'failed':
      return isStopped(outcome) ? 'stopped' : `failed: ${outcome.message}`;
    default:
      return unreachable(outcome);
  }
}

/** The report of an agent, or the reason why it was stopped, says more than the exit code of its process. */
function endWords({
  exit,
  signal,
  guard,
  unavailable,
  is_error: isError,
  pipe = [],
}: Extract<Outcome, { kind: 'exited' }>): string {
  if (guard !== undefined) return `stopped by ${guard.name}: ${guard.message}`;
  if (unavailable !== undefined) return 'not available now';
  if (isError) return 'reported an error';
  if (exit === null) return signal ?? 'killed';
  const members = pipe.map(({ program, exit: code }) => `${program ?? '…'} ${code}`);
  return `exit ${exit}${members.length === 0 ? '' : `: ${members.join(' | ')}`}`;
}

/** Unusual facts about an agent call: its program waited for its service, or denied some of its requests. */
function callWords({ denied = [], own_retries: retries }: Extract<Outcome, { kind: 'exited' }>): string {
  const waited =
    retries === undefined
      ? ''
      : `, waited ${duration(retries.ms)} for its service (${cut(oneLine(retries.message), LONGEST)})`;
  const calls = denied.map(({ tool, input }) => cut(oneLine(input === undefined ? tool : `${tool} ${input}`), LONGEST));
  return calls.length === 0
    ? waited
    : `${waited}, denied: ${calls.slice(0, MOST_DENIED).join('; ')}${more(calls.length)}`;
}

const more = (count: number): string => (count > MOST_DENIED ? `; ${count - MOST_DENIED} more` : '');

/** Its result is no longer needed, for example because a quorum was met. That is not a failure. */
export function isStopped(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && outcome.error_type === 'cancelled';
}
