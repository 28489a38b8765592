/** The limits of what a run writes to disk: when they are exceeded, and when a run is warned. */
import { expect, test } from 'vitest';
import { defaultLimit, Growth } from '../../src/runtime/run/growth.js';

/** A run that has written this much. */
function grown(limits: { readonly journal?: number; readonly output?: number } = {}) {
  const use = { bytes: 0, limit: 0, onExceeded: null as (() => void) | null };
  const one = { journal: 0, use };
  return Object.assign(one, { growth: new Growth(limits, () => one.journal, use as never) });
}

const MIB = 1024 ** 2;

test('a limit is exceeded above it, not at it', () => {
  const one = grown({ journal: 1000, output: 2000 });
  one.journal = 1000;
  one.use.bytes = 2000;
  expect(one.growth.exceededLimit()).toBeNull();
  one.journal = 1001;
  expect(one.growth.exceededLimit()).toEqual({ scope: 'journal', used: 1001, limit: 1000 });
  one.journal = 0;
  one.use.bytes = 2001;
  expect(one.growth.exceededLimit()).toEqual({ scope: 'output', used: 2001, limit: 2000 });
  expect(one.use.limit).toBe(2000);
});

test('without limits, the journal has 1 GiB and the output 256 MiB', () => {
  const one = grown();
  expect(one.use.limit).toBe(256 * MIB);
  one.journal = 1024 * MIB;
  expect(one.growth.exceededLimit()).toBeNull();
  one.journal++;
  expect(one.growth.exceededLimit()?.limit).toBe(1024 * MIB);
  expect([defaultLimit('journal'), defaultLimit('output'), defaultLimit('cost')]).toEqual([
    1024 * MIB,
    256 * MIB,
    undefined,
  ]);
});

test('there is one warning above nine tenths of each limit, and none once it is exceeded', () => {
  const one = grown({ journal: 1000, output: 2000 });
  one.journal = 900;
  expect(one.growth.warnings('A')).toEqual([]);
  one.journal = 901;
  expect(one.growth.warnings('A')).toMatchObject([{ type: 'warned', state: 'A', by: 'runner' }]);
  one.journal = 1000;
  expect(one.growth.warnings('A')).toEqual([]);
  one.use.bytes = 2001;
  expect(one.growth.warnings('B')).toEqual([]);
  one.use.bytes = 1801;
  expect(one.growth.warnings('B')).toMatchObject([{ state: 'B', message: expect.stringContaining('--max-output') }]);
});
