/** Records of earlier versions had some keys in camelCase. They are read with the keys of this version. */
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { journalLine, readJournalLine } from '../../src/runtime/store/journal-line.js';

/** The event that is read from the line of an earlier version. */
function read(earlier: object): RunEvent | undefined {
  return readJournalLine(journalLine(earlier as RunEvent, 1, '2026-01-01T00:00:00.000Z'))?.event;
}

test('the keys of an outcome, its tokens and its reason to wait are renamed', () => {
  const tokens = { in: 1, out: 2, cacheRead: 3, cacheWrite: 4 };
  const unavailable = { cause: 'usage', message: 'later', untilMs: 5, atMs: 6 };
  const outcome = { kind: 'exited', exit: 0, durationMs: 7, stderrArtifact: 'a', sessionId: 's', isError: true };
  expect(read({ type: 'effect_settled', effect: '1', outcome: { ...outcome, tokens, unavailable } })).toEqual({
    type: 'effect_settled',
    effect: '1',
    outcome: {
      kind: 'exited',
      exit: 0,
      duration_ms: 7,
      stderr_artifact: 'a',
      session_id: 's',
      is_error: true,
      tokens: { in: 1, out: 2, cache_read: 3, cache_write: 4 },
      unavailable: { cause: 'usage', message: 'later', until_ms: 5, at_ms: 6 },
    },
  });
});

test('other events that had such keys', () => {
  expect(read({ type: 'effect_retried', effect: '1', delayMs: 5, untilMs: 9 })).toEqual({
    type: 'effect_retried',
    effect: '1',
    delay_ms: 5,
    until_ms: 9,
  });
  const spent = { cost: 1, tokens: { in: 1, out: 2, cacheRead: 3, cacheWrite: 4 } };
  expect(read({ type: 'run_resumed', by: 'user', limits: { timeMs: 5, cost: 1 }, spent })).toEqual({
    type: 'run_resumed',
    by: 'user',
    limits: { cost: 1, time_ms: 5 },
    spent: { cost: 1, tokens: { in: 1, out: 2, cache_read: 3, cache_write: 4 } },
  });
});

test('values of programs keep their keys', () => {
  const value = { durationMs: 1, tokens: { cacheRead: 2 }, toString: 'own' };
  const outcome = { kind: 'value', value, durationMs: 3 };
  expect(read({ type: 'effect_settled', effect: '1', outcome })).toEqual({
    type: 'effect_settled',
    effect: '1',
    outcome: { kind: 'value', value, duration_ms: 3 },
  });
  expect(read({ type: 'tracked_set', name: 'x', value })).toEqual({ type: 'tracked_set', name: 'x', value });
});

test('what a damaged record holds instead of an object is left as it is', () => {
  for (const outcome of [null, 7, 'text', []]) {
    const event = { type: 'effect_settled', effect: '1', outcome };
    expect(read(event)).toEqual(event);
  }
});
