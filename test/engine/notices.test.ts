/** Notices of runs on an engine: each goes to every receiver, and one sender at a time has it. */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { NoticeCounts, SettledNotice, TakenNotices, TakingNotices } from '../../src/engine/notice-object.js';
import { noticeOfReport } from '../../src/engine/notice-object.js';
import { engineRuns } from '../../src/engine/runs/engine-runs.js';
import { openEngineNotices } from '../../src/engine/runs/notices-on-engine.js';
import type { TurnHost } from '../../src/engine/turn-host.js';
import type { Notice } from '../../src/runtime/notifications/notices.js';
import { emptyReport } from '../../src/runtime/run/run-report.js';
import { longTest } from '../amount.js';
import { liveEngine, NAMESPACE } from './live-engine.js';
import { ScriptedEngine } from './scripted-engine.js';

const RUN = '01900000-0000-7000-8000-000000000001';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

function notices() {
  const state = { now: 1_000_000 };
  const world = {
    get now() {
      return state.now;
    },
    ended: () => undefined,
    next: () => Promise.reject(new Error('no turn is executed')),
  };
  const engine = new ScriptedEngine(world, {} as TurnHost);
  const call = <T>(handler: 'expect' | 'addNotice' | 'take' | 'settle' | 'counts', message: unknown): Promise<T> =>
    engine.call<T>('all', handler, message);
  let number = 0;
  return {
    state,
    expect: (...targets: string[]) => call<void>('expect', targets),
    happens: () => call<void>('addNotice', { id: `${RUN}.${++number}`, run_id: RUN, status: 'failed' } as Notice),
    take: (wants: TakingNotices['wants'], isAll?: boolean) =>
      call<TakenNotices>('take', { wants, ...(isAll === undefined ? {} : { isAll }) }),
    settle: (...settled: SettledNotice[]) => call<readonly number[]>('settle', settled),
    counts: (...targets: string[]) => call<NoticeCounts>('counts', { targets, now: state.now }),
  };
}

test('each receiver gets what happens after it was named, and one sender at a time has it', async () => {
  const all = notices();
  await all.happens();
  await all.expect('a');
  await all.happens();
  await all.expect('b');
  await all.happens();
  expect([await all.counts('a'), await all.counts('b')]).toEqual([
    { waiting: 2, due: 2 },
    { waiting: 1, due: 1 },
  ]);
  const { notices: taken } = await all.take({ a: 4, b: 4 });
  expect(taken.map(({ target, notice }) => `${target} ${notice.id.slice(-1)}`)).toEqual(['a 2', 'a 3', 'b 3']);
  // Another service gets nothing, also if it wants what has to wait.
  expect((await all.take({ a: 4, b: 4 }, true)).notices).toEqual([]);
  await all.settle(...taken.map(({ number }) => ({ number, isReceived: true })));
  expect(await all.counts('a', 'b')).toEqual({ waiting: 0, due: 0 });
});

test('a notice that its sender does not settle is for the next one, with the same id', async () => {
  const all = notices();
  await all.expect('a');
  await all.happens();
  const [first] = (await all.take({ a: 1 })).notices;
  all.state.now += MINUTE - 1;
  expect((await all.take({ a: 1 })).notices).toEqual([]);
  all.state.now += 1;
  const [second] = (await all.take({ a: 1 })).notices;
  expect(second).toEqual(first);
});

test('a notice that is not received is tried again after longer and longer pauses, for a day', async () => {
  const all = notices();
  await all.expect('a');
  await all.happens();
  const begun = all.state.now;
  const pauses: number[] = [];
  for (let last = begun, givenUp: readonly number[] = []; givenUp.length === 0; ) {
    const [taken] = (await all.take({ a: 1 })).notices;
    if (taken === undefined) {
      all.state.now += 1000;
      continue;
    }
    pauses.push((all.state.now - last) / 1000);
    last = all.state.now;
    givenUp = await all.settle({ number: taken.number, isReceived: false });
  }
  expect(pauses.slice(0, 6)).toEqual([0, 1, 2, 4, 8, 16]);
  expect(all.state.now - begun).toBe(DAY);
  expect(await all.counts('a')).toEqual({ waiting: 0, due: 0 });
});

