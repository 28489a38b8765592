/**
 * Finds an event in a journal without reading what comes before it: lines begin with their numbers, which only grow, so
 * the file itself is the index. A damaged journal is read from its beginning instead.
 */
import { Buffer } from 'node:buffer';
import { fstatSync, readSync } from 'node:fs';
import { JournalLines, seqAt } from './journal-lines.js';
import { type JournalPosition, journalStart } from './read-journal.js';

const STEP_BYTES = 16 * 1024;
/** A part of this size is read instead of searched. */
const NEAR_BYTES = 64 * 1024;
const NEWLINE = 10;

/** The position after the event `seq`; if there are fewer events, after the last one. Throws a `StoreError`. */
export function positionAfter(fd: number, path: string, seq: number): JournalPosition {
  if (seq <= 0) return journalStart;
  const near = searchLine(fd, seq);
  return walkTo(fd, path, seq, near) ?? walkTo(fd, path, seq, journalStart) ?? journalStart;
}

/** Reads on from `from` until the event; null if that part is damaged. */
function walkTo(fd: number, path: string, seq: number, from: JournalPosition): JournalPosition | null {
  const lines = new JournalLines(fd, path, from);
  let found: JournalPosition = from;
  let isDamaged = false;
  const listener = {
    line: (_: Buffer, start: number, end: number, at: JournalPosition): void => {
      if (at.seq <= seq) found = { seq: at.seq, offset: at.offset + end - start + 1 };
    },
    damage: (): void => {
      isDamaged = true;
    },
  };
  while (lines.end.seq < seq && lines.read(NEAR_BYTES, listener));
  if (isDamaged && from !== journalStart) return null;
  return { seq: found.seq, offset: Math.min(found.offset, fstatSync(fd).size) };
}

/** The beginning of a line at or before the one of the event, found by halving. */
function searchLine(fd: number, seq: number): JournalPosition {
  let low: JournalPosition = journalStart;
  let high = fstatSync(fd).size;
  while (high - low.offset > NEAR_BYTES) {
    const middle = Math.floor((low.offset + high) / 2);
    const line = lineAfter(fd, middle, high);
    if (line === null || line.seq > seq) high = middle;
    else low = { seq: line.seq - 1, offset: line.offset };
  }
  return low;
}

/** The first line that begins after a byte and before another one, with its number. */
function lineAfter(fd: number, from: number, until: number): JournalPosition | null {
  const buffer = Buffer.allocUnsafe(STEP_BYTES);
  for (let at = from; at < until; at += STEP_BYTES - 32) {
    const count = readSync(fd, buffer, 0, STEP_BYTES, at);
    const newline = buffer.indexOf(NEWLINE);
    if (newline >= 0 && newline < count) {
      if (count - newline < 32 && count === STEP_BYTES) continue;
      const seq = seqAt(buffer, newline + 1, count);
      const offset = at + newline + 1;
      return seq === null || offset >= until ? null : { seq, offset };
    }
    if (count < STEP_BYTES) return null;
  }
  return null;
}
