/** The service reads runs before they are asked for. */
import { expect, test } from 'vitest';
import type { Runs } from '../../src/app/runs.js';
import { warmUp } from '../../src/serve/listen.js';

const quietMs = () => Number.POSITIVE_INFINITY;

function runsOf(ids: readonly string[]) {
  const read: string[] = [];
  const shown: string[] = [];
  const runs = {
    list: async () => ({ ok: true, value: { runs: ids.map((run_id) => ({ run_id })) } }),
    inspect: async (id: string) => {
      read.push(id);
      return { ok: false, refusal: { code: 'damaged', message: '', help: null } };
    },
  };
  const show = async (id: string) => shown.push(id);
  return { runs: runs as unknown as Pick<Runs, 'list' | 'inspect'>, show, read, shown };
}

test('runs are read before they are asked for, but not those that would take long', async () => {
  const { runs, show, read } = runsOf(['new', 'large', 'old']);
  const { signal } = new AbortController();
  await warmUp({ runs, show, sizeOf: (id) => (id === 'large' ? 1e6 : 100), quietMs, signal });
  expect(read).toEqual(['new', 'old']);
});

test('a service that stops reads no more', async () => {
  const { runs, show, read } = runsOf(['a', 'b']);
  const stopping = new AbortController();
  const sizeOf = () => {
    stopping.abort();
    return 100;
  };
  await warmUp({ runs, show, sizeOf, quietMs, signal: stopping.signal });
  expect(read).toEqual(['a']);
});

test('while requests come, only the first runs are read; later ones are shown as to clients', async () => {
  const { runs, show, read, shown } = runsOf(Array.from({ length: 1702 }, (_, at) => String(at)));
  const seen: number[] = [];
  const { signal } = new AbortController();
  const justAsked = () => {
    seen.push(read.length);
    return seen.length < 4 ? 499 : Number.POSITIVE_INFINITY;
  };
  await warmUp({ runs, show, sizeOf: () => 100, quietMs: justAsked, signal });
  expect(seen.slice(0, 4)).toEqual([200, 200, 200, 200]);
  expect([read.length, shown.length]).toEqual([202, 1500]);
});
