/** What becomes of runs that the service has promised to execute, moment by moment: the processes are those of the test. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Executions } from '../../src/serve/executions/executions.js';
import { forgetWaiting, keepWaiting } from '../../src/serve/executions/waiting-list.js';

const RUN = '01975c3a-5b9e-7c2f-9d1a-3f0e6b8c4d21';
const ABOUT = { run_id: RUN, machine: null, limits: {}, by: 'tester' };

function executionsOf() {
  const directory = mkdtempSync(join(tmpdir(), 'statedsl-executions-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const ends: (() => void)[] = [];
  const executions = new Executions({
    directory,
    atOnce: 1,
    start: () => ({ end: new Promise((resolve) => ends.push(resolve)), interrupt: () => undefined }),
  });
  executions.open();
  /** The newest process ends, having kept its promise or not. */
  const end = async ({ kept }: { kept: boolean }): Promise<void> => {
    if (kept) forgetWaiting(directory, RUN);
    ends.at(-1)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { directory, executions, ends, end };
}

test('an answer that comes while the process of a run is about to end continues the run afterwards', async () => {
  const { executions, ends, end } = executionsOf();
  await executions.add({ ...ABOUT, task: { kind: 'resume' } });
  await executions.resumeWith(ABOUT);
  expect(ends).toHaveLength(1);
  await end({ kept: true });
  expect(ends).toHaveLength(2);
  await end({ kept: true });
  expect(ends).toHaveLength(2);
  expect(executions.executing).toBe(0);
});

test('a run on record keeps its secrets when it is refused to be resumed', async () => {
  const { directory, executions, end } = executionsOf();
  const starts = async (secret: Record<string, string>): Promise<void> =>
    void (await executions.add({ ...ABOUT, task: { kind: 'resume' } }, secret));
  await starts({ a: 'geheim', b: 'old' });
  await end({ kept: true });
  mkdirSync(join(directory, 'runs', RUN), { recursive: true });
  writeFileSync(join(directory, 'runs', RUN, 'run.json'), '{}');
  await starts({ b: 'new' });
  const refusal = { code: 'conflict', message: 'not now', help: null } as const;
  const queued_at = new Date().toISOString();
  keepWaiting(directory, { ...ABOUT, queued_at, number: 9, task: { kind: 'resume' }, begun: true, refusal });
  await end({ kept: false });
  expect(await executions.untilDecided(RUN, new AbortController().signal)).toEqual(refusal);
  expect(executions.secretsOf(RUN)).toEqual({ a: 'geheim', b: 'old' });
  expect(executions.find(RUN)).toBeNull();
  executions.forget(RUN);
  expect(executions.secretsOf(RUN)).toEqual({});
});

test('an answer that comes while the service stops continues the run in the next service', async () => {
  const { directory, executions, ends } = executionsOf();
  await executions.stop(0);
  expect(await executions.add({ ...ABOUT, task: { kind: 'resume' } })).toMatchObject({ ok: false });
  await executions.resumeWith(ABOUT);
  expect(ends).toHaveLength(0);
  const started: string[] = [];
  const start = (runId: string) => {
    started.push(runId);
    return { end: new Promise<void>(() => undefined), interrupt: () => undefined };
  };
  new Executions({ directory, atOnce: 1, start }).open();
  expect(started).toEqual([RUN]);
});

test('an answer that finds the disk full continues the run when there is space again', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { directory, executions, ends } = executionsOf();
  const obstacle = join(directory, 'service/queue', `${RUN}.json.new`);
  mkdirSync(obstacle);
  await executions.resumeWith(ABOUT);
  expect(ends).toHaveLength(0);
  rmSync(obstacle, { recursive: true });
  await vi.advanceTimersByTimeAsync(1000);
  expect(ends).toHaveLength(1);
});

test('a process that dies is started again, but not for ever', async () => {
  const { directory, executions, ends, end } = executionsOf();
  await executions.add({ ...ABOUT, task: { kind: 'resume' } });
  for (let starts = 1; starts <= 5; starts++) {
    expect(ends).toHaveLength(starts);
    await end({ kept: false });
  }
  expect(ends).toHaveLength(5);
  expect(executions.queuedRuns()).toMatchObject([{ run_id: RUN, status: 'failed', error: { kind: 'unusable' } }]);
  expect(readdirSync(join(directory, 'service/queue'))).toEqual([`${RUN}.json`]);
});

test('a disk that takes nothing neither ends the service nor loses a run', async () => {
  const { directory, executions, ends } = executionsOf();
  // In the way of the file that is written first.
  const obstacle = join(directory, 'service/queue', `${RUN}.json.new`);
  mkdirSync(obstacle);
  expect(await executions.add({ ...ABOUT, task: { kind: 'resume' } })).toMatchObject({ refusal: { code: 'store' } });
  expect(ends).toHaveLength(0);
  rmSync(obstacle, { recursive: true });
  expect(await executions.add({ ...ABOUT, task: { kind: 'resume' } })).toMatchObject({ ok: true });
  expect(ends).toHaveLength(1);
});

test('a run that could not begin is forgotten after a week', () => {
  const { directory, executions } = executionsOf();
  const refusal = { code: 'cancelled', message: 'the run was canceled before it began', help: null } as const;
  const DAY = 24 * 60 * 60 * 1000;
  const [old, recent] = [RUN, RUN.replace('0', '1')];
  for (const [run_id, days] of [
    [old, 8],
    [recent, 6],
  ] as const) {
    const queued_at = new Date(Date.now() - days * DAY).toISOString();
    keepWaiting(directory, { ...ABOUT, run_id, queued_at, number: 0, task: { kind: 'resume' }, begun: false, refusal });
  }
  executions.open();
  expect(executions.queuedRuns()).toMatchObject([{ run_id: recent, status: 'failed' }]);
  expect(readdirSync(join(directory, 'service/queue'))).toEqual([`${recent}.json`]);
});

test('a run that could not be begun on a full disk is begun when there is space again', () => {
  const { directory, executions, ends } = executionsOf();
  const queued_at = new Date().toISOString();
  keepWaiting(directory, { ...ABOUT, queued_at, number: 0, task: { kind: 'resume' }, begun: false });
  const obstacle = join(directory, 'service/queue', `${RUN}.json.new`);
  mkdirSync(obstacle);
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  executions.open();
  vi.advanceTimersByTime(5000);
  expect(ends).toHaveLength(0);
  expect(executions.queuedRuns()).toMatchObject([{ run_id: RUN, status: 'queued' }]);
  rmSync(obstacle, { recursive: true });
  vi.advanceTimersByTime(1000);
  expect(ends).toHaveLength(1);
});
