/**
 * Accepts messages that an earlier version worded differently. The record keeps the message of a failure, and handlers and
 * results may repeat it. So a run is compared with its record like this:
 *
 * 1. Only events that report a failure may introduce a different message, and only in the members `error` and `message`.
 * 2. Everything else must be equal after the introduced messages are replaced.
 */
import type { RunEvent } from '../events/event.js';

const WORDS: ReadonlySet<string> = new Set(['error', 'message']);

export class Rewording {
  /** Messages as JSON without its quotes: that of this version, and that of the record; longest first. */
  private readonly pairs: (readonly [made: string, recorded: string])[] = [];

  /** Whether two events differ only in the messages of failures. Notes messages that it meets for the first time. */
  explains(made: RunEvent, recorded: RunEvent): boolean {
    const found: (readonly [string, string])[] = [];
    if (!this.isAlike(made, recorded, reportsFailure(made), found)) return false;
    this.pairs.push(...found);
    this.pairs.sort(([a], [b]) => b.length - a.length);
    return true;
  }

  private isAlike(
    made: unknown,
    recorded: unknown,
    introduces: boolean,
    found: (readonly [string, string])[],
  ): boolean {
    if (!isObject(made) || !isObject(recorded))
      return this.exchangeWords(JSON.stringify(made)) === JSON.stringify(recorded);
    if (Array.isArray(made) !== Array.isArray(recorded)) return false;
    const keys = Object.keys(made);
    if (keys.join() !== Object.keys(recorded).join()) return false;
    return keys.every((key) => {
      const [is, was] = [made[key], recorded[key]];
      if (introduces && WORDS.has(key) && typeof is === 'string' && typeof was === 'string') {
        if (is !== was) found.push([JSON.stringify(is).slice(1, -1), JSON.stringify(was).slice(1, -1)]);
        return true;
      }
      return this.isAlike(is, was, introduces, found);
    });
  }

  private exchangeWords(text: string | undefined): string | undefined {
    return this.pairs.reduce((all, [made, recorded]) => all?.replaceAll(made, () => recorded), text);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Events in which a message of the interpreter appears for the first time. */
function reportsFailure(event: RunEvent): boolean {
  switch (event.type) {
    case 'instruction_failed':
    case 'effect_retried':
    case 'gate_result':
    case 'run_failed':
    case 'warned':
    // Before the record had `instruction_failed`, a handler was the first to report.
    case 'state_entered':
      return true;
    case 'emitted':
      return event.by === 'engine';
    case 'effect_settled':
      return event.stopped === true;
    default:
      return false;
  }
}
