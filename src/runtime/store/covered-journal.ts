/** How much of a journal its checkpoint covers, which tells that the end of the journal was lost. */
import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { crcOf } from './journal-line.js';
import { openToRead, readOwn } from './own-file.js';

/** What a checkpoint begins with. */
const BEGINNING = /^\{"digest":"[0-9a-f]*","seq":(\d+),"offset":(\d+),/;
const BEGINNING_BYTES = 256;

export const CHECKPOINT = 'checkpoint.json';

/** Of how many bytes the run in this folder has a checkpoint; 0: it has none that can be used. */
export const coveredBytes = (folder: string): number => coveredPart(folder).offset;

function coveredPart(folder: string): { readonly seq: number; readonly offset: number } {
  try {
    const fd = openToRead(join(folder, CHECKPOINT));
    try {
      const bytes = Buffer.allocUnsafe(BEGINNING_BYTES);
      const text = bytes.toString('latin1', 0, readSync(fd, bytes, 0, BEGINNING_BYTES, 0));
      const [, seq = 0, offset = 0] = BEGINNING.exec(text) ?? [];
      return { seq: Number(seq), offset: Number(offset) };
    } finally {
      closeSync(fd);
    }
  } catch {
    return { seq: 0, offset: 0 };
  }
}

/** Whether what `coveredBytes` says can be relied on: the checkpoint is whole. */
export function isWholeCheckpoint(folder: string): boolean {
  try {
    return uncheckedText(readOwn(join(folder, CHECKPOINT)).toString('utf8')) !== null;
  } catch {
    return false;
  }
}

/** Whether the open journal of the run in this folder, of which `last` is the last event, has lost events that its checkpoint covers. */
export function hasLostEnd(folder: string, journal: number, last: number): boolean {
  // Before the size, because a process may be writing: what a checkpoint covers is there by then.
  const { seq, offset } = coveredPart(folder);
  return last < seq && fstatSync(journal).size < offset && isWholeCheckpoint(folder);
}

/** The text of a checkpoint without its checksum; null: it is damaged. */
export function uncheckedText(text: string): string | null {
  const mark = text.lastIndexOf(',"crc":"');
  const body = text.slice(0, mark);
  return text.slice(mark) === `,"crc":"${checkpointSum(body)}"}\n` ? body : null;
}

/** CRC-32 in hexadecimal digits. */
export function checkpointSum(text: string): string {
  const bytes = Buffer.from(text);
  return (crcOf(bytes, 0, bytes.length) >>> 0).toString(16).padStart(8, '0');
}
