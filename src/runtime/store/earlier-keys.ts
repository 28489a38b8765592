/**
 * Earlier versions wrote some keys of events in camelCase. Reading gives them their current names, so that only this
 * file knows the earlier ones.
 */
import type { RunEvent } from '../../interpreter/events/event.js';

type Keys = Readonly<Record<string, string>>;

const TOKENS: Keys = { cacheRead: 'cache_read', cacheWrite: 'cache_write' };
const UNAVAILABLE: Keys = { untilMs: 'until_ms', atMs: 'at_ms' };
const OUTCOME: Keys = {
  durationMs: 'duration_ms',
  errorType: 'error_type',
  isError: 'is_error',
  sessionId: 'session_id',
  sessionOf: 'session_of',
  stderrArtifact: 'stderr_artifact',
  timeoutMs: 'timeout_ms',
  toolCode: 'tool_code',
};
const RETRIED: Keys = { delayMs: 'delay_ms', untilMs: 'until_ms' };
const LIMITS: Keys = { timeMs: 'time_ms' };

/** The event with the keys of this version. Leaves values of programs alone. Changes `event`. */
export function withCurrentKeys(event: RunEvent): RunEvent {
  const { type } = event;
  if (type === 'effect_settled') {
    rename(event.outcome, OUTCOME);
    if (!isObject(event.outcome)) return event;
    rename('tokens' in event.outcome ? event.outcome.tokens : undefined, TOKENS);
    rename('unavailable' in event.outcome ? event.outcome.unavailable : undefined, UNAVAILABLE);
  } else if (type === 'effect_retried') rename(event, RETRIED);
  else if (type === 'run_resumed') {
    rename(event.limits, LIMITS);
    rename(event.spent?.tokens, TOKENS);
  }
  return event;
}

const EARLIER = /"(?:[a-z]+Ms|cacheRead|cacheWrite|errorType|isError|sessionId|sessionOf|stderrArtifact|toolCode)":/;

/** Where `"type":"` ends in a line, behind its number. */
const TYPE_OFFSET = ',"ts":"2026-01-01T00:00:00.000Z","type":"'.length;
/** Length of `{"seq":`. */
const SEQ_OFFSET = 7;
const [QUOTE, COLON, E, R] = [34, 58, 101, 114];

/** Whether a line of a journal may have earlier keys, by its type alone: `effect_…` or `run_resumed`. */
export function mayHaveEarlierKeysByType(bytes: Uint8Array, start: number): boolean {
  let at = start + SEQ_OFFSET;
  for (let digit = bytes[at]; digit !== undefined && digit >= 48 && digit <= 57; digit = bytes[at]) at++;
  const type = at + TYPE_OFFSET;
  if (bytes[type - 1] !== QUOTE || bytes[type - 2] !== COLON) return true;
  return bytes[type] === E || bytes[type] === R;
}

/** Whether a line of a journal may have earlier keys. */
export function mayHaveEarlierKeys(line: string): boolean {
  return EARLIER.test(line);
}

/** Renames members in place and keeps their order. Leaves alone what a damaged record has instead of an object. */
function rename(object: unknown, keys: Keys): void {
  if (!isObject(object)) return;
  const members = object as Record<string, unknown>;
  const entries = Object.entries(members);
  if (!entries.some(([key]) => Object.hasOwn(keys, key))) return;
  for (const [key] of entries) delete members[key];
  for (const [key, value] of entries) members[(Object.hasOwn(keys, key) ? keys[key] : undefined) ?? key] = value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
