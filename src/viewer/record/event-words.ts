/** Events and waits in words, with their values, and with times in the zone of the reader. */
import type { Waiting } from '../../interpreter/events/event.js';
import { eventGist } from '../../views/log/event-gist.js';
import { waitingLine } from '../../views/log/event-line.js';
import { isEvent } from '../data/record-lines.js';
import type { RecordLine } from '../data/run-data.js';
import { shortTime } from '../shell/short-time.js';

const STYLE = { timeText: shortTime, hasValues: true };

export const eventWords = (line: RecordLine): string => (isEvent(line) ? eventGist(line, STYLE) : line.message);

/** The same with exact times, for a pointer. */
export const exactEventWords = (line: RecordLine): string =>
  isEvent(line) ? eventGist(line, { hasValues: true }) : line.message;

export const waitingWords = (waiting: Waiting): string => waitingLine(waiting, shortTime);
