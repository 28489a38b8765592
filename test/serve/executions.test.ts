/** What becomes of runs that the service has promised to execute, moment by moment: the processes are those of the test. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { journalLine } from '../../src/runtime/store/journal-line.js';
import { lockRun } from '../../src/runtime/store/run-lock.js';
import { executeRun } from '../../src/serve/executions/execute-run.js';
import { Executions } from '../../src/serve/executions/executions.js';
import { executionFolder, forgetWaiting, keepWaiting } from '../../src/serve/executions/waiting-list.js';

const RUN = '01975c3a-5b9e-7c2f-9d1a-3f0e6b8c4d21';
const EVENTS: Readonly<Record<string, RunEvent>> = {
  answered: { type: 'answered', effect: '1', id: 'ok', name: 'ok', value: 'yes', by: 'tester' },
  // An approval is written to the state of its plan.
  set: { type: 'state_set', path: 'state.approvals.go', value: true },
  suspended: { type: 'run_suspended', waiting: [] },
  failed: { type: 'run_failed', state: 'A', error: { kind: 'command', message: 'x' } } as never,
  entered: { type: 'state_entered', state: 'A' },
  returned: { type: 'run_returned', state: 'A', value: null },
};
/** Effects share nothing with other runs. */
const UNLIMITED = { take: () => Promise.resolve(() => undefined) };
const ABOUT = { run_id: RUN, machine: null, limits: {}, by: 'tester' };
const PROMISE = { ...ABOUT, queued_at: new Date().toISOString(), number: 0, task: { kind: 'resume' } } as const;

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
  /** Delivers something to the run. */
  const deliver = async (): Promise<void> => {
    const expected = await executions.expectDelivery(ABOUT);
    if (!expected.ok) throw new Error(expected.refusal.message);
    await executions.resumeWith([expected.value]);
  };
  /** The newest process ends, having kept its promise or not. */
  const end = async ({ kept }: { kept: boolean }): Promise<void> => {
    if (kept) forgetWaiting(directory, RUN);
    ends.at(-1)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { directory, executions, ends, end, deliver };
}

/** The folder of the run, whose record ends with these events. */
function record(directory: string, last: string): string {
  const folder = join(directory, 'runs', RUN);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'run.json'), '{}');
  const lines = last
    .split(' ')
    .map((name, at) => `${journalLine(EVENTS[name] as RunEvent, at + 1, new Date().toISOString())}\n`);
  writeFileSync(join(folder, 'journal.ndjson'), lines.join(''));
  return folder;
}

test.each([
  ['an answer', 'answered'],
  ['an approval', 'answered set'],
])('%s that comes while the process of a run is about to end continues the run afterwards', async (_, events) => {
  const { directory, executions, ends, end, deliver } = executionsOf();
  await executions.add({ ...ABOUT, task: { kind: 'resume' } });
  await deliver();
  record(directory, events);
  expect(ends).toHaveLength(1);
  await end({ kept: true });
  expect(ends).toHaveLength(2);
  await end({ kept: true });
  expect(ends).toHaveLength(2);
  expect(executions.executing).toBe(0);
});

test('a process is started when those before it execute their runs or have ended', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'statedsl-executions-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const started: { runId: string; begin: () => void; end: () => void }[] = [];
  const executions = new Executions({
    directory,
    atOnce: 2,
    startAtOnce: 1,
    start(runId) {
      let begin = (): void => undefined;
      let leave = (): void => undefined;
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const end = new Promise<void>((resolve) => {
        leave = resolve;
      });
      started.push({ runId, begin, end: leave });
      return { begun, end, interrupt: () => undefined };
    },
  });
  executions.open();
  const ids = [1, 2, 3].map((n) => `01975c3a-5b9e-7c2f-9d1a-00000000000${n}`);
  for (const run_id of ids) await executions.add({ ...ABOUT, run_id, task: { kind: 'resume' } });
  const names = (): string[] => started.map(({ runId }) => runId);
  expect(names()).toEqual(ids.slice(0, 1));
  // There is room for the second one, whose process is next.
  expect(executions.queuedRuns().map(({ status }) => status)).toEqual(['queued', 'running', 'running']);
  expect(ids.map((id) => executions.mustWait(id))).toEqual([false, false, true]);
  started[0]?.begin();
  await vi.waitFor(() => expect(names()).toEqual(ids.slice(0, 2)), 300_000);
  // It could not begin.
  forgetWaiting(directory, ids[1] as string);
  started[1]?.end();
  await vi.waitFor(() => expect(names()).toEqual(ids), 300_000);
  expect(executions.executing).toBe(2);
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
  // A process locks a run before it finds out that it cannot be resumed.
  const lock = lockRun(join(directory, 'runs', RUN));
  const decided = executions.untilDecided(RUN, new AbortController().signal);
  await end({ kept: false });
  if ('lock' in lock) lock.lock.release();
  // Until somebody reads the refusal, lists show the run as its record has it.
  expect(executions.queuedRuns()).toEqual([]);
  expect(await decided).toEqual(refusal);
  expect(executions.secretsOf(RUN)).toEqual({ a: 'geheim', b: 'old' });
  expect(executions.find(RUN)).toBeNull();
  executions.forget(RUN);
  expect(executions.secretsOf(RUN)).toEqual({});
});

