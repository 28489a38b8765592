/**
 * Reads the lines of a journal as bytes: for readers that pass lines on, or look for few of them, parsing all lines would
 * take longer than everything else. Damaged lines are reported and passed over, because such readers can use the rest.
 */
import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, readSync } from 'node:fs';
import type { RunEvent } from '../../interpreter/events/event.js';
import { crcOf, readJournalLine } from './journal-line.js';
import { openOwn } from './own-file.js';
import { bufferFor, CHUNK_BYTES, type JournalPosition } from './read-journal.js';
import { storeError } from './store-error.js';

/** A longer line is damage: large values are in artifacts. */
const MOST_LINE_BYTES = 64 * 1024 * 1024;
const NEWLINE = 10;
/** Length of `,"crc":"xxxxxxxx"}`. */
const MARK_BYTES = 18;
const BEGINNING = Buffer.from('{"seq":');
const MARK = Buffer.from(',"crc":"');

/** Receives what a journal holds, in order. */
export interface LineListener {
  /** The bytes from `start` to `end` are a line, without its line end. They are valid until `release`. */
  line(buffer: Buffer, start: number, end: number, at: JournalPosition): void;
  /** The bytes of all lines so far will no longer be valid. */
  release?(): void;
  /** Event `seq`, which should begin at byte `byte`, has changed or is missing. */
  damage(seq: number, byte: number): void;
}

export class JournalLines {
  private buffer: Buffer;
  /** The last line was complete except for its line end, which may come later. */
  private unended = false;
  /** Damage was reported, and no line followed yet. */
  private isLost = false;
  private skipping = false;

  /** `position`: the event after which reading starts, with the byte at which that event ends. */
  constructor(
    private readonly fd: number,
    private readonly path: string,
    private position: JournalPosition,
  ) {
    this.buffer = bufferFor(fd, position.offset);
  }

  /** The last event that was read, and how many bytes were read. */
  get end(): JournalPosition {
    return this.position;
  }

  /** Reads about `most` bytes. False: there were no more. Throws a `StoreError`. */
  read(most: number, listener: LineListener): boolean {
    for (let left = most; left > 0; ) {
      listener.release?.();
      const count = this.readChunk();
      if (count === 0) return false;
      const used = this.takeLines(count, listener);
      if (used === 0 && !this.takeRest(count, listener)) return false;
      // The journal has grown since it was opened.
      if (count === this.buffer.length && count < CHUNK_BYTES) this.buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      left -= Math.max(used, 1);
    }
    return true;
  }

  private readChunk(): number {
    try {
      return readSync(this.fd, this.buffer, 0, this.buffer.length, this.position.offset);
    } catch (cause) {
      throw storeError('read', this.path, cause);
    }
  }

  /** Takes all complete lines. Returns how many bytes they have. */
  private takeLines(count: number, listener: LineListener): number {
    const { buffer } = this;
    let start = 0;
    const read = buffer.subarray(0, count);
    for (let at = read.indexOf(NEWLINE); at >= 0; at = read.indexOf(NEWLINE, start)) {
      this.takeLine(start, at, listener);
      start = at + 1;
      this.position = { seq: this.position.seq, offset: this.position.offset + 1 };
    }
    return start;
  }

  /** The beginning of a line, or a line without its end. False: the rest of it is not there yet. */
  private takeRest(count: number, listener: LineListener): boolean {
    if (count === this.buffer.length) {
      if (count < MOST_LINE_BYTES) this.buffer = Buffer.allocUnsafe(count * 2);
      else {
        this.reportDamage(listener);
        this.skipping = true;
        this.position = { ...this.position, offset: this.position.offset + count };
      }
      return true;
    }
    if (this.skipping || this.unended || checkedSeq(this.buffer, 0, count) !== this.position.seq + 1) return false;
    this.takeLine(0, count, listener);
    this.unended = true;
    return false;
  }

  private takeLine(start: number, end: number, listener: LineListener): void {
    const { seq, offset } = this.position;
    const next = offset + end - start;
    // After a line whose end was lost, the end was written later.
    const isEmpty = start === end;
    this.unended = false;
    const found = isEmpty || this.skipping ? null : checkedSeq(this.buffer, start, end);
    this.skipping = false;
    if (found === null || found <= seq) {
      if (!isEmpty) this.reportDamage(listener);
      this.position = { seq, offset: next };
      return;
    }
    if (found > seq + 1 && !this.isLost) listener.damage(seq + 1, offset);
    this.isLost = false;
    this.position = { seq: found, offset: next };
    listener.line(this.buffer, start, end, { seq: found, offset });
  }

  private reportDamage(listener: LineListener): void {
    const { seq, offset } = this.position;
    if (!this.isLost) listener.damage(seq + 1, offset);
    this.isLost = true;
  }
}

/** The number of the event in a line; null if the line is torn or damaged. */
export function checkedSeq(bytes: Buffer, start: number, end: number): number | null {
  const mark = end - MARK_BYTES;
  if (mark <= start || bytes[end - 2] !== 34 || bytes[end - 1] !== 125) return null;
  for (let at = 0; at < MARK.length; at++) if (bytes[mark + at] !== MARK[at]) return null;
  let crc = 0;
  for (let at = mark + MARK.length; at < end - 2; at++) {
    const digit = hexDigit(bytes[at] as number);
    if (digit < 0) return null;
    crc = (crc << 4) | digit;
  }
  return crcOf(bytes, start, mark) === crc ? seqAt(bytes, start, end) : null;
}

/** The number of the event in the line that begins at `start`, without checking the line; null if it has none there. */
export function seqAt(bytes: Buffer, start: number, end: number): number | null {
  for (let at = 0; at < BEGINNING.length; at++) if (bytes[start + at] !== BEGINNING[at]) return null;
  let seq = 0;
  let at = start + BEGINNING.length;
  for (; at < end; at++) {
    const digit = (bytes[at] as number) - 48;
    if (digit < 0 || digit > 9) break;
    seq = seq * 10 + digit;
  }
  return at < end && bytes[at] === 44 && seq > 0 ? seq : null;
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  return byte >= 97 && byte <= 102 ? byte - 87 : -1;
}

/** The complete events in the last `bytes` of a journal, newest first. Skips damaged lines. */
export function lastEvents(path: string, bytes: number): RunEvent[] {
  const text = endOfFile(path, bytes);
  const events = text.split('\n').map((line) => readJournalLine(line)?.event);
  return events.filter((event) => event !== undefined).reverse();
}

function endOfFile(path: string, bytes: number): string {
  let fd: number | null = null;
  try {
    fd = openOwn(path, 'r');
    const { size } = fstatSync(fd);
    const buffer = Buffer.alloc(Math.min(size, bytes));
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, size - buffer.length));
  } catch {
    return '';
  } finally {
    if (fd !== null) closeSync(fd);
  }
}
