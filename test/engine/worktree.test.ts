/** Runs of an engine in worktrees of their workers: made once, committed where a replay can begin, and merged afterwards. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { folderRuns } from '../../src/app/folder/folder-runs.js';
import type { Result } from '../../src/app/result.js';
import { engineClient } from '../../src/engine/client.js';
import type { Submission } from '../../src/engine/messages.js';
import { engineRuns } from '../../src/engine/runs/engine-runs.js';
import { submissionOf } from '../../src/engine/runs/submission.js';
import { type WorkerOptions, workerHost } from '../../src/engine/worker-host.js';
import { WorkerWorktrees } from '../../src/engine/worker-worktrees.js';
import type { RunEvent } from '../../src/index.js';
import { compile, run } from '../../src/index.js';
import { compile as compileProgram } from '../../src/language/check/compile.js';
import { hostEffects } from '../../src/runtime/effects.js';
import { processStat, thisOrigin } from '../../src/runtime/process/process-group.js';
import { newRunId } from '../../src/runtime/run/run-id.js';
import { start as startProcess } from '../harness/process.js';
import { repository, type TestRepository } from '../runtime/repositories.js';
import { liveEngine, NAMESPACE } from './live-engine.js';
import { type Cut, type OpenEntry, ScriptedEngine, SERVICES } from './scripted-engine.js';

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.refusal));
  return result.value;
}

const by = { person: 'ann' } as const;
const HOME = { engine: { home: 'lab' } };

/** A client with a configuration that names a home, and a worker whose working directory is in a repository. */
async function runsOf(one: TestRepository, worker: { readonly cwd?: string } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-client-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'statedsl.config.yaml'), JSON.stringify(HOME));
  const { cwd = one.root } = worker;
  const worktrees = new WorkerWorktrees({ cwd, folder: one.store, engine: 'this' });
  const on = await liveEngine({}, { cwd, worktrees });
  const runs = engineRuns({ folder, on, namespace: NAMESPACE });
  const start = async (text: string) => {
    const started = value(await runs.start({ text }, { ...by, worktree: true }));
    return { id: started.started.run_id, report: await started.report };
  };
  return {
    folder,
    on,
    runs,
    start,
    worktrees,
    client: engineClient({ url: on, namespace: NAMESPACE, token: null, patienceMs: 300_000 }),
  };
}

const ASK = `STATE: A
  DO: echo two >> a.txt
  GOTO: B
STATE: B
  DO: echo three > b.txt
  ASK user: "Go on?" → ok
  GOTO: C with ok
STATE: C
  DO: echo {ok} > c.txt
  CHECK: at = pwd
  RETURN: {at}
`;

test('a run works in a worktree of its worker, and its changes are merged where that is', async () => {
  const one = repository({ 'a.txt': 'one\n' });
  const before = one.look();
  const { runs, start, worktrees } = await runsOf(one);
  const { id, report } = await start(ASK);
  expect(report).toMatchObject({ status: 'suspended', worktree: { branch: `statedsl/${id}`, changed: true } });
  expect(value(await runs.inspect(id))).toMatchObject({ worktree: { branch: `statedsl/${id}` } });
  expect(value(await runs.list()).runs).toMatchObject([{ run_id: id, branch: `statedsl/${id}` }]);
  value(await runs.answer(id, { ok: 'yes' }, { by: 'ann' }));
  for (let left = 500; value(await runs.list()).runs[0]?.status !== 'returned' && left > 0; left--)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(value(await runs.inspect(id))).toMatchObject({
    status: 'returned',
    returned: join(one.store, 'worktrees', id),
  });
  expect(one.look()).toEqual(before);
  const labels = one.git('log', '--reverse', '--format=%s', `main..statedsl/${id}`).trim().split('\n');
  expect(labels).toEqual(['before B', 'before C', 'end of the run']);
  expect(value(await runs.compare(id))).toMatchObject({ status: 'same' });

  // From the state before the question: the new run has the files of then.
  const again = value(await runs.replay(id, { state: 'B', entry: 1 }, by));
  expect((await again.report).worktree).toMatchObject({ branch: `statedsl/${again.started.run_id}` });
  const { directory = '' } = (await again.report).worktree ?? {};
  expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  expect(existsSync(join(directory, 'c.txt'))).toBe(false);

  const elsewhere = repository({ 'x.txt': '' });
  expect(await runs.apply(id, { cwd: elsewhere.root })).toMatchObject({ ok: false, refusal: { code: 'not-applied' } });
  expect(value(await runs.apply(null, { cwd: one.root, by: 'ann' }))).toMatchObject({ status: 'applied', run_id: id });
  expect(one.git('show', 'main:c.txt')).toBe('yes\n');
  expect(existsSync(join(one.store, 'worktrees', id))).toBe(false);

  // Those of runs that the engine no longer has go, unless they have work that is nowhere else.
  expect(await worktrees.removeGone(async () => true)).toEqual([]);
  one.git('merge', '-q', `statedsl/${again.started.run_id}`);
  expect(await worktrees.removeGone(async () => true)).toEqual([]);
  rmSync(join(directory, 'b.txt'));
  expect(await worktrees.removeGone(async () => false)).toEqual([]);
  expect(await worktrees.removeGone(async () => true)).toEqual([again.started.run_id]);
});

