/** What the list of runs shows besides its rows: bars of days and of states. */
import { describe, expect, test } from 'vitest';
import { isZone, type RunDay, runDays } from '../../src/app/run-filter.js';
import { reasonsAgainst } from '../../src/page/acting/allowed-actions.js';
import type { PageRun } from '../../src/page/data/page-data.js';
import { budgetOf, dayBars } from '../../src/page/runs/day-bars.js';
import { hasFilters, queryOf } from '../../src/page/runs/filters.jsx';
import { isApart, mergeFirst } from '../../src/page/runs/run-pages.js';
import { barWords, stateBar } from '../../src/page/runs/state-bar.js';

const run = (started_at: string, more: object = {}) => ({
  ...{ machine: 'a', status: 'returned', duration_ms: 1000, cost: 0.5, started_at },
  ...more,
});
const day = (name: string, machine: string, more: Partial<RunDay> = {}): RunDay => ({
  ...{ day: name, machine, runs: 1, failed: 0, duration_ms: 1000, cost: 0.5 },
  ...more,
});

describe('runs by day', () => {
  test('are counted by program, in the zone of the reader', () => {
    const runs = [
      run('2026-03-01T23:30:00Z'),
      run('2026-03-01T22:30:00Z', { status: 'failed', cost: null, duration_ms: null }),
      run('2026-03-01T12:00:00Z', { machine: 'b' }),
      run('2026-03-01T12:00:00Z', { machine: null }),
    ];
    expect(runDays(runs, 'UTC').map((one) => [one.day, one.machine, one.runs, one.failed, one.cost])).toEqual([
      ['2026-03-01', null, 1, 0, 0.5],
      ['2026-03-01', 'a', 2, 1, 0.5],
      ['2026-03-01', 'b', 1, 0, 0.5],
    ]);
    expect(runDays(runs.slice(0, 2), 'Europe/Vienna').map((one) => [one.day, one.duration_ms])).toEqual([
      ['2026-03-01', 0],
      ['2026-03-02', 1000],
    ]);
    expect([isZone('Asia/Kathmandu'), isZone('nowhere')]).toEqual([true, false]);
  });

  test('have bars without gaps up to today, the largest program first', () => {
    const all = [day('2026-03-01', 'a'), day('2026-03-20', 'b', { runs: 3 }), day('2026-03-20', 'a')];
    const { days, programs, highest } = dayBars(all, 'runs', '2026-03-21');
    expect([days.length, days[0], days.at(-1), highest]).toEqual([21, '2026-03-01', '2026-03-21', 4]);
    expect(programs.map(({ program, total }) => [program, total])).toEqual([
      ['b', 3],
      ['a', 2],
    ]);
    expect(programs[1]?.values.flatMap((value, at) => (value > 0 ? [days[at]] : []))).toEqual([
      '2026-03-01',
      '2026-03-20',
    ]);
  });

  test('have no program of which nothing is known', () => {
    const all = [day('2026-03-20', 'a', { cost: 0 }), day('2026-03-20', 'b')];
    expect(dayBars(all, 'money', '2026-03-20').programs.map(({ program }) => program)).toEqual(['b']);
    expect(dayBars(all.slice(0, 1), 'money', '2026-03-20').programs).toEqual([]);
  });

  test('show at least two weeks, at most ninety days, and small programs together', () => {
    expect(dayBars([], 'runs', '2026-03-21').days).toHaveLength(14);
    const all = Array.from({ length: 8 }, (_, at) => day('2026-03-20', `p${at}`, { cost: at }));
    const { days, programs } = dayBars([day('2025-01-01', 'old'), ...all], 'money', '2026-03-21');
    expect(days).toHaveLength(90);
    expect(programs.map(({ program, total }) => [program, total])).toEqual([
      ...[7, 6, 5, 4, 3].map((at) => [`p${at}`, at]),
      [null, 3],
    ]);
  });

  test('have a line for what the limits permit', () => {
    const all = [day('2026-03-01', 'a', { runs: 2 }), day('2026-03-02', 'a', { runs: 5 })];
    expect([budgetOf(all, 0.5), budgetOf(all, null), budgetOf([], 1)]).toEqual([2.5, null, null]);
  });
});