test('an answer that comes while the service stops continues the run in the next service', async () => {
  const { directory, executions, ends, deliver } = executionsOf();
  await executions.stop(0);
  expect(await executions.add({ ...ABOUT, task: { kind: 'resume' } })).toMatchObject({ ok: false });
  await deliver();
  record(directory, 'answered');
  expect(ends).toHaveLength(0);
  const started: string[] = [];
  const start = (runId: string) => {
    started.push(runId);
    return { end: new Promise<void>(() => undefined), interrupt: () => undefined };
  };
  new Executions({ directory, atOnce: 1, start }).open();
  await vi.waitFor(() => expect(started).toEqual([RUN]), 300_000);
});

test.each([
  ['was recorded', 'answered', null, true],
  ['approved', 'answered set', null, true],
  ['waits in the inbox', 'suspended', '{"kind":"answer"}\n', true],
  ['was never recorded', 'suspended', null, false],
  ['was taken from the inbox', 'suspended', '                 \n', false],
  ['was the last one', 'returned', null, false],
  ['was forgotten after the run continued', 'entered', null, false],
  ['was forgotten after a plan continued', 'entered set', null, false],
])('a service that dies while it delivers: what %s', async (_, last, inbox, isContinued) => {
  const { directory, executions, ends } = executionsOf();
  // The process dies here: nothing forgets what was expected.
  expect(await executions.expectDelivery(ABOUT)).toMatchObject({ ok: true });
  const folder = record(directory, last);
  if (inbox !== null) writeFileSync(join(folder, 'inbox.ndjson'), inbox);
  executions.open();
  await vi.waitFor(() => expect(readdirSync(join(directory, 'service/deliveries'))).toEqual([]), 300_000);
  expect(ends).toHaveLength(isContinued ? 1 : 0);
  expect(executions.isExecuting(RUN)).toBe(isContinued);
});

test('a service that dies while it delivers to a run that is then removed does not bring it back', async () => {
  const { directory, executions, ends } = executionsOf();
  expect(await executions.expectDelivery(ABOUT)).toMatchObject({ ok: true });
  executions.open();
  expect(readdirSync(join(directory, 'service/deliveries'))).toEqual([]);
  expect(ends).toHaveLength(0);
  expect(executions.queuedRuns()).toEqual([]);
});

test('nothing but deliveries is removed from their folder, and a link is not followed', () => {
  const { directory, executions, ends } = executionsOf();
  const kept = join(directory, 'service/deliveries');
  const other = RUN.replace('0', '1');
  const names = ['mine.txt', `${RUN}.json`, `${RUN}.x.json`, `${RUN}.${RUN}.json.bak`].sort();
  const fill = (folder: string): void => {
    mkdirSync(join(folder, `${RUN}.${RUN}.json`), { recursive: true });
    for (const name of names) writeFileSync(join(folder, name), JSON.stringify(ABOUT));
    writeFileSync(join(folder, `${RUN}.${other}.json.new`), '{');
    // It names another run in its content.
    writeFileSync(join(folder, `${other}.${RUN}.json`), JSON.stringify(ABOUT));
    for (const text of ['{}', 'null', 'x']) writeFileSync(join(folder, `${RUN}.${RUN}.json`, text), text);
  };
  const elsewhere = join(directory, 'elsewhere');
  fill(elsewhere);
  const before = readdirSync(elsewhere);
  symlinkSync(elsewhere, kept);
  executions.open();
  expect(readdirSync(elsewhere)).toEqual(before);
  rmSync(kept);
  fill(kept);
  executions.open();
  expect(readdirSync(kept).sort()).toEqual([...names, `${RUN}.${RUN}.json`].sort());
  expect(ends).toHaveLength(0);
});

test.each(['{}', 'null', '[', '{"run_id":"other"}'])('a file of the service that holds %s is left alone', (text) => {
  const { directory, executions, ends } = executionsOf();
  mkdirSync(join(directory, 'service/deliveries'));
  record(directory, 'answered');
  const paths = [`service/deliveries/${RUN}.${RUN}.json`, `service/queue/${RUN}.json`].map((one) =>
    join(directory, one),
  );
  for (const path of paths) writeFileSync(path, text);
  executions.open();
  expect(ends).toHaveLength(0);
  for (const path of paths) expect(readFileSync(path, 'utf8')).toBe(text);
});