test('a store with the folder of a worker leaves its worktrees alone', async () => {
  const one = repository();
  const { start } = await runsOf(one);
  const { report } = await start('ASK user: "Go on?" → ok\n');
  const { directory = '' } = report.worktree ?? {};
  const old = new Date(Date.now() - 7_200_000);
  for (const path of [directory, `${directory}.json`]) utimesSync(path, old, old);
  const store = folderRuns({ folder: one.root, dir: one.store });
  expect(value(await store.remove({ keepLast: 0, all: true }))).toMatchObject({ removed: [], worktrees: [] });
  expect(existsSync(directory)).toBe(true);
});

test('a run that is refused when it is resumed is shown, and continues once it can', async () => {
  const one = repository({ 'a.txt': 'one\n' });
  const { runs, start } = await runsOf(one);
  const { id, report } = await start('DO: echo two >> a.txt\nDO: x = cat ready.txt\nRETURN: {x}\n');
  expect(report.error?.kind).toBe('tool_failure');
  const moved = join(one.store, 'worktrees', `${id}.moved`);
  const record = join(one.store, 'worktrees', `${id}.json`);
  const branch = one.git('rev-parse', `statedsl/${id}`).trim();
  const directory = report.worktree?.directory ?? '';
  renameSync(directory, moved);
  one.git('update-ref', '-d', `refs/heads/statedsl/${id}`);
  const resumed = value(await runs.resume(id, by));
  expect((await resumed.report).error).toMatchObject({ kind: 'refused', message: expect.stringContaining('are gone') });
  expect(value(await runs.inspect(id))).toMatchObject({ status: 'failed', error: { kind: 'refused' } });
  expect(value(await runs.compare(id))).toMatchObject({ status: 'same' });
  expect(existsSync(record)).toBe(true);
  one.git('update-ref', `refs/heads/statedsl/${id}`, branch);
  renameSync(moved, directory);
  writeFileSync(join(directory, 'ready.txt'), 'ready\n');
  const again = value(await runs.resume(id, by));
  expect(await again.report).toMatchObject({ status: 'returned', returned: 'ready' });
  expect(value(await runs.compare(id))).toMatchObject({ status: 'same' });
  expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
});

test('a run that is executed is not applied', async () => {
  const one = repository();
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-client-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'statedsl.config.yaml'), JSON.stringify(HOME));
  const worktrees = new WorkerWorktrees({ cwd: one.root, folder: one.store, engine: 'this' });
  const runs = engineRuns({ folder, on: await liveEngine({}, { cwd: one.root, worktrees }), namespace: NAMESPACE });
  const { started, report } = value(await runs.start({ text: 'DO: sleep 1\n' }, { ...by, worktree: true }));
  expect(await runs.apply(started.run_id, { cwd: one.root })).toMatchObject({
    ok: false,
    refusal: { code: 'unfinished', help: 'wait until it ends' },
  });
  await report;
});

test('the copy of a run is applied as the run is', async () => {
  const one = repository({ 'a.txt': 'one\n' });
  const { runs, start, folder } = await runsOf(one);
  const { id } = await start('DO: echo two >> a.txt\n');
  value(await runs.inspect(id));
  expect(value(await folderRuns({ folder }).apply(id, { cwd: one.root }))).toMatchObject({ status: 'applied' });
  expect(existsSync(join(one.store, 'worktrees', id))).toBe(false);
});

