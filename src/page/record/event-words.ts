/** Events and waits in words, with their values, and with times in the zone of the reader. */
import type { Waiting } from '../../interpreter/events/event.js';
import { eventGist } from '../../views/log/event-gist.js';
import { waitingLine } from '../../views/log/event-line.js';
import { outcomeWords } from '../../views/log/outcome-words.js';
import { commandLine } from '../../views/log/started-command.js';
import type { RecordLine } from '../data/page-data.js';
import { isEvent, type RecordLines } from '../data/record-lines.js';
import { shownFolders } from '../page-parts.js';
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

/** `isShort`: where there is little room, commands are shown by their tails. */
export function eventWords(line: RecordLine, isShort = false): string {
  if (!isEvent(line)) return line.message;
  const words = eventGist(line, STYLE);
  if (line.type !== 'effect_requested') return words;
  return line.kind === 'clock' ? `reads the clock · ${words}` : shownCommand(words, isShort);
}

/** A command with its values. */
export function commandWords(request: RequestedLine, isShort = false): string {
  return shownCommand(commandLine(request) ?? request.text, isShort);
}

function shownCommand(words: string, isShort: boolean): string {
  const named = fromHere(words, shownFolders.value);
  return isShort ? commandTail(named) : named;
}

type RequestedLine = Extract<RecordLine, { type: 'effect_requested' }>;

/** A command with its files as they are called from the folders, the longest of which is the first. */
export function fromHere(text: string, folders: readonly string[]): string {
  let words = text;
  // The root would be found everywhere.
  for (const folder of folders) if (folder.length > 1 && words.includes(folder)) words = withoutFolder(words, folder);
  return words;
}

function withoutFolder(text: string, folder: string): string {
  const parts = text.split(folder);
  return parts.slice(1).reduce((before, after) => {
    const isWhole = !/[\w.~/-]$/.test(before) && !/^[\w.-]/.test(after);
    return `${before}${isWhole ? '.' : folder}${after}`;
  }, parts[0] as string);
}

const PROGRAM =
  /^(?:(?:python[\d.]*|node|deno|bun|ruby|perl|php|bash|sh|dash|zsh)\s+(?:--\s+)?(?=[^\s-]*[/.]))?(?:[^\s'"`$|&;<>(){}=]*\/)?(?=\w)/;

/** A command where there is little room: its program without what executes it, and without its folder. */
export const commandTail = (text: string): string => text.replace(PROGRAM, '');

/** The words of an event next to those before it: an outcome has the name of what it is the outcome of. */
export function wordsInRecord(line: RecordLine, lines: RecordLines, isShort = false): string {
  if (line.type !== 'effect_settled') return eventWords(line, isShort);
  const index = lines.indexOf(line.seq);
  for (let at = index - 1; at >= Math.max(0, index - FARTHEST_REQUEST); at--) {
    const request = lines.at(at);
    if (request?.type === 'effect_requested' && request.effect === line.effect)
      return request.kind === 'clock' && line.outcome.kind === 'value'
        ? `it is ${shortTime(Number(line.outcome.value))} · ${request.text}`
        : `${outcomeWords(line.outcome)} · ${commandWords(request, isShort)}`;
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
