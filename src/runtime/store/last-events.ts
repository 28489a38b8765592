/** The end of a journal, for readers that need only the last events. */
import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, readSync } from 'node:fs';
import type { RunEvent } from '../../interpreter/events/event.js';
import { readJournalLine } from './journal-line.js';
import { openOwn } from './own-file.js';

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