test('work that was fetched into another repository stays where it was done', async () => {
  const one = repository({ 'a.txt': 'one\n' });
  const { runs, start } = await runsOf(one);
  const { id } = await start('DO: echo two >> a.txt\n');
  const clone = mkdtempSync(join(tmpdir(), 'statedsl-clone-'));
  onTestFinished(() => rmSync(clone, { recursive: true, force: true }));
  one.git('clone', '-q', one.root, clone);
  const refused = await runs.apply(id, { cwd: clone });
  const fetching = `git fetch ${join(one.root, '.git')} statedsl/${id}:statedsl/${id}`;
  expect(refused).toMatchObject({ ok: false, refusal: { help: expect.stringContaining(fetching) } });
  one.git('-C', clone, 'fetch', '-q', join(one.root, '.git'), `statedsl/${id}:statedsl/${id}`);
  expect(value(await runs.apply(id, { cwd: clone }))).toMatchObject({ status: 'applied' });
  expect(value(await runs.apply(id, { cwd: clone }))).toMatchObject({ status: 'contained' });
  expect(existsSync(join(one.store, 'worktrees', id))).toBe(true);
  expect(value(await runs.apply(id, { cwd: one.root }))).toMatchObject({ status: 'applied', files: ['a.txt'] });
  expect(value(await runs.apply(id, { cwd: one.root }))).toMatchObject({ status: 'contained' });
  expect(existsSync(join(one.store, 'worktrees', id))).toBe(false);
});

test('worktrees of runs that the engine no longer has are removed, if the engine is the same', async () => {
  const one = repository();
  const { start, worktrees } = await runsOf(one);
  const { id } = await start('DO: true\n');
  const other = new WorkerWorktrees({ cwd: one.root, folder: one.store, engine: 'another' });
  expect(await other.removeGone(async () => true)).toEqual([]);
  expect(await worktrees.removeGone(async (runId) => runId === id)).toEqual([id]);
  expect(one.git('branch', '--list', 'statedsl/*')).toBe('');
});

test('what prevents a worktree ends the run at once, with a reason', async () => {
  const one = repository();
  const { start, runs } = await runsOf(one);
  one.write({ dirty: '' });
  const { id, report } = await start('DO: true\n');
  expect(report).toMatchObject({ status: 'failed', effects: 0 });
  expect(report.error?.message).toMatch(/^the worker cannot make the worktree of run `.*`: `dirty` is not committed; /);
  expect(value(await runs.compare(id))).toMatchObject({ status: 'same' });
  const shown = value(await runs.inspect(id));
  expect(shown).toMatchObject({ status: 'failed', effects: 0, error: { kind: 'refused', state: 'MAIN' } });
  expect(await runs.resume(id, by)).toMatchObject({
    ok: false,
    refusal: { message: expect.stringContaining('its worker could not make its worktree') },
  });
  expect(await runs.apply(id, { cwd: one.root })).toMatchObject({ ok: false, refusal: { code: 'wrong-use' } });
  const nowhere = mkdtempSync(join(tmpdir(), 'statedsl-worker-'));
  onTestFinished(() => rmSync(nowhere, { recursive: true, force: true }));
  const outside = await runsOf(one, { cwd: nowhere });
  expect((await outside.start('DO: true\n')).report.error?.message).toContain('is not in a git repository');
  const without = await liveEngine({}, { knows: async () => true });
  const plain = engineRuns({ folder: outside.folder, on: without, namespace: NAMESPACE });
  const refused = value(await plain.start({ text: 'DO: true\n' }, { ...by, worktree: true }));
  expect((await refused.report).error?.message).toContain('for which its worker has no folder');
});

test('the configuration asks for a worktree only together with a home', async () => {
  const one = repository();
  const { folder, runs } = await runsOf(one);
  const reportOf = async (configuration: object) => {
    writeFileSync(join(folder, 'statedsl.config.yaml'), JSON.stringify(configuration));
    const started = value(await runs.start({ text: 'DO: true\n' }, by));
    return started.report;
  };
  expect((await reportOf({ ...HOME, defaults: { worktree: true } })).worktree).toMatchObject({ changed: false });
  expect((await reportOf(HOME)).worktree).toBeUndefined();
  expect((await reportOf({ defaults: { worktree: true } })).worktree).toBeUndefined();
});

test('a folder of the worker that came with the repository is not used', async () => {
  const one = repository({ 'neighbor/a.txt': '' });
  mkdirSync(one.store, { recursive: true });
  symlinkSync('../neighbor', join(one.store, 'worktrees'));
  const { start } = await runsOf(one);
  const { report } = await start('DO: true\n');
  expect(report.error).toMatchObject({ kind: 'refused', message: expect.stringContaining('symbolic link') });
});

