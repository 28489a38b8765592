/**
 * A line of a record as the models of a run need it. A loop that only computes has a million lines of two kinds, of which the
 * models read very little; parsing them as a whole would take longer than everything else that opening such a run does.
 */
import type { RecordLine } from './run-data.js';

const SEQ = '{"seq":';
const TIME = ',"ts":"';
const TIME_LENGTH = '2026-01-01T00:00:00.000Z'.length;
const ENTERED = '","type":"state_entered","state":"';
const TRACKED = '","type":"tracked_set","';
const QUOTE = '"';
const BACKSLASH = '\\';
/** What follows the name of a state that got no values. */
const END = '","crc":"';

/** The value of a tracked variable is left out: no model has it. */
export function modelLine(text: string): RecordLine {
  return shortLine(text) ?? (JSON.parse(text) as RecordLine);
}

function shortLine(text: string): RecordLine | null {
  if (!text.startsWith(SEQ)) return null;
  let at = SEQ.length;
  let seq = 0;
  for (; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) break;
    seq = seq * 10 + digit;
  }
  if (!text.startsWith(TIME, at)) return null;
  const time = at + TIME.length;
  const type = time + TIME_LENGTH;
  if (text.startsWith(TRACKED, type))
    return { seq, ts: text.slice(time, type), type: 'tracked_set', name: '', value: null };
  if (!text.startsWith(ENTERED, type)) return null;
  const name = type + ENTERED.length;
  const end = text.indexOf(QUOTE, name);
  if (!text.startsWith(END, end)) return null;
  const state = text.slice(name, end);
  return state.includes(BACKSLASH) ? null : { seq, ts: text.slice(time, type), type: 'state_entered', state };
}
