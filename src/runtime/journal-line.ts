/**
 * One line of a journal: `{"seq":1,"ts":"…","type":"…",…,"crc":"xxxxxxxx"}`. The last member is the CRC-32 of the
 * bytes before `,"crc"`, so that a damaged line is noticed without reading anything else. Lines of the two events a
 * pure loop makes are put together by hand: a loop of a million turns writes two million of them.
 */
import type { RunEvent } from '../interpreter/event.js';

const table = crcTable();
const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function crcTable(): Int32Array {
  const entries = new Int32Array(256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
    entries[byte] = crc;
  }
  return entries;
}

/** CRC-32 of the UTF-8 bytes of a text, as eight hexadecimal digits. */
export function crcOf(text: string): string {
  let crc = -1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Most lines are ASCII: reading the string itself saves the copy into bytes.
    if (code > 127) return crcOfBytes(Buffer.from(text));
    crc = (table[(crc ^ code) & 255] as number) ^ (crc >>> 8);
  }
  return hex(~crc);
}

function crcOfBytes(bytes: Uint8Array): string {
  let crc = -1;
  for (let at = 0; at < bytes.length; at++) crc = (table[(crc ^ (bytes[at] as number)) & 255] as number) ^ (crc >>> 8);
  return hex(~crc);
}

function hex(crc: number): string {
  const byte = (shift: number) => hexOfByte[(crc >>> shift) & 255] as string;
  return byte(24) + byte(16) + byte(8) + byte(0);
}

/** The line of an event, without its line end. `time` is an ISO 8601 time stamp. */
export function journalLine(event: RunEvent, seq: number, time: string): string {
  const body = `{"seq":${seq},"ts":"${time}",${members(event)}`;
  return `${body},"crc":"${crcOf(body)}"}`;
}

/** What a line holds; `event` has neither `seq` nor `ts`. */
export interface JournalRecord {
  readonly seq: number;
  readonly time: string;
  readonly event: RunEvent;
}

/** Reads a line, or gives null when it is torn or damaged. */
export function readJournalLine(line: string): JournalRecord | null {
  const mark = line.lastIndexOf(',"crc":"');
  if (mark < 0 || line.slice(mark) !== `,"crc":"${crcOf(line.slice(0, mark))}"}`) return null;
  try {
    const { seq, ts, ...event } = JSON.parse(`${line.slice(0, mark)}}`) as { seq: number; ts: string };
    return { seq, time: ts, event: event as unknown as RunEvent };
  } catch {
    return null;
  }
}

/** The members of an event, type first, without braces. */
function members(event: RunEvent): string {
  switch (event.type) {
    case 'state_entered':
      if (event.with === undefined) return `"type":"state_entered","state":"${event.state}"`;
      break;
    case 'tracked_set':
      if (typeof event.value === 'number')
        return `"type":"tracked_set","name":"${event.name}","value":${JSON.stringify(event.value)}`;
      break;
    default:
      break;
  }
  return JSON.stringify(event).slice(1, -1);
}