test('what a person changes while the run waits belongs to its work, as without an engine', async () => {
  const one = repository({ 'a.txt': 'one\n' });
  const { runs, start } = await runsOf(one);
  const { id, report } = await start('DO: echo two >> a.txt\nASK user: "Go on?" → ok\nRETURN: {ok}\n');
  writeFileSync(join(report.worktree?.directory ?? '', 'by-hand.txt'), 'by hand\n');
  value(await runs.answer(id, { ok: 'yes' }, { by: 'ann' }));
  for (let left = 500; value(await runs.list()).runs[0]?.status !== 'returned' && left > 0; left--)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(one.git('show', `statedsl/${id}:by-hand.txt`)).toBe('by hand\n');
});

test('of workers that share a folder, the one that continues a turn knows what the other one did', async () => {
  const one = repository({ 'a.txt': 'one\n' });
  const [first, second] = ['first', 'second'].map(
    () => new WorkerWorktrees({ cwd: one.root, folder: one.store, engine: 'this' }),
  ) as [WorkerWorktrees, WorkerWorktrees];
  const runId = newRunId();
  await first.begin({ runId, turn: 1, wanted: {} });
  const directory = (await first.of(runId))?.main.cwd ?? '';
  await first.end(runId, 'continues');
  // It begins the next turn, makes a commit, and dies while a command works.
  await second.begin({ runId, turn: 2, wanted: {} });
  const leave = await (await second.of(runId))?.enter(directory, { kind: 'shell', effect: '1', attempt: 1 });
  writeFileSync(join(directory, 'a.txt'), 'two\n');
  leave?.();
  expect(await second.keepPoint(runId, 'before B')).not.toBeNull();
  writeFileSync(join(directory, 'a.txt'), 'three\n');
  await first.end(runId, 'returned');
  expect(one.git('log', '--reverse', '--format=%s', `main..statedsl/${runId}`)).toBe('before B\nend of the run\n');
  expect(one.git('show', `statedsl/${runId}:a.txt`)).toBe('three\n');
});

test('who continues a turn first stops what a killed worker left running in the worktree', async () => {
  const one = repository();
  const [first, second] = ['first', 'second'].map(
    () => new WorkerWorktrees({ cwd: one.root, folder: one.store, engine: 'this' }),
  ) as [WorkerWorktrees, WorkerWorktrees];
  const runId = newRunId();
  await first.begin({ runId, turn: 1, wanted: {} });
  const worker = startProcess('sleep', ['60']);
  const command = startProcess('sleep', ['60'], { detached: true });
  onTestFinished(() => {
    worker.kill('SIGKILL');
    command.kill('SIGKILL');
  });
  const factsOf = (pid: number) => ({ pid, startedAt: processStat(pid)?.startedAt });
  const lines = [
    { ...thisOrigin(), ...factsOf(worker.pid) },
    { effect: '1', group: command.pid, ...factsOf(command.pid) },
  ];
  mkdirSync(one.store, { recursive: true });
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  writeFileSync(join(one.store, `processes-${worker.pid}.ndjson`), text);
  await second.of(runId);
  expect(processStat(command.pid)).not.toBeNull();
  worker.kill('SIGKILL');
  await worker.end;
  await first.of(runId);
  expect((await command.end).code).toBe(null);
});

test('only a run with a home has a worktree', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-client-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const runs = engineRuns({ folder, on: await liveEngine(), namespace: NAMESPACE });
  expect(await runs.start({ text: 'RETURN\n' }, { ...by, worktree: true })).toMatchObject({
    ok: false,
    refusal: { code: 'wrong-use', help: expect.stringContaining('--home NAME') },
  });
  const { report, started } = value(await runs.start({ text: 'RETURN\n' }, by));
  await report;
  expect(await runs.apply(started.run_id, { cwd: folder })).toMatchObject({
    ok: false,
    refusal: { code: 'wrong-use' },
  });
});

