/** What a person learns who follows a run of which nothing comes. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silenceLines } from '../../src/cli/running/elsewhere.js';
import { Silence } from '../../src/engine/follow.js';
import type { RunWhereabouts } from '../../src/runtime/run/run-whereabouts.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const THERE: RunWhereabouts = {
  ...{ turn: 1, worker: 'http://w', invocation: 'inv_1', since: null, is_reachable: true, no_worker_since: null },
  ...{ made_by: null, refused: null, waits: [] },
};

const lines = (said: string[]) =>
  silenceLines(
    () => 'waiting for a worker',
    (line) => void said.push(line),
  );

test('each reason is said once, and none while events come', async () => {
  const said: string[] = [];
  let facts: RunWhereabouts | null = THERE;
  let asked = 0;
  const client = {
    whereabouts: async () => {
      asked++;
      if (facts === null) throw new Error('no worker answers');
      return facts;
    },
  };
  const silence = new Silence(client, 'a', lines(said));
  await vi.advanceTimersByTimeAsync(4000);
  silence.noteEvent();
  await vi.advanceTimersByTimeAsync(4000);
  expect([asked, said]).toEqual([0, []]);
  await vi.advanceTimersByTimeAsync(2000);
  expect([asked, said]).toEqual([1, []]);
  facts = { ...THERE, refused: 'it needs other functions' };
  await vi.advanceTimersByTimeAsync(30_000);
  expect(said).toEqual(['refused by http://w: it needs other functions; it waits for a worker that fits']);
  facts = null;
  await vi.advanceTimersByTimeAsync(10_000);
  facts = { ...THERE, waits: [{ kind: 'label', name: 'gpu', since: null, worker: 'none' }] };
  await vi.advanceTimersByTimeAsync(10_000);
  expect(said[1]).toBe('waits for a worker with the label gpu');
  silence.end();
  const before = asked;
  await vi.advanceTimersByTimeAsync(60_000);
  expect([said.length, asked]).toEqual([2, before]);
});

test('without any event the first look says that a worker is missing', async () => {
  const said: string[] = [];
  const silence = new Silence({ whereabouts: async () => null }, 'a', lines(said));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(said).toEqual(['waiting for a worker']);
  silence.end();
});