describe('the bar of a run', () => {
  const bar = (states: string[], more: object = {}) =>
    stateBar({ states, status: 'returned', ...more } as unknown as PageRun);

  test('has a part for each visit of a state, with one color for each state', () => {
    const parts = bar(['A', 'B', 'B', 'A']);
    expect(parts.map(({ name, visits, color }) => [name, visits, color])).toEqual([
      ['A', 1, 0],
      ['B', 2, 1],
      ['A', 1, 0],
    ]);
    expect(barWords(parts)).toBe('A → B ×2 → A');
  });

  test('marks the state in which the run failed, and shows the last parts of a long run', () => {
    expect(bar(['A', 'B'], { status: 'failed' }).map(({ isFailed }) => isFailed)).toEqual([false, true]);
    const long = bar(Array.from({ length: 100 }, (_, at) => `S${at}`));
    expect([long.length, long.at(-1)?.name]).toEqual([24, 'S99']);
  });

  test('shows steps where there are no states', () => {
    const steps = ['pass', 'fail', 'running'].map((status, at) => ({ path: `s${at}`, status }));
    expect(bar([], { steps }).map(({ name, isFailed }) => [name, isFailed])).toEqual([
      ['s0', false],
      ['s1', true],
      ['s2', false],
    ]);
  });
});

describe('the list', () => {
  const row = (run_id: string, status = 'returned') => ({ run_id, status }) as never;

  test('keeps older runs when its first page is read again, and drops those that were removed', () => {
    const known = [row('5'), row('4'), row('3'), row('2')];
    expect(mergeFirst(known, [row('5'), row('4')], false)).toBe(null);
    expect(mergeFirst(known, [row('6'), row('5')], false)).toEqual([row('6'), row('5'), row('4'), row('3'), row('2')]);
    expect(mergeFirst(known, [row('5'), row('3')], false)).toEqual([row('5'), row('3'), row('2')]);
    expect(mergeFirst(known, [row('5')], true)).toEqual([row('5')]);
    expect(mergeFirst(known, [row('5', 'failed'), row('4')], false)?.[0]).toEqual(row('5', 'failed'));
  });

  test('begins anew if more runs have begun than its first page has', () => {
    const known = ['5', '4'].map((id) => row(id));
    const ids = [['6', '5'], ['7', '6'], ['5', '3'], []];
    expect(
      ids.map((first) =>
        isApart(
          known,
          first.map((id) => row(id)),
        ),
      ),
    ).toEqual([false, true, false, false]);
    expect(isApart([], [row('1')])).toBe(true);
  });

  test('has the filters that the address names, and no others', () => {
    expect(queryOf({ q: 'x', status: 'failed', program: 'p', chart: 'time' })).toEqual({
      ...{ q: 'x', status: 'failed', machine: 'p' },
    });
    expect(queryOf({ status: 'odd', period: 'odd' })).toEqual({});
    expect(Date.parse(queryOf({ period: 'hour' }).since ?? '')).toBeLessThan(Date.now() - 3_500_000);
    expect([hasFilters({}), hasFilters({ chart: 'time' }), hasFilters({ q: '' })]).toEqual([false, false, true]);
  });
});

test('nothing continues a run that was skipped, and a failed one can be resumed', () => {
  const reasons = (status: string) =>
    reasonsAgainst({ status, error: null, last_seq: 3, worktree: undefined } as unknown as PageRun);
  const why = 'The run was skipped, because another run had its key.';
  expect(reasons('skipped')).toMatchObject({ signal: why, resume: why, cancel: why, replay: null });
  expect(reasons('failed')).toMatchObject({
    signal: 'The run has failed.',
    resume: null,
    cancel: 'The run has failed.',
  });
});