/** An agent that appends, so that executing it twice would be seen. */
const APPEND = { adapter: 'command', run: ['sh', '-c', 'echo line >> log.txt; cat log.txt | wc -l'] } as const;
const WORK = `STATE: A
  DO: echo two >> a.txt
  GOTO: B
STATE: B
  DO: Task(append) "go"
  GOTO: C
STATE: C
  DO: in PARALLEL
    - echo x > x.txt
    - echo y > y.txt
  DO: m = Task(append) "again"
  RETURN: {m}
`;
const AGENTS = { agents: { append: APPEND }, folder: null, instead: {} };

/** The events of a run without what differs from run to run. */
function shapeOf(events: readonly RunEvent[]): unknown[] {
  return events.map((event) => {
    const { type } = event;
    return 'state' in event && type === 'state_entered' ? [type, event.state] : type;
  });
}

/** Executes the program on an engine in memory. At the cut the process dies, and another one continues. */
async function onEngine(one: TestRepository, cut: Cut | null, next: Partial<WorkerOptions> = {}) {
  const { machine } = compileProgram(WORK, { name: 'work.dsl' });
  if (machine === null) throw new Error('it does not compile');
  const submission = value<Submission>(
    await submissionOf({
      ...{ machine, options: { cwd: one.root, jobs: 2 }, functions: null, engine: { home: 'lab' } },
      ...{ worktree: true, by: 'ann', isEncrypted: false },
    }),
  );
  const { runId } = submission.header;
  const processes: ReturnType<typeof workerHost>[] = [];
  const newHost = (more: Partial<WorkerOptions> = {}) => {
    const host = workerHost({
      services: SERVICES,
      client: { about: async () => submission, store: async () => undefined, artifact: async () => null },
      effects: hostEffects({ agents: AGENTS }),
      cwd: one.root,
      worktrees: new WorkerWorktrees({ cwd: one.root, folder: one.store, engine: 'this' }),
      secrets: [],
      environment: {},
      knows: async () => true,
      ...more,
    });
    processes.push(host);
    return host;
  };
  const world = {
    now: Date.now(),
    ended: () => undefined,
    next: async (open: readonly OpenEntry[]) => open.find(({ kind }) => kind === 'run') as OpenEntry,
  };
  const engine = new ScriptedEngine(world, newHost(), cut, () => newHost(next));
  await engine.call(runId, 'submit', submission);
  await engine.deliverAll();
  const { lines } = await engine.call<{ lines: readonly string[] }>(runId, 'events', { from: 1 });
  for (const host of processes) await host.close();
  const events = lines.map((line) => JSON.parse(line) as RunEvent);
  const tree = one.git('rev-parse', `statedsl/${runId}^{tree}`).trim();
  return { events: shapeOf(events), tree, last: events.at(-1), operations: engine.operations, cuts: engine.cuts };
}

test('a run in a worktree has the events and the files of one without an engine, wherever its worker dies', async () => {
  const one = repository({ 'a.txt': 'one\n' });
  const { machine } = compile(WORK, { name: 'work.dsl' });
  if (machine === null) throw new Error('it does not compile');
  const events: RunEvent[] = [];
  const onEvent = (event: RunEvent): void => void events.push(event);
  const options = { cwd: one.root, dir: one.store, jobs: 2, worktree: true, agents: AGENTS, onEvent };
  const { worktree, status, returned } = await run(machine, options);
  expect([status, returned]).toEqual(['returned', '2']);
  const tree = one.git('rev-parse', `${worktree?.branch}^{tree}`).trim();
  const undisturbed = await onEngine(one, null);
  expect(undisturbed).toMatchObject({ events: shapeOf(events), tree, cuts: 0 });
  // Every third one, since each starts git dozens of times.
  let cuts = 0;
  for (let after = 1; after < undisturbed.operations; after += 3) {
    const disturbed = await onEngine(one, { after, during: after % 2 === 0 });
    expect({ after, ...disturbed }).toMatchObject({ events: undisturbed.events, tree });
    cuts += disturbed.cuts;
  }
  expect(cuts).toBeGreaterThan(3);
});

test('a worker that cannot continue a turn, because it does not have the worktree, says so once', async () => {
  const one = repository({ 'a.txt': 'one\n' });
  const said: string[] = [];
  const options = { cwd: one.root, folder: join(one.root, 'elsewhere'), engine: 'this' };
  const next = { worktrees: new WorkerWorktrees(options), warn: (message: string) => void said.push(message) };
  const refused = onEngine(one, { after: 5, during: false }, next);
  await expect(refused).rejects.toThrow('needs its worktree, which is not in');
  expect(said).toEqual([expect.stringContaining('start the worker again that made it')]);
});
