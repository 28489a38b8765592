/** A run that no process executes is ended for good: what its record and its entry in the list say then. */
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { listRuns } from '../../src/runtime/list-runs.js';
import { processStat, thisOrigin } from '../../src/runtime/process/process-group.js';
import { resume } from '../../src/runtime/run/again/resume-run.js';
import { cancelStored } from '../../src/runtime/run/cancel.js';
import { deliver, openInbox } from '../../src/runtime/store/inbox.js';
import { lockRun } from '../../src/runtime/store/run-lock.js';
import { type KeptRun, keptRun, refusal } from './kept-run.js';

const WAITS = 'STATE: A\n  DO: x = work\n  UNDO: work back\n  ASK user: "Go on?" → ok\n  RETURN: {ok}';
const work = { work: async () => 'done' };

const eventsOf = ({ path }: KeptRun): RunEvent[] =>
  readFileSync(join(path, 'journal.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RunEvent);

test('its record ends with who cancelled it, and lists what a rollback would undo', async () => {
  const kept = await keptRun(WAITS, work);
  const undo = await cancelStored(kept.dir, kept.report.run_id, 'ada');
  expect(undo).toMatchObject([{ state: 'A', line: 3 }]);
  expect(eventsOf(kept).slice(-2)).toMatchObject([
    { type: 'run_cancelled', by: 'ada' },
    { type: 'run_failed', error: { kind: 'cancelled', message: expect.stringContaining('ada') } },
  ]);
  expect(listRuns(kept.dir)).toMatchObject([
    { status: 'failed', state: 'A', effects: 1, cancelled: true, error: expect.stringContaining('cancelled the run') },
  ]);
});

test('answers and signals that it had accepted and not taken are on its record', async () => {
  const kept = await keptRun(WAITS, work);
  const { run_id } = kept.report;
  deliver(kept.path, { kind: 'answer', name: 'ok@1', value: 'yes', by: 'grace' }, null);
  deliver(kept.path, { kind: 'signal', name: 'go', payload: { n: 1 }, by: 'grace' }, null);
  deliver(kept.path, { kind: 'refused', id: 'ok@1', name: 'ok', value: 'no', by: 'eve', through: 'http' }, null);
  await cancelStored(kept.dir, run_id, 'ada');
  expect(eventsOf(kept).slice(-5)).toMatchObject([
    {
      type: 'warned',
      message: 'grace had answered `ok@1` with "yes", which the run had not taken when it was cancelled',
    },
    { type: 'warned', message: expect.stringContaining('sent the signal `go` with {"n":1}') },
    { type: 'answer_refused', by: 'eve' },
    { type: 'run_cancelled', by: 'ada' },
    { type: 'run_failed' },
  ]);
  const inbox = eventsOf(kept).flatMap((event) => ('inbox' in event ? [event.inbox] : []));
  expect(inbox).toEqual([...inbox].sort((a, b) => Number(a) - Number(b)));
});

test('it is neither cancelled again nor resumed, nor is a run that has returned', async () => {
  const kept = await keptRun(WAITS, work);
  const { run_id } = kept.report;
  await cancelStored(kept.dir, run_id, 'ada');
  expect(await refusal(() => cancelStored(kept.dir, run_id, 'ada'))).toContain('was already cancelled');
  expect(await refusal(() => resume(run_id, { dir: kept.dir, env: {} }))).toContain('was cancelled');
  const over = await keptRun('RETURN: 1');
  const again = () => cancelStored(over.dir, over.report.run_id, 'ada');
  expect(await refusal(again)).toContain('has already returned');
  expect(eventsOf(over).at(-1)?.type).toBe('run_returned');
});

test('a process that begins to execute it at any moment of this is asked, too', async () => {
  let asked = 0;
  for (let moment = 0; moment < 12; moment++) {
    const kept = await keptRun(WAITS, work);
    const cancelled = cancelStored(kept.dir, kept.report.run_id, 'ada');
    for (let step = 0; step < moment; step++) await Promise.resolve();
    const attempt = lockRun(kept.path);
    const inbox = openInbox(kept.path, 0);
    const timer = setInterval(() => {
      if (!('lock' in attempt) || !inbox.take().some(({ delivery }) => delivery.kind === 'cancel')) return;
      asked++;
      attempt.lock.release();
    }, 10);
    onTestFinished(() => clearInterval(timer));
    await cancelled;
    clearInterval(timer);
    expect(eventsOf(kept).at(-1)).toMatchObject({ type: 'run_failed', error: { kind: 'cancelled' } });
  }
  expect(asked).toBeGreaterThan(1);
});

test('it may have failed before and been resumed since', async () => {
  let fails = true;
  const commands = {
    work: async () => {
      if (fails) throw new Error('not yet');
      return 'done';
    },
  };
  const kept = await keptRun(WAITS, commands);
  const { run_id } = kept.report;
  expect(kept.report.status).toBe('failed');
  expect(await refusal(() => cancelStored(kept.dir, run_id, 'ada'))).toContain('has already failed');
  fails = false;
  expect((await resume(run_id, { dir: kept.dir, commands, env: {} })).status).toBe('suspended');
  await cancelStored(kept.dir, run_id, 'ada');
  expect(listRuns(kept.dir)).toMatchObject([{ status: 'failed', cancelled: true }]);
});

test('its entry counts an effect once, however often it was tried, and no pause', async () => {
  let tries = 0;
  const commands = {
    work: async () => {
      if (++tries < 3) throw new Error('not yet');
      return 'done';
    },
  };
  const kept = await keptRun(
    'STATE: A\n  DO [retry=2]: work\n  WAIT: 1ms\n  ASK user: "Go on?" → ok\n  RETURN',
    commands,
  );
  expect([kept.report.status, kept.report.effects]).toEqual(['suspended', 1]);
  await cancelStored(kept.dir, kept.report.run_id, 'ada');
  expect(listRuns(kept.dir)).toMatchObject([{ effects: 1 }]);
});

test('secrets stay out of the end of its record', async () => {
  const text = 'INPUT: key (secret)\nSTATE: A\n  ASK user: "Go on with {key}?" → ok\n  RETURN';
  const kept = await keptRun(text, {}, { inputs: { key: 'sesame-open' } });
  await cancelStored(kept.dir, kept.report.run_id, 'ada');
  expect(eventsOf(kept).at(-1)?.type).toBe('run_failed');
  expect(readFileSync(join(kept.path, 'journal.ndjson'), 'utf8')).not.toContain('sesame');
});

describe('a lock that names a living process', () => {
  const lockFor = (kept: KeptRun, owner: object, ageMs: number): string => {
    const path = join(kept.path, 'lock.9');
    writeFileSync(path, JSON.stringify({ pid: process.ppid, startedAt: null, ...thisOrigin(), ...owner }));
    const time = new Date(Date.now() - ageMs);
    utimesSync(path, time, time);
    return path;
  };

  /** As long as processes are waited for, a look at the clock is a second later than the one before. */
  async function quickly<T>(action: () => Promise<T>, eachSecond: () => void = () => undefined): Promise<T> {
    vi.useFakeTimers({ toFake: ['Date', 'hrtime'], now: Date.now() });
    const clock = setInterval(() => {
      vi.advanceTimersByTime(1000);
      eachSecond();
    }, 5);
    try {
      return await action();
    } finally {
      clearInterval(clock);
      vi.useRealTimers();
    }
  }

  /** No process gets a signal. */
  function noSignals(): void {
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => true);
    onTestFinished(() => {
      expect(kill.mock.calls.filter(([, signal]) => signal !== 0)).toEqual([]);
      kill.mockRestore();
    });
  }

  test.each([
    ['one that got its number', { startedAt: processStat(process.ppid)?.startedAt ?? null }, 60_000],
    ['one of an unknown start', {}, 60_000],
    ['one that has just forgotten the run', {}, 3000],
    ['one of another machine that has died', { host: 'elsewhere' }, 3000],
  ])('%s does not keep the run', async (_, owner, ageMs) => {
    noSignals();
    const kept = await keptRun(WAITS, work);
    lockFor(kept, owner, ageMs);
    await quickly(() => cancelStored(kept.dir, kept.report.run_id, 'ada'));
    expect(listRuns(kept.dir)).toMatchObject([{ status: 'failed', cancelled: true }]);
  });

  test.each([
    ['here', {}, `process ${process.ppid}`, `kill ${process.ppid}`],
    ['elsewhere', { host: 'elsewhere' }, 'another container or machine (`elsewhere`)', 'end that process there'],
  ])('one that holds the run %s is named, with what to do', async (_, owner, who, next) => {
    noSignals();
    const kept = await keptRun(WAITS, work);
    const path = lockFor(kept, owner, 0);
    const beat = (): void => utimesSync(path, new Date(), new Date());
    const cancel = () => cancelStored(kept.dir, kept.report.run_id, 'ada');
    const refused = await quickly(() => cancel().catch(({ message, help }) => `${message}: ${help}`), beat);
    expect(refused).toContain(who);
    expect(refused).toContain(next);
    expect(eventsOf(kept).at(-1)?.type).not.toBe('run_failed');
  });
});
