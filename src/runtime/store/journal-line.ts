/**
 * One line of a journal: `{"seq":1,"ts":"…","type":"…",…,"chain":"…","crc":"xxxxxxxx"}`. The last member is the CRC-32 of the
 * bytes before `,"crc"`, which reveals a damaged line without reading anything else. `chain` is the SHA-256 of the line
 * before and, if that has none, of those before it until one has, so that each line vouches for all before it; the first one
 * begins with `run.json`. A line need not have one: the next one vouches for it. Lines are built as bytes, because a loop of a million rounds writes two
 * million of them, and strings would have to be joined, flattened and encoded.
 */
import { Buffer } from 'node:buffer';
import type { RunEvent } from '../../interpreter/events/event.js';
import { chainHash, OWN_BYTES } from './chain-hash.js';

const FIRST_BYTES = 96 * 1024;
/** Longest end of a line: `,"crc":"xxxxxxxx"}` and the line end. */
const TAIL_BYTES = 20;
const COMMA = 44;
/** Length of `,"crc":"xxxxxxxx"}`. */
const MARK_BYTES = 18;
/** The end of a line with a hash, without its line end: `,"chain":"…","crc":"xxxxxxxx"}`. */
const CHAIN = ',"chain":"';
const HASH_LENGTH = 43;
const CHAIN_BYTES = CHAIN.length + HASH_LENGTH + 1;
/**
 * So many bytes may have no hash in a line. Lines of a loop that only computes share one, because a hash takes longer than such
 * a line; and so do all lines as long as hashing is slow.
 */
export const MOST_UNHASHED = { computed: 32 * 1024, other: 2 * 1024 };

const crcTable = makeCrcTable();

/** The entry of a sum of two bytes is the sum of theirs, so few need a calculation: V8 would optimise a longer loop. */
function makeCrcTable(): Int32Array {
  const entries = new Int32Array(256);
  let crc = 1;
  for (let bit = 128; bit > 0; bit >>= 1) {
    crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
    for (let byte = 0; byte < 256; byte += 2 * bit) entries[bit + byte] = crc ^ (entries[byte] as number);
  }
  return entries;
}

/** CRC-32 of a range of bytes, as a signed integer. `before`: the CRC-32 of the preceding bytes. */
export function crcOf(bytes: Uint8Array, from: number, to: number, before = 0): number {
  let crc = ~before;
  for (let at = from; at < to; at++) crc = (crcTable[(crc ^ (bytes[at] as number)) & 255] as number) ^ (crc >>> 8);
  return ~crc;
}

/** Lines that wait to be written. `add(event, seq, time)` adds the line of an event; `take()` gives all lines as bytes, which are valid until the next one is added. */
export class LineBuffer {
  private bytes = Buffer.allocUnsafe(FIRST_BYTES);
  /** Where the bytes begin that the next hash is of. */
  private unhashed = 0;
  /** How many bytes it has hashed. */
  private hashed = 0;
  /** Up to here, bytes have been taken. */
  private taken = 0;
  private end = 0;
  private time = '';
  private timeBytes = Buffer.alloc(0);
  /** Beginnings of frequent lines, by the name in them. There are at most as many as the program has names. */
  private readonly entered = new Map<string, Buffer>();
  private readonly tracked = new Map<string, Buffer>();

  /** `before`: what the hash of the first line is of; null: lines have no hashes. */
  constructor(private readonly before: Uint8Array | null = null) {
    if (before === null) return;
    this.reserve(before.length);
    this.bytes.set(before);
    this.taken = this.end = before.length;
  }

  /** How many bytes wait to be written. */
  get length(): number {
    return this.end - this.taken;
  }

  /** The hash that a next line would have; null: lines have none. */
  get head(): string | null {
    return this.before === null ? null : chainHash(this.bytes.subarray(this.unhashed, this.end));
  }

