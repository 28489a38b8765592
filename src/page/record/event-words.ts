/** Events and waits in words, with their values, and with times in the zone of the reader. */
import type { Waiting } from '../../interpreter/events/event.js';
import { eventGist } from '../../views/log/event-gist.js';
import { waitingLine } from '../../views/log/event-line.js';
import { outcomeWords } from '../../views/log/outcome-words.js';
import { commandLine } from '../../views/log/started-command.js';
import type { RecordLine } from '../data/page-data.js';
import { isEvent, type RecordLines } from '../data/record-lines.js';
import { shortTime } from '../shell/short-time.js';

const STYLE = { timeText: shortTime, hasValues: true };

/** What an event is, in a word; others are called as they are recorded. */
const KINDS: Readonly<Record<string, string>> = {
  effect_requested: 'started',
  effect_settled: 'ended',
  effect_retried: 'tried again',
  tracked_set: 'set',
  state_set: 'set',
  instruction_failed: 'failed',
  timer_set: 'waits',
};

export const kindWords = (type: string): string => KINDS[type] ?? type.replaceAll('_', ' ');

export function eventWords(line: RecordLine): string {
  if (!isEvent(line)) return line.message;
  const words = eventGist(line, STYLE);
  return line.type === 'effect_requested' && line.kind === 'clock' ? `reads the clock · ${words}` : words;
}

/** The words of an event next to those before it: an outcome has the name of what it is the outcome of. */
export function wordsInRecord(line: RecordLine, lines: RecordLines): string {
  if (line.type !== 'effect_settled') return eventWords(line);
  const index = lines.indexOf(line.seq);
  for (let at = index - 1; at >= Math.max(0, index - FARTHEST_REQUEST); at--) {
    const request = lines.at(at);
    if (request?.type === 'effect_requested' && request.effect === line.effect)
      return request.kind === 'clock' && line.outcome.kind === 'value'
        ? `it is ${shortTime(Number(line.outcome.value))} · ${request.text}`
        : `${outcomeWords(line.outcome)} · ${commandLine(request) ?? request.text}`;
    if (request?.type === 'timer_set' && request.effect === line.effect) return 'the time has come';
  }
  // What changed in files is found without a request.
  const words = outcomeWords(line.outcome);
  return line.outcome.kind === 'changed' ? words : `${words} · effect ${line.effect}`;
}

/** What was requested long before an outcome is not looked for. */
const FARTHEST_REQUEST = 300;

/** The same with exact times, for a pointer. */
export const exactEventWords = (line: RecordLine): string =>
  isEvent(line) ? eventGist(line, { hasValues: true }) : line.message;

export const waitingWords = (waiting: Waiting): string => waitingLine(waiting, shortTime);
