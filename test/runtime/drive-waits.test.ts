/** How the loop of one run waits: for what is in flight, for mail, for the clock, and until it is suspended. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { compile, run } from '../../src/index.js';
import type { EffectContext } from '../../src/runtime/effect-context.js';
import { StoreError } from '../../src/runtime/store/store-error.js';
import { VirtualTime } from '../../src/runtime/virtual-time.js';
import { COMPUTES, DONE, driven, nextTurn, type Parts, type Perform, signal, typesIn } from './driven.js';

test('what came last is on disk when a run is suspended or interrupted, and a disk that fails ends the run', async () => {
  const waits = 'STATE: A\n  WAIT: signal go\n  RETURN\n';
  expect((await driven(waits)).log.slice(-2)).toEqual(['record run_suspended', 'sync']);
  const signal = AbortSignal.abort();
  expect((await driven(waits, { signal })).log.slice(-2)).toEqual(['record run_interrupted', 'sync']);
  const journal = (cause: Error) => ({ append: () => undefined, sync: () => Promise.reject(cause) });
  const failing = (cause: Error) => driven(waits, { journal: journal(cause) } as unknown as Parts);
  expect((await failing(new StoreError('disk full'))).end).toEqual({ kind: 'store-failed', message: 'disk full' });
  await expect(failing(new Error('a bug'))).rejects.toThrow('a bug');
});

test('a run that is interrupted while it computes has no checkpoint with an outcome', async () => {
  const stop = new AbortController();
  const written: number[] = [];
  const checkpoints = { due: () => false, write: () => written.push(1) };
  const perform: Perform = () => {
    stop.abort();
    return DONE;
  };
  const { events } = await driven(COMPUTES, { perform, checkpoints, signal: stop.signal } as unknown as Parts);
  expect(typesIn(events).slice(-2)).toEqual(['effect_settled', 'run_interrupted']);
  expect(written).toEqual([]);
});

/** Ends after some turns; true: it was stopped before. */
async function someTurns({ stop }: EffectContext): Promise<boolean> {
  for (let turn = 0; turn < 50 && !stop.aborted; turn++) await nextTurn();
  return stop.aborted;
}

test('a full disk and mail are noticed although they came while the loop could not be woken', async () => {
  let isFull = false;
  let wasStopped = false;
  const exceeded = { scope: 'output', limit: 1, used: 2 };
  const growth = { watch: () => undefined, exceededLimit: () => (isFull ? exceeded : null), warnings: () => [] };
  const perform: Perform = async (_, context) => {
    isFull = true;
    wasStopped = await someTurns(context);
    return DONE;
  };
  await driven('STATE: A\n  DO: a\n  RETURN\n', { growth, perform } as unknown as Parts);
  expect(wasStopped).toBe(true);
  const time = new VirtualTime(0);
  time.deliverAt(0, signal('go'));
  const { events } = await driven('STATE: A\n  DO: in PARALLEL\n    - a\n    - WAIT: signal go\n  RETURN\n', {
    time,
    perform: async (_, context) => {
      time.advance();
      await someTurns(context);
      return DONE;
    },
  });
  const ends = typesIn(events).filter((type) => /settled|signal_/.test(type));
  expect(ends).toEqual(['signal_received', 'effect_settled']);
});

/** Commands end after some turns; timers sleep. */
const sleeping =
  (time: VirtualTime, during: () => void = () => undefined): Perform =>
  async (_, context, request) => {
    if (request.kind === 'timer') {
      await time.sleep(request.until ?? 0, context.stop);
      return { kind: 'value', value: null };
    }
    during();
    await someTurns(context);
    return DONE;
  };

test('virtual time moves only when everything in flight waits for it, and a run waits for what is to come', async () => {
  const time = new VirtualTime(0);
  const seen: number[] = [];
  const perform: Perform = async (name, context, request) => {
    const outcome = await sleeping(time)(name, context, request);
    seen.push(time.now);
    return outcome;
  };
  await driven('STATE: A\n  DO: in PARALLEL\n    - a\n    - WAIT: 5s\n  RETURN\n', { time, perform });
  expect(seen).toEqual([0, 5000]);
  const later = new VirtualTime(0);
  later.deliverAt(100, signal('go'));
  const { end } = await driven('STATE: A\n  WAIT: signal go\n  RETURN\n', { time: later });
  expect([end.kind, later.now]).toEqual(['ended', 100]);
});

test('a run waits for timers that end soon enough, and is suspended for others', async () => {
  const run = async (wait: string, parts: Parts, startMs = 0, during?: (time: VirtualTime) => void) => {
    const time = new VirtualTime(startMs);
    const perform = sleeping(time, () => during?.(time));
    const { end } = await driven(`STATE: A\n${wait}\n  RETURN\n`, { time, perform, ...parts });
    return end.kind;
  };
  const pause = '  WAIT: 100s';
  expect(await run(pause, { suspendAfterMs: null })).toBe('ended');
  expect(await run(pause, { suspendAfterMs: 100_000 })).toBe('ended');
  expect(await run(pause, { suspendAfterMs: 99_999 })).toBe('suspended');
  const both = '  DO: in PARALLEL\n    - a\n    - WAIT: 100s';
  expect(await run(both, { suspendAfterMs: 50_000 })).toBe('suspended');
  expect(await run(both, { suspendAfterMs: 50_000 }, 0, (time) => time.skipTo(60_000))).toBe('ended');
  const go = '  WAIT: signal go OR timeout=10s';
  expect(await run(go, { suspendAfterMs: 0, signalUpToMs: 10_000 })).toBe('ended');
  expect(await run(go, { suspendAfterMs: 60_000, signalUpToMs: 9_999 })).toBe('suspended');
  const question = '  ASK user: "Go?" → go default=no deadline=1h';
  expect(await run(question, { suspendAfterMs: 60_000 })).toBe('suspended');
  // Virtual time passes, because no person is waited for.
  expect(await run(question, { suspendAfterMs: null })).toBe('ended');
  // Its time is up.
  expect(await run(question, { suspendAfterMs: 0 }, 3_600_000)).toBe('ended');
});

const HOUR = 3_600_000;

test.each([
  ['a wait', 'WAIT: 1s\nRETURN: 1\n'],
  ['the pause before a retry', 'DO [retry=1/1s]: flaky\nRETURN: 1\n'],
  ['a deadline', 'ASK user: "?" → go choices=yes,no default=no deadline=1s\nRETURN: {go}\n'],
])('%s is not longer when the clock is set back', async (_, text) => {
  const { machine } = compile(text, { commands: ['flaky'] });
  const clock = Date.now;
  const begun = performance.now();
  const spy = vi
    .spyOn(Date, 'now')
    .mockImplementation(() => clock() - (performance.now() - begun > 300 ? 5 * HOUR : 0));
  onTestFinished(() => spy.mockRestore());
  let tries = 0;
  const flaky = (): string => {
    if (tries++ === 0) throw new Error('not yet');
    return '';
  };
  const ask = (): Promise<null> => new Promise(() => undefined);
  const { status } = await run(machine as NonNullable<typeof machine>, {
    commands: { flaky },
    ask,
    suspendAfterMs: 20_000,
  });
  expect(status).toBe('returned');
});