  /**
   * Adds the line of an event, with its line end, and returns the hash in it; null: it has none. `time` is an ISO 8601 time
   * stamp, `known` a hash that is known already.
   */
  add(event: RunEvent, seq: number, time: string, known: string | null = null): string | null {
    if (this.taken === this.end) this.forgetTaken();
    const start = this.end;
    this.reserve(256);
    this.text('{"seq":');
    this.count(seq);
    this.stamp(time);
    const isComputed = this.members(event);
    const isDue = this.before !== null && this.needsHash(start - this.unhashed, isComputed);
    const hash = isDue ? this.takeHash(start) : known;
    if (hash !== null) this.text(`${CHAIN}${hash}"`);
    const crc = crcOf(this.bytes, start, this.end);
    this.reserve(TAIL_BYTES);
    this.text(',"crc":"');
    for (let shift = 28; shift >= 0; shift -= 4) {
      const digit = (crc >>> shift) & 15;
      this.bytes[this.end++] = digit < 10 ? 48 + digit : 87 + digit;
    }
    this.text('"}\n');
    return hash;
  }

  /** All lines, valid until the next one is added. */
  take(): Buffer {
    const taken = this.bytes.subarray(this.taken, this.end);
    this.taken = this.end;
    return taken;
  }

  /** Takes back everything after the first bytes, of lines without hashes. */
  cutTo(length: number): void {
    this.end = Math.min(this.end, this.taken + length);
  }

  /** Makes room: keeps only what the next hash is of. */
  private forgetTaken(): void {
    const from = this.before === null ? this.end : this.unhashed;
    if (from > 0 && from < this.end) this.bytes.copyWithin(0, from, this.end);
    this.taken = this.end -= from;
    this.unhashed = 0;
  }

  private needsHash(unhashed: number, isComputed: boolean): boolean {
    if (isComputed) return unhashed >= MOST_UNHASHED.computed;
    // Whether a line has a hash follows from the record alone, not from what else the process does.
    return unhashed >= MOST_UNHASHED.other || this.hashed > OWN_BYTES;
  }

  /** The hash of everything before the line that begins at `start`, from the last line with a hash on. */
  private takeHash(start: number): string {
    this.reserve(CHAIN_BYTES + TAIL_BYTES);
    const hash = chainHash(this.bytes.subarray(this.unhashed, start));
    this.hashed += start - this.unhashed;
    this.unhashed = start;
    return hash;
  }

  /** Adds the members of an event, type first. True: it is one of the two of a loop that only computes, which are fast. */
  private members(event: RunEvent): boolean {
    if (isPlainEntry(event)) {
      this.piece(this.entered, event.state, () => `"type":"state_entered","state":${JSON.stringify(event.state)}`);
      return true;
    }
    if (isCount(event)) {
      const head = () => `"type":"tracked_set","name":${JSON.stringify(event.name)},"value":`;
      this.piece(this.tracked, event.name, head);
      this.count(event.value);
      return true;
    }
    const text = JSON.stringify(event).slice(1, -1);
    this.reserve(text.length * 3 + TAIL_BYTES);
    this.end += this.bytes.write(text, this.end, 'utf8');
    return false;
  }

  private stamp(time: string): void {
    if (time !== this.time) {
      this.time = time;
      this.timeBytes = Buffer.from(`,"ts":"${time}",`);
    }
    this.copy(this.timeBytes);
  }

  private piece(known: Map<string, Buffer>, name: string, text: () => string): void {
    let bytes = known.get(name);
    if (bytes === undefined) {
      bytes = Buffer.from(text());
      known.set(name, bytes);
    }
    this.reserve(bytes.length + 64);
    this.copy(bytes);
  }

  /** Copies byte by byte: the pieces are too short for a call of `copy` to pay. */
  private copy(from: Buffer): void {
    for (let at = 0; at < from.length; at++) this.bytes[this.end++] = from[at] as number;
  }

  private text(ascii: string): void {
    for (let at = 0; at < ascii.length; at++) this.bytes[this.end++] = ascii.charCodeAt(at);
  }

  private count(value: number): void {
    let digits = 1;
    for (let rest = value; rest >= 10; rest = (rest / 10) | 0) digits++;
    this.end += digits;
    for (let at = this.end - 1, rest = value; digits > 0; digits--, at--) {
      this.bytes[at] = 48 + (rest % 10);
      rest = (rest / 10) | 0;
    }
  }