test('a delivery to a run that is executed is forgotten when the run continues', async () => {
  const { directory, executions, ends, end, deliver } = executionsOf();
  await executions.add({ ...ABOUT, task: { kind: 'resume' } });
  await deliver();
  await deliver();
  expect(readdirSync(join(directory, 'service/deliveries'))).toHaveLength(2);
  record(directory, 'answered');
  await end({ kept: true });
  expect(ends).toHaveLength(2);
  expect(readdirSync(join(directory, 'service/deliveries'))).toEqual([]);
});

test.each(['failed', 'suspended'])('a run that took its answer and then %s is not continued', async (last) => {
  const { directory, executions, ends, end, deliver } = executionsOf();
  await executions.add({ ...ABOUT, task: { kind: 'resume' } });
  await deliver();
  record(directory, last);
  await end({ kept: true });
  expect(ends).toHaveLength(1);
  expect(readdirSync(join(directory, 'service/deliveries'))).toEqual([]);
});

test('a run that waits for its turn when the service starts takes its answer then, and is not continued again', async () => {
  const { directory, executions, ends, end } = executionsOf();
  keepWaiting(directory, { ...PROMISE, begun: false });
  expect(await executions.expectDelivery(ABOUT)).toMatchObject({ ok: true });
  record(directory, 'answered');
  executions.open();
  expect(ends).toHaveLength(1);
  await end({ kept: true });
  expect(ends).toHaveLength(1);
  expect(readdirSync(join(directory, 'service/deliveries'))).toEqual([]);
});

test('an answer to a run that a process of an earlier service executes outlives also this service', async () => {
  const { directory, executions, deliver } = executionsOf();
  mkdirSync(executionFolder(directory, RUN), { recursive: true });
  const attempt = lockRun(executionFolder(directory, RUN));
  if ('owner' in attempt) throw new Error('nothing else holds it');
  keepWaiting(directory, { ...PROMISE, begun: true });
  executions.open();
  expect(executions.isExecuting(RUN)).toBe(true);
  await executions.stop(0);
  await deliver();
  record(directory, 'answered');
  expect(readdirSync(join(directory, 'service/deliveries'))).toHaveLength(1);
  const started: string[] = [];
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const start = (runId: string) => {
    started.push(runId);
    return { end: new Promise<void>(() => undefined), interrupt: () => undefined };
  };
  const next = new Executions({ directory, atOnce: 1, start });
  next.open();
  expect(next.isExecuting(RUN)).toBe(true);
  // The process suspends the run without having seen the answer.
  forgetWaiting(directory, RUN);
  attempt.lock.release();
  await vi.advanceTimersByTimeAsync(200);
  expect(started).toEqual([RUN]);
  expect(readdirSync(join(directory, 'service/deliveries'))).toEqual([]);
});

test('a request waits only a while for a process that does not begin its run', async () => {
  const { executions } = executionsOf();
  await executions.add({ ...ABOUT, task: { kind: 'resume' } });
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let isOver = false;
  void executions.untilBegun(RUN, new AbortController().signal).then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(29_000);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1000);
  expect(isOver).toBe(true);
});

test('an answer that finds the disk full continues the run when there is space again', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { directory, ends, deliver } = executionsOf();
  const obstacle = join(directory, 'service/queue', `${RUN}.json.new`);
  mkdirSync(obstacle);
  await deliver();
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
  const refusal = { code: 'cancelled', message: 'the run was cancelled before it began', help: null } as const;
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

test('a failed run is not tried again because its process died before it could say that it has ended', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'statedsl-executions-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  writeFileSync(join(directory, 'pay.dsl'), 'STATE: A\n  DO: echo paid >> paid && exit 3\n');
  mkdirSync(join(directory, 'service', 'queue'), { recursive: true });
  const options = { directory, programs: directory, runId: RUN, jobs: 1, permits: UNLIMITED, secret: {} };
  const start = { ...PROMISE, task: { kind: 'start', program: 'pay.dsl', inputs: {} } } as const;
  for (let process = 1; process <= 2; process++) {
    keepWaiting(directory, { ...start, begun: process > 1 });
    await executeRun({ ...options, isWanted: () => true, signal: new AbortController().signal });
    expect(readFileSync(join(directory, 'paid'), 'utf8')).toBe('paid\n');
    expect(readdirSync(join(directory, 'service', 'queue'))).toEqual([]);
  }
});