test('a flush takes what has to wait; a receiver that nobody names any more gets nothing', async () => {
  const all = notices();
  await all.expect('a');
  await all.happens();
  const [taken] = (await all.take({ a: 1 })).notices;
  await all.settle({ number: taken?.number ?? 0, isReceived: false });
  expect((await all.take({ a: 1 })).notices).toEqual([]);
  expect((await all.take({ a: 1 }, true)).notices).toMatchObject([{ tries: 1 }]);
  all.state.now += 8 * DAY;
  const { waiting } = await all.counts('a');
  await all.happens();
  expect((await all.counts('a')).waiting).toBe(waiting);
});

longTest('of too many that wait the oldest are dropped, and that is said once', async () => {
  const all = notices();
  await all.expect('a');
  for (let count = 0; count < 2003; count++) await all.happens();
  const { notices: taken, lost } = await all.take({ a: 1 });
  expect([taken[0]?.notice.id, lost]).toEqual([`${RUN}.4`, 3]);
  expect((await all.take({ a: 1 })).lost).toBe(0);
});

test('a run that only waits for the clock, and one that was skipped, is no news', () => {
  const of = (status: 'suspended' | 'skipped' | 'failed', kind?: 'time' | 'signal') =>
    noticeOfReport(
      { ...emptyReport(RUN, 'flow', status), waiting: kind === undefined ? [] : [{ kind }] } as never,
      'Flow',
      '2030-01-01T00:00:00.000Z',
    );
  expect([of('skipped'), of('suspended', 'time')]).toEqual([null, null]);
  expect(of('failed')).toEqual({
    ...{ id: `${RUN}.1893456000000`, run_id: RUN, status: 'failed', machine: 'flow', title: 'Flow' },
    at: '2030-01-01T00:00:00.000Z',
  });
  expect(of('suspended', 'signal')).toMatchObject({ status: 'suspended', waiting: [{ kind: 'signal' }] });
});

longTest(
  'services of one engine send each notice once, and what a receiver refuses stays with the engine',
  async () => {
    const on = await liveEngine();
    const target = { url: 'http://127.0.0.1:1/hook' };
    const received: string[] = [];
    const state = { refuses: true };
    const open = () => {
      const send = async (_: unknown, { status, run_id }: Notice): Promise<string | null> => {
        if (state.refuses) return 'it refuses';
        received.push(`${status} ${run_id}`);
        return null;
      };
      const refused = vi.fn();
      const one = openEngineNotices({ on, namespace: NAMESPACE }, { targets: [target], send, warn: refused });
      onTestFinished(() => one.stop());
      return one;
    };
    const runs = engineRuns({ on, namespace: NAMESPACE });
    const first = open();
    const start = async (text: string): Promise<string> => {
      const started = await runs.start({ text }, { person: 'ann' });
      if (!started.ok) throw new Error(started.refusal.message);
      await started.value.report;
      return started.value.started.run_id;
    };
    while (first.waiting() === 0) await start('RETURN: 1\n');
    await first.stop();
    state.refuses = false;
    const services = [open(), open(), open()];
    const failed = await start('FAIL: no\n');
    const asks = await start('ASK user: "Go on?" → ok\nRETURN: {ok}\n');
    while (![`failed ${failed}`, `suspended ${asks}`].every((one) => received.includes(one)))
      await new Promise((resolve) => setTimeout(resolve, 50));
    await Promise.all(services.map((one) => one.stop()));
    expect(new Set(received).size).toBe(received.length);
    // The clock of this engine stands still, so that what was refused waits for ever.
    expect(services.map((one) => one.waiting() > 0)).toEqual([true, true, true]);
  },
);