  private reserve(more: number): void {
    if (this.end + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.end + more));
    this.bytes.copy(larger, 0, 0, this.end);
    this.bytes = larger;
  }
}

type JournalEvent<T extends RunEvent['type']> = Extract<RunEvent, { readonly type: T }>;

/** A state was entered without values. */
export function isPlainEntry(event: RunEvent): event is JournalEvent<'state_entered'> {
  return event.type === 'state_entered' && event.with === undefined;
}

/** A tracked variable was set to a number that is written with digits only. */
export function isCount(event: RunEvent): event is JournalEvent<'tracked_set'> & { readonly value: number } {
  if (event.type !== 'tracked_set' || event.printed !== undefined) return false;
  const { value } = event;
  return (
    typeof value === 'number' && value >= 0 && value <= 0x7fffffff && (value | 0) === value && !Object.is(value, -0)
  );
}

/**
 * A line without its number and its check, which follow from the rest: without `{"seq":N,` and `,"crc":"xxxxxxxx"}`.
 * `[from, to)`: its bytes without its line end.
 */
export function bodyOfLine(bytes: Buffer, from: number, to: number): Buffer {
  return bytes.subarray(bytes.indexOf(COMMA, from) + 1, to - MARK_BYTES);
}

/** The line that had this body, which is in `[from, to)`. */
export function lineOfBody(bytes: Buffer, from: number, to: number, seq: number): string {
  const beginning = `{"seq":${seq},`;
  const crc = crcOf(bytes, from, to, crcOfAscii(beginning)) >>> 0;
  return `${beginning}${bytes.toString('utf8', from, to)},"crc":"${crc.toString(16).padStart(8, '0')}"}`;
}

function crcOfAscii(text: string): number {
  let crc = ~0;
  for (let at = 0; at < text.length; at++) crc = (crcTable[(crc ^ text.charCodeAt(at)) & 255] as number) ^ (crc >>> 8);
  return ~crc;
}

/** The hash in the line `[from, to)`, which has no line end; null if it has none. */
export function chainIn(bytes: Buffer, from: number, to: number): string | null {
  const at = to - MARK_BYTES - CHAIN_BYTES;
  if (at <= from || bytes.toString('latin1', at, at + CHAIN.length) !== CHAIN) return null;
  return bytes.toString('latin1', at + CHAIN.length, to - MARK_BYTES - 1);
}

/** The line of an event, without its line end. `time` is an ISO 8601 time stamp, `hash` that of the lines before. */
export function journalLine(event: RunEvent, seq: number, time: string, hash: string | null = null): string {
  const lines = new LineBuffer();
  lines.add(event, seq, time, hash);
  return lines.take().toString('utf8').slice(0, -1);
}

/** The content of a line. `event` has neither `seq` nor `ts`. */
export interface JournalRecord {
  readonly seq: number;
  /** ISO 8601. */
  readonly time: string;
  readonly event: RunEvent;
}

/** The content of a line; null if it is torn or damaged. */
export function readJournalLine(line: string): JournalRecord | null {
  const bytes = Buffer.from(line);
  return readLineBytes(bytes, 0, bytes.length);
}

/** As `readJournalLine`, for a range of bytes without its line end. */
export function readLineBytes(bytes: Buffer, from: number, to: number): JournalRecord | null {
  const mark = to - MARK_BYTES;
  if (mark <= from) return null;
  const crc = (crcOf(bytes, from, mark) >>> 0).toString(16).padStart(8, '0');
  if (bytes.toString('latin1', mark, to) !== `,"crc":"${crc}"}`) return null;
  try {
    const {
      seq,
      ts,
      crc: _,
      chain: __,
      ...event
    } = JSON.parse(bytes.toString('utf8', from, to)) as Record<string, unknown>;
    return { seq: seq as number, time: ts as string, event: event as unknown as RunEvent };
  } catch {
    return null;
  }
}
