/** Lines of JSON that the programs of agents print, as they arrive, and members of such objects. */
import { isJsonObject } from '../../prelude/json-object.js';
import type { JsonLine } from './programs/adapter.js';

/** The maximum size of a line in bytes. Lines contain tool results, so they may be large. Larger lines are skipped. */
export const LONGEST_LINE_BYTES = 32 * 1024 * 1024;

/** The number of bytes that are kept of the last other line, which may explain a failure. */
const KEPT_PLAIN = 2000;

const NEW_LINE = 10;
const BRACE = 123;

/** Spaces, and the bytes of a byte order mark, which may arrive one by one. */
const LEADING: ReadonlySet<number> = new Set([32, 9, 13, 0xef, 0xbb, 0xbf]);

interface JsonLines {
  push(bytes: Buffer): void;
  /** Call it at the end of the stream, which ends the last line. */
  end(): void;
  /** The last line that is not a JSON object, or empty. */
  readonly plain: string;
}

/**
 * Splits a stream of bytes into lines and passes on those that are JSON objects, as they arrive. A program may print
 * anything, so lines that do not begin like an object are not kept, and lines have a maximum size.
 */
export function jsonLines(onLine: (object: JsonLine) => void): JsonLines {
  let parts: Buffer[] = [];
  let bytes = 0;
  let kind: 'unknown' | 'object' | 'plain' | 'skipped' = 'unknown';
  let plain = '';

  const take = (given: Buffer): void => {
    if (given.length === 0 || kind === 'skipped') return;
    let piece = given;
    if (kind === 'unknown') {
      const first = given.findIndex((byte) => !LEADING.has(byte));
      if (first < 0) return;
      kind = given[first] === BRACE ? 'object' : 'plain';
      if (kind === 'object') piece = given.subarray(first);
    }
    const room = kind === 'object' ? LONGEST_LINE_BYTES : KEPT_PLAIN;
    if (kind === 'object' && bytes + piece.length > room) {
      kind = 'skipped';
      parts = [];
      return;
    }
    const kept = piece.subarray(0, room - bytes);
    // A copy, because a short line must not keep a large chunk of the stream in memory.
    if (kept.length > 0) parts.push(Buffer.from(kept));
    bytes += kept.length;
  };

  const finish = (): void => {
    const text = kind === 'object' || kind === 'plain' ? Buffer.concat(parts).toString('utf8').trim() : '';
    if (kind === 'object') {
      const object = parseObject(text);
      if (object !== null) onLine(object);
      else plain = text.slice(0, KEPT_PLAIN);
    } else if (text !== '') plain = text;
    parts = [];
    bytes = 0;
    kind = 'unknown';
  };

  return {
    push(chunk) {
      let start = 0;
      for (let at = chunk.indexOf(NEW_LINE); at >= 0; at = chunk.indexOf(NEW_LINE, start)) {
        take(chunk.subarray(start, at));
        finish();
        start = at + 1;
      }
      take(chunk.subarray(start));
    },
    end: finish,
    get plain() {
      return plain;
    },
  };
}

/** Splits a stream into lines of text. Only the beginning of a long line is passed on. */
export function textLines(onLine: (line: string) => void): { push(bytes: Buffer): void } {
  let kept = '';
  return {
    push(chunk) {
      const pieces = chunk.toString('utf8').split('\n');
      pieces.forEach((piece, index) => {
        if (kept.length < KEPT_PLAIN) kept += piece.slice(0, KEPT_PLAIN - kept.length);
        if (index === pieces.length - 1) return;
        onLine(kept);
        kept = '';
      });
    },
  };
}

function parseObject(text: string): JsonLine | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

// ---- members, whose types are not certain -----------------------------------------------------------

export function objectOf(value: unknown): JsonLine {
  return isJsonObject(value) ? value : {};
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A finite number of at least 0. */
export function amountOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

export function countOf(value: unknown): number {
  return Math.trunc(amountOf(value) ?? 0);
}
