/** The lines of a journal as the engine stores them: few as they are, so that people can read them, and many in a packed form. */
import type { Buffer } from 'node:buffer';
import { packText, unpackText } from './packed-text.js';

export type StoredLines = readonly string[] | PackedLines;

export interface PackedLines {
  /** The packed form of the lines, with a line end between two of them. */
  readonly packed: string;
  readonly count: number;
  /** How many characters the lines have, or more if some of them need several bytes. */
  readonly characters: number;
}

/** As many bytes as fit into one page of the engine's record in any case. */
const FEW = 2000;

/** `bytes`: so many lines, each with its line end. */
export function storedLines(bytes: Buffer, count: number): StoredLines {
  if (count === 0) return [];
  const lines = bytes.subarray(0, -1);
  if (lines.length <= FEW) return lines.toString().split('\n');
  return { packed: packText(lines), count, characters: bytes.length - count };
}

export function countOf(stored: StoredLines): number {
  return 'packed' in stored ? stored.count : stored.length;
}

export function charactersOf(stored: StoredLines): number {
  return 'packed' in stored ? stored.characters : sumOf(stored);
}

export function linesOf(stored: StoredLines): readonly string[] {
  return 'packed' in stored ? unpackText(stored.packed).split('\n') : stored;
}

function sumOf(lines: readonly string[]): number {
  return lines.reduce((sum, { length }) => sum + length, 0);
}
