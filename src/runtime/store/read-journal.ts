/**
 * Reads the journal of a run in pieces, because it may be larger than memory. A last line without its line end was being
 * written when the process died and counts as never written. Any other incomplete line is damage, and reading stops there.
 */
import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppendDecoder } from './appended.js';
import { artifactsFolder } from './artifacts.js';
import { coveredBytes, isWholeCheckpoint } from './covered-journal.js';
import { chainIn, type JournalRecord, MOST_UNHASHED, readLineBytes } from './journal-line.js';
import { decodeEvent, REFERS } from './large-values.js';
import { openToRead } from './own-file.js';
import { JournalDamage, StoreError, storeError } from './store-error.js';

export const CHUNK_BYTES = 256 * 1024;
const FEW_BYTES = 4096;
const NEWLINE = 10;
/** Length of the end of a complete line: `,"crc":"xxxxxxxx"}`. */
const MARK = /,"crc":"[0-9a-f]{8}"\}/;

/** A buffer for what a file has after this position. Most journals are short, and a large buffer costs more than they do. */
export function bufferFor(fd: number, offset: number): Buffer {
  const left = fstatSync(fd).size - offset + 1;
  return Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(FEW_BYTES, left)));
}

/** Where reading starts: after the event `seq`, which ends at byte `offset`. */
export interface JournalPosition {
  readonly seq: number;
  readonly offset: number;
}

export const journalStart: JournalPosition = { seq: 0, offset: 0 };

/** Where reading ended. */
export interface JournalEnd extends JournalPosition {
  /** How many bytes after `offset` are the beginning of a line. */
  readonly torn: number;
  /** The last line is complete except for its line end. */
  readonly unended: boolean;
}

/**
 * Passes the events to `take`, in order, until it returns false. Throws a `StoreError` if the journal cannot be read, is
 * damaged (with the number of the event and the byte at which it begins) or ends before `from`, or before what its checkpoint
 * covers.
 */
export function readJournal(
  path: string,
  take: (record: JournalRecord) => boolean | undefined,
  from: JournalPosition = journalStart,
): JournalEnd {
  // Before the journal, which a process may be writing: what a checkpoint covers is there by then.
  const covered = from.offset === 0 ? coveredBytes(dirname(path)) : 0;
  const fd = openToRead(path);
  let isAtEnd = true;
  const takeOne = (record: JournalRecord): boolean => {
    isAtEnd = take(record) !== false;
    return isAtEnd;
  };
  try {
    const end = readFrom(fd, path, takeOne, from);
    const size = end.offset + end.torn;
    if (isAtEnd && size < covered && isWholeCheckpoint(dirname(path)))
      throw new JournalDamage(missingEnd(path, size, covered), end.seq + 1, end.offset);
    return end;
  } finally {
    closeSync(fd);
  }
}

const missingEnd = (path: string, size: number, covered: number): string =>
  `the end of \`${path}\` is missing: it has ${size} bytes, but the checkpoint was made at byte ${covered}`;

/** Passes all events to `take`, or those before the first damage, which is the result. */
export function readToDamage(path: string, take: (record: JournalRecord) => boolean | undefined): JournalDamage | null {
  try {
    readJournal(path, take);
    return null;
  } catch (cause) {
    if (cause instanceof JournalDamage) return cause;
    throw cause;
  }
}

/** Passes the events until the event `until` to `take`. What comes later may be damaged. Throws a `StoreError`. */
export function readUntil(
  path: string,
  until: number,
  take: (record: JournalRecord) => void,
  from: JournalPosition = journalStart,
): void {
  try {
    const takeOne = (record: JournalRecord): boolean => {
      if (record.seq > until) return false;
      take(record);
      return true;
    };
    readJournal(path, takeOne, from);
  } catch (cause) {
    if (!(cause instanceof JournalDamage) || cause.seq <= until) throw cause;
  }
}

