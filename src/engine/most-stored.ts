/**
 * How much an engine gets. Restate ends a connection with a message of more than 32 MiB and repeats the attempt for ever, so
 * everything is limited before it is sent, with room for encryption, which makes a message a third longer. In bytes.
 */
import { Buffer } from 'node:buffer';

const MIB = 1024 * 1024;
/** What a run is continued from, and what it returns. */
export const MOST_IMAGE = 16 * MIB;
/** An output, or a value that its lines refer to. */
export const MOST_ARTIFACT = 16 * MIB;
/** A value that is bound, given or sent. */
export const MOST_VALUE = 4 * MIB;
/** One line of the journal. */
export const MOST_LINE = 6 * MIB;
/** Lines that a turn keeps for later. */
export const MOST_KEPT_LINES = 2 * MIB;
/** What was sent to a run and not received yet. */
export const MOST_MAIL = 4 * MIB;
/** A submission, and an effect for another worker. */
export const MOST_MESSAGE = 16 * MIB;

/** The report of a run that waits, which has an image, and of one that has ended. */
export const MOST_WAITING_REPORT = 6 * MIB;
export const MOST_REPORT = 20 * MIB;

/** What an engine cannot keep. */
export interface TooLarge {
  readonly limit: number;
  readonly used: number;
}

/** The size of a value as JSON. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** Null: it is within the limit. */
export function tooMuch(used: number, limit: number): TooLarge | null {
  return used > limit ? { used, limit } : null;
}
