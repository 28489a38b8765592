/** The service reads runs before they are asked for. */
import { expect, test } from 'vitest';
import type { Runs } from '../../src/control/runs.js';
import { warmUp } from '../../src/serve/warm-up.js';

function runsOf(ids: readonly string[]) {
  const read: string[] = [];
  const runs = {
    list: async () => ({ ok: true, value: { runs: ids.map((run_id) => ({ run_id })) } }),
    inspect: async (id: string) => {
      read.push(id);
      return { ok: false, refusal: { code: 'damaged', message: '', help: null } };
    },
  };
  return { runs: runs as unknown as Pick<Runs, 'list' | 'inspect'>, read };
}

test('runs are read before they are asked for, but not those that would take long', async () => {
  const { runs, read } = runsOf(['new', 'large', 'old']);
  const { signal } = new AbortController();
  await warmUp({ runs, sizeOf: (id) => (id === 'large' ? 1e6 : 100), signal });
  expect(read).toEqual(['new', 'old']);
});

test('a service that stops reads no more', async () => {
  const { runs, read } = runsOf(['a', 'b']);
  const stopping = new AbortController();
  const sizeOf = () => {
    stopping.abort();
    return 100;
  };
  await warmUp({ runs, sizeOf, signal: stopping.signal });
  expect(read).toEqual(['a']);
});
