/**
 * A summary of an event in a few words. Unlike the log, which leaves out events of no interest to people, it covers
 * every event.
 */
import type { RunEvent } from '../../interpreter/events/event.js';
import type { Json } from '../../machine/expression.js';
import { unreachable } from '../../prelude/unreachable.js';
import { plain } from '../drawing/paint.js';
import { eventLine, exactTime, waitingLine } from './event-line.js';
import { outcomeWords } from './outcome-words.js';
import { commandLine, storedSize } from './started-command.js';

/** What a reader sees instead of what the record has. */
export interface GistStyle {
  /** A point in time, in milliseconds since the epoch. */
  readonly timeText?: (timeMs: number) => string;
  /** Commands show their values instead of the names of them. */
  readonly hasValues?: boolean;
}

export function eventGist(event: RunEvent, { timeText = exactTime, hasValues = false }: GistStyle = {}): string {
  switch (event.type) {
    case 'run_started':
      return event.by === undefined ? event.machine : `${event.machine}, by ${event.by}`;
    case 'state_entered':
      return event.state;
    case 'effect_requested': {
      const text = (hasValues ? commandLine(event) : null) ?? event.text;
      return event.attempt > 1 ? `${text} (attempt ${event.attempt})` : text;
    }
    case 'effect_settled':
      return `effect ${event.effect}: ${outcomeWords(event.outcome)}`;
    case 'instruction_failed':
      return `line ${event.line}`;
    case 'variable_changed':
    case 'tracked_set':
      return `${event.name} = ${event.printed ?? jsonWords(event.value)}`;
    case 'state_set':
      return `${event.path} = ${event.printed ?? jsonWords(event.value)}`;
    case 'timer_set':
      return `until ${timeText(event.until)}`;
    case 'run_suspended':
      return event.waiting.map((one) => `waits for ${waitingLine(one, timeText)}`).join('; ');
    case 'run_interrupted':
      return event.reason;
    case 'run_returned':
      return event.printed ?? valueWords(event.value);
    case 'run_failed':
      return event.error.message;
    case 'worktree_committed':
      return `${event.commit.slice(0, 12)}, as it is since event ${event.since}`;
    case 'effect_retried':
    case 'emitted':
    case 'asked':
    case 'answered':
    case 'answer_refused':
    case 'signal_received':
    case 'budget_exceeded':
    case 'step_started':
    case 'gate_result':
    case 'retry_triggered':
    case 'step_completed':
    case 'warned':
    case 'run_resumed':
    case 'key_shared':
    case 'run_skipped':
    case 'run_cancelled':
    case 'rolled_back':
    case 'rollback_started':
      return (eventLine(event, plain) ?? '').trim();
    default:
      return unreachable(event);
  }
}

function valueWords(value: Json): string {
  return value === null ? '' : typeof value === 'string' ? value : jsonWords(value);
}

const jsonWords = (value: Json): string => storedSize(value) ?? JSON.stringify(value);
