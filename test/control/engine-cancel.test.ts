/** What ending a run on an engine reports is what became of the run. */
import { expect, test } from 'vitest';
import type { RunState } from '../../src/engine/run-readers.js';
import { cancelledRun } from '../../src/engine/runs/engine-runs.js';
import { emptyReport } from '../../src/runtime/run/run-report.js';

const state = (status: string, report: object | null): RunState => ({ status, report }) as unknown as RunState;

test.each([
  ['a run that no worker ends', state('running', null), 'unfinished'],
  ['a suspended run', state('suspended', emptyReport('a', 'm', 'suspended')), 'unfinished'],
  ['a removed run', null, 'unfinished'],
  ['a run that returned first', state('returned', emptyReport('a', 'm', 'returned')), 'over'],
  [
    'a run that failed first',
    state('failed', { ...emptyReport('a', 'm', 'failed'), error: { kind: 'timeout' } }),
    'over',
  ],
])('%s', (_, given, code) => {
  expect(cancelledRun('a', given)).toMatchObject({ ok: false, refusal: { code } });
});

test('a run that was ended', () => {
  const report = { ...emptyReport('a', 'm', 'failed'), error: { kind: 'cancelled' } };
  expect(cancelledRun('a', state('failed', report))).toEqual({
    ok: true,
    value: { run_id: 'a', status: 'failed', error: { kind: 'cancelled' } },
  });
});
