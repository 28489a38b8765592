/** Budgets of a day: runs that work at the same time, killed processes, days, and files that cannot be used. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { budgetUntil, reserveCall, spendingsIn, waitForBudget } from '../../../src/runtime/agents/daily-budget.js';
import type { AgentSettings } from '../../../src/runtime/agents/resolve.js';
import type { EffectContext } from '../../../src/runtime/effect-context.js';

const NOON = Date.parse('2026-03-01T12:00:00Z');
let store: string;
const told: string[] = [];

beforeEach(() => {
  store = mkdtempSync(join(tmpdir(), 'statedsl-budget-'));
  told.length = 0;
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: NOON });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(store, { recursive: true, force: true });
});

const settings = (perDay: number, zone?: string, file: string | null = null): AgentSettings => ({
  agents: {},
  folder: null,
  instead: {},
  budget: { cost_per_day: perDay, file, ...(zone === undefined ? {} : { zone }) },
});
const run = (runId: string, program = 'release'): EffectContext =>
  ({
    runId,
    program,
    stop: new AbortController().signal,
    notice: (text: string) => void told.push(text),
    resources: { runFolder: () => join(store, 'runs', runId) },
  }) as unknown as EffectContext;
const call = (id: string, most: number | null = 4) => ({ id, agent: 'builder', most });
const begun = (made: Awaited<ReturnType<typeof reserveCall>>) => {
  if ('kind' in made) throw new Error(JSON.stringify(made));
  return made;
};

test('two runs that work at the same time cannot exceed it together', async () => {
  const [one, two] = [run('one'), run('two')];
  const first = begun(await reserveCall(call('a'), settings(10), one));
  const second = begun(await reserveCall(call('b'), settings(10), two));
  const third = await reserveCall(call('c'), settings(10), two);
  expect(third).toEqual({
    kind: 'not-started',
    reason: 'the budget of 2026-03-01 is $10.00: $0.00 spent, $8.00 reserved by other calls; this call may cost $4.00',
    unavailable: {
      cause: 'budget',
      message:
        'the budget of 2026-03-01 is $10.00: $0.00 spent, $8.00 reserved by other calls; this call may cost $4.00',
      until_ms: Date.parse('2026-03-02T00:00:00Z'),
      at_ms: NOON,
      account: 'budget:release@$4',
    },
  });
  // It fits as soon as another call costs less than it had reserved.
  let isWoken = false;
  void waitForBudget('budget:release@$4', settings(10), two).then(() => {
    isWoken = true;
  });
  await vi.advanceTimersByTimeAsync(3000);
  expect(isWoken).toBe(false);
  first.ends(1);
  await vi.advanceTimersByTimeAsync(2000);
  expect(isWoken).toBe(true);
  begun(await reserveCall(call('c'), settings(10), two)).ends(4);
  second.ends(null);
  expect(spendingsIn(store).list().states).toMatchObject([{ spent: 9, unknown: 0, calls: [] }]);
  // Another program has its own.
  begun(await reserveCall(call('d'), settings(10), run('three', 'other')));
});

test('a call of a killed process counts what it had reserved', async () => {
  begun(await reserveCall(call('a'), settings(10), run('one')));
  const files = spendingsIn(store);
  const account = files.list().states[0]?.account ?? '';
  files.change(account, (state) =>
    state === null ? null : { ...state, calls: state.calls.map((one) => ({ ...one, process: { pid: 0 } })) },
  );
  const again = begun(await reserveCall(call('a'), settings(10), run('one')));
  expect(files.list().states).toMatchObject([{ spent: 4, calls: [{ id: 'a', reserved: 4 }] }]);
  again.ends(2);
  expect(files.list().states).toMatchObject([{ spent: 6, calls: [] }]);
});

test('a call without `max_cost` reserves nothing, which is told, and is not begun when nothing is left', async () => {
  const one = run('one');
  begun(await reserveCall(call('a', null), settings(10), one)).ends(null);
  begun(await reserveCall(call('b', null), settings(10), one)).ends(11);
  expect(told).toEqual(['builder reserves nothing of the budget, because it has no `max_cost`']);
  expect(spendingsIn(store).list().states).toMatchObject([{ spent: 11, unknown: 1 }]);
  expect(await reserveCall(call('c', null), settings(10), one)).toMatchObject({ kind: 'not-started' });
});

test('a day begins in its zone, and a clock that is set back gives nothing back', async () => {
  const [one, berlin] = [run('one'), settings(10, 'Europe/Berlin')];
  begun(await reserveCall(call('a', 10), berlin, one)).ends(10);
  expect(await budgetUntil('budget:release@$4', berlin, one)).toBe(Date.parse('2026-03-01T23:00:00Z'));
  vi.setSystemTime(Date.parse('2026-03-01T23:00:00Z'));
  expect(await budgetUntil('budget:release@$4', berlin, one)).toBe(0);
  begun(await reserveCall(call('b', 8), berlin, one)).ends(8);
  vi.setSystemTime(NOON);
  expect(await reserveCall(call('c'), berlin, one)).toMatchObject({ unavailable: { cause: 'budget' } });
});

test('a call that never fits fails, and a raised budget is noticed', async () => {
  const file = join(store, 'statedsl.config.yaml');
  writeFileSync(file, 'budget: {cost_per_day: 3}\n');
  expect(await reserveCall(call('a'), settings(3, undefined, file), run('one'))).toEqual({
    kind: 'not-started',
    error_type: 'limit',
    reason: 'the call may cost $4.00, but the budget of a day is $3.00',
  });
  writeFileSync(file, 'budget: {cost_per_day: 30}\n# raised\n');
  begun(await reserveCall(call('a'), settings(3, undefined, file), run('one')));
});

test('what cannot be recorded is not spent', async () => {
  writeFileSync(join(store, 'budget'), 'a file');
  expect(await reserveCall(call('a'), settings(10), run('one'))).toMatchObject({
    kind: 'not-started',
    reason: expect.stringContaining('cannot be recorded'),
  });
  rmSync(join(store, 'budget'));
  mkdirSync(join(store, 'budget'));
  begun(await reserveCall(call('b'), settings(10), run('one')));
  const [name = ''] = readdirSync(join(store, 'budget'));
  writeFileSync(join(store, 'budget', name), '{"statedsl_spending":9}');
  expect(await reserveCall(call('c'), settings(10), run('one'))).toMatchObject({ kind: 'not-started' });
});
