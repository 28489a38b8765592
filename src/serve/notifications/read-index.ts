/** Reads what was appended to the index of the runs since it was read last: each line is the begin or the end of a run. */
import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { openOwn } from '../../runtime/store/own-file.js';
import type { IndexEntry } from '../../runtime/store/run-header.js';
import { indexEntryOf } from '../../runtime/store/stored-run.js';
import type { IndexPosition } from './kept-notices.js';

const NEWLINE = 10;
/** In a new file, how much earlier than the latest known end a line may be that was not read yet. */
const SLACK_MS = 10_000;

export interface IndexPart {
  readonly entries: readonly IndexEntry[];
  readonly position: IndexPosition;
}

/** `from`: null reads nothing, and gives the end of the index. Null: nothing was appended. */
export function readIndexAfter(directory: string, from: IndexPosition | null): IndexPart | null {
  let fd: number;
  try {
    fd = openOwn(join(directory, 'runs', 'index.ndjson'), 'r');
  } catch {
    // There are no runs yet.
    return from === null ? { entries: [], position: { ino: 0, bytes: 0, latest: 0 } } : null;
  }
  try {
    const { ino, size } = fstatSync(fd);
    if (from?.ino === ino && from.bytes === size) return null;
    // Removing runs makes a new file, with old lines and perhaps new ones.
    const start = from?.ino === ino && from.bytes <= size ? from.bytes : 0;
    const bytes = Buffer.allocUnsafe(size - start);
    const count = readSync(fd, bytes, 0, bytes.length, start);
    const end = bytes.subarray(0, count).lastIndexOf(NEWLINE) + 1;
    const all = bytes
      .toString('utf8', 0, end)
      .split('\n')
      .flatMap((line) => indexEntryOf(line) ?? []);
    const latest = Math.max(from?.latest ?? 0, ...all.slice(-1).map(({ ended_at }) => Date.parse(ended_at)));
    const isKnown = ({ ended_at }: IndexEntry): boolean =>
      start === 0 && from !== null && Date.parse(ended_at) < from.latest - SLACK_MS;
    const entries = from === null ? [] : all.filter((entry) => !isKnown(entry));
    return { entries, position: { ino, bytes: start + end, latest } };
  } finally {
    closeSync(fd);
  }
}