function readFrom(
  fd: number,
  path: string,
  take: (record: JournalRecord) => boolean | undefined,
  from: JournalPosition,
): JournalEnd {
  const size = fstatSync(fd).size;
  if (size < from.offset) {
    const { seq, offset } = readFrom(fd, path, () => true, journalStart);
    throw new JournalDamage(missingEnd(path, size, from.offset), seq + 1, offset);
  }
  let buffer = bufferFor(fd, from.offset);
  let { seq, offset } = from;
  const appended = new AppendDecoder();
  /** How many bytes of the buffer are the beginning of a line. */
  let held = 0;
  for (;;) {
    if (held === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
    const count = readChunk(fd, path, buffer, held, offset + held);
    if (count === 0) break;
    const end = held + count;
    let start = 0;
    // A reference may begin in the previous piece.
    const mayRefer = buffer.subarray(0, end).includes(REFERS);
    const known = buffer.subarray(0, end);
    for (let at = known.indexOf(NEWLINE, held); at >= 0; at = known.indexOf(NEWLINE, start)) {
      const line = readLineBytes(buffer, start, at);
      if (line === null) throw damageError(path, seq + 1, offset);
      if (line.seq !== seq + 1) throw outOfOrder(path, seq, line.seq, offset);
      const kept = mayRefer && buffer.subarray(start, at).includes(REFERS) ? withArtifacts(line, path) : line;
      const record = withWholeValue(kept, appended);
      if (record === null) throw damageError(path, seq + 1, offset);
      if (take(record) === false) return { seq, offset, torn: 0, unended: false };
      seq = record.seq;
      offset += at + 1 - start;
      start = at + 1;
    }
    buffer.copyWithin(0, start, end);
    held = end - start;
  }
  if (held === 0) return { seq, offset, torn: 0, unended: false };
  return lastPiece(buffer.subarray(0, held), path, take, { seq, offset, appended });
}

/** Whether a text occurs anywhere after a position, even in an incomplete line. Throws a `StoreError`. */
export function journalHas(path: string, text: string, { offset }: JournalPosition): boolean {
  const needle = Buffer.from(text);
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const fd = openToRead(path);
  try {
    let held = 0;
    for (let position = offset; ; ) {
      const count = readChunk(fd, path, buffer, held, position);
      if (count === 0) return false;
      const end = held + count;
      const at = buffer.indexOf(needle);
      if (at >= 0 && at + needle.length <= end) return true;
      position += count;
      held = Math.min(end, needle.length - 1);
      buffer.copyWithin(0, end - held, end);
    }
  } finally {
    closeSync(fd);
  }
}

/**
 * The end of a chained journal of which the hash of the next line is: from the last line with a hash on, or everything with
 * `start` before it. Throws a `StoreError` if a line lacks its hash.
 */
export function unhashedEnd(path: string, { offset }: JournalPosition, start: Uint8Array): Buffer {
  const fd = openToRead(path);
  try {
    for (let length = Math.min(offset, FEW_BYTES); ; length = Math.min(offset, length * 4)) {
      const bytes = Buffer.allocUnsafe(length);
      let read = 0;
      while (read < length) {
        const count = readSync(fd, bytes, read, length - read, offset - length + read);
        if (count === 0) throw new StoreError(`\`${path}\` became shorter while it was read`);
        read += count;
      }
      const from = lastHashed(bytes, length === offset);
      if (from !== null) return withLineEnd(bytes.subarray(from));
      if (length < offset) continue;
      const last = bytes.lastIndexOf(NEWLINE, length - 2) + 1;
      if (last < 2 * MOST_UNHASHED.computed) return withLineEnd(Buffer.concat([start, bytes]));
      throw new StoreError(`the lines of \`${path}\` have no hashes, although \`run.json\` says that they are chained`);
    }
  } catch (cause) {
    throw cause instanceof StoreError ? cause : storeError('read', path, cause);
  } finally {
    closeSync(fd);
  }
}

/** Where the last line with a hash begins; null: none begins here. `isWhole`: the bytes begin with a line. */
function lastHashed(bytes: Buffer, isWhole: boolean): number | null {
  for (let end = bytes.at(-1) === NEWLINE ? bytes.length - 1 : bytes.length; end > 0; ) {
    const before = bytes.lastIndexOf(NEWLINE, end - 1);
    if (before === -1 && !isWhole) return null;
    if (chainIn(bytes, before + 1, end) !== null) return before + 1;
    end = before;
  }
  return null;
}

/** Only the end of the last line may have been lost. */
function withLineEnd(lines: Buffer): Buffer {
  return lines.at(-1) === NEWLINE ? lines : Buffer.concat([lines, Buffer.from('\n')]);
}

function readChunk(fd: number, path: string, buffer: Buffer, at: number, position: number): number {
  try {
    return readSync(fd, buffer, at, buffer.length - at, position);
  } catch (cause) {
    throw storeError('read', path, cause);
  }
}

/** What follows the last line end. It may be a complete line, because only the line end may have been lost. */
function lastPiece(
  piece: Buffer,
  path: string,
  take: (record: JournalRecord) => boolean | undefined,
  { seq, offset, appended }: JournalPosition & { readonly appended: AppendDecoder },
): JournalEnd {
  const line = readLineBytes(piece, 0, piece.length);
  if (line !== null && line.seq !== seq + 1) throw outOfOrder(path, seq, line.seq, offset);
  const record =
    line === null ? null : withWholeValue(piece.includes(REFERS) ? withArtifacts(line, path) : line, appended);
  if (record !== null) {
    if (take(record) === false) return { seq, offset, torn: 0, unended: false };
    return { seq: record.seq, offset: offset + piece.length, torn: 0, unended: true };
  }
  // A line is written from front to back. A line with its checksum is not torn, so what is wrong with it is damage.
  if (MARK.test(piece.toString('latin1', Math.max(0, piece.length - 40)))) throw damageError(path, seq + 1, offset);
  return { seq, offset, torn: piece.length, unended: false };
}

/** The record with its artifacts read as values. */
function withArtifacts(record: JournalRecord, path: string): JournalRecord {
  return { ...record, event: decodeEvent(record.event, artifactsFolder(dirname(path))) };
}

/** The record with the whole value of a variable that only grew; null if the value that it continues is not on record. */
function withWholeValue(record: JournalRecord, appended: AppendDecoder): JournalRecord | null {
  const event = appended.decode(record.event);
  return event === record.event ? record : event === null ? null : { ...record, event };
}

/** Lines are complete, but one was deleted or moved. `before`: the number of the previous line. */
function outOfOrder(path: string, before: number, seq: number, offset: number): JournalDamage {
  const missing = seq - before - 1;
  const which = missing === 1 ? `event ${before + 1} is` : `events ${before + 1} to ${seq - 1} are`;
  const what = missing > 0 ? `${which} missing before event ${seq}` : `event ${seq} follows event ${before}`;
  return new JournalDamage(`\`${path}\` is damaged: ${what}, which begins at byte ${offset}`, before + 1, offset);
}

function damageError(path: string, seq: number, offset: number): JournalDamage {
  const message = `\`${path}\` is damaged: event ${seq}, which begins at byte ${offset}, has changed`;
  return new JournalDamage(message, seq, offset);
}
