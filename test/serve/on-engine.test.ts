/** The service of runs on an engine: workers execute them, and every operation works as for runs of a folder. */
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { engineClient } from '../../src/engine/client.js';
import { engineRuns } from '../../src/engine/runs/engine-runs.js';
import { engineSchedules } from '../../src/engine/runs/schedules-on-engine.js';
import { programsForEngine } from '../../src/engine/runs/start-on-engine.js';
import type { AskedAccount } from '../../src/engine/shared-object.js';
import { Scheduler, scheduledStart, startsOnEngine } from '../../src/serve/scheduler.js';
import { liveEngine, NAMESPACE } from '../engine/live-engine.js';
import { serviceOf } from './service.js';

const PROGRAMS = {
  'ask.dsl': 'INPUT: who\nDO: x = greet {who}\nASK user: "Go on?" → ok\nRETURN: {x} {ok}\n',
  'secret.dsl': 'INPUT: token (secret)\nRETURN: {token}\n',
  'fail.dsl': 'FAIL: it does not work\n',
  'wait.dsl': 'WAIT: signal GO\nRETURN: went\n',
  'functions.mjs': 'export const greet = ([who]) => "hello ".concat(who);\n',
  'statedsl.config.yaml': 'engine:\n  commands: ./functions.mjs\n',
};

async function service() {
  const on = await liveEngine({ greet: ([who]) => `hello ${who}` });
  // The functions of the engine in memory have no digest, so only what is checked here has them.
  const one = await serviceOf(PROGRAMS);
  const options = { folder: one.folder, dir: join(one.folder, '.statedsl'), on, namespace: NAMESPACE };
  const runs = engineRuns(options);
  const programs = await programsForEngine(options);
  return { ...(await serviceOf(PROGRAMS, { runs, programs, where: on, isOnEngine: true })), on, runs };
}

test('runs are started, shown, answered and ended on the engine', async () => {
  const { send, on, executions, runs } = await service();
  expect((await send('GET', '/api/v1/service')).json).toMatchObject({ where: on });
  const started = await send('POST', '/api/v1/runs', { program: 'wait.dsl' });
  expect([started.status, started.json.status, executions.queuedRuns()]).toEqual([201, 'running', []]);
  const id = started.json.run_id as string;
  expect(started.headers.get('location')).toBe(`/api/v1/runs/${id}`);
  while ((await send('GET', `/api/v1/runs/${id}`)).json.status !== 'suspended');
  expect((await send('GET', '/api/v1/runs')).json.runs).toMatchObject([{ run_id: id, status: 'suspended' }]);
  const sent = await send('POST', `/api/v1/runs/${id}/signals`, { name: 'GO' });
  expect([sent.status, sent.json.delivery]).toEqual([200, 'passed-on']);
  const events = await send('GET', `/api/v1/runs/${id}/events`);
  expect(events.text.trim().split('\n').at(-1)).toContain('"run_returned"');
  expect((await send('GET', '/api/v1/runs')).json.runs).toMatchObject([{ run_id: id, result: 'went' }]);
  const other = (await send('POST', '/api/v1/runs', { program: 'wait.dsl' })).json.run_id as string;
  expect((await send('POST', `/api/v1/runs/${other}/cancel`, {})).json).toMatchObject({ error: { kind: 'cancelled' } });
  expect((await send('POST', `/api/v1/runs/${id}/apply`)).status).toBe(422);
  const replayed = await send('POST', `/api/v1/runs/${id}/replay`, { from: 2 });
  expect([replayed.status, replayed.json.status, executions.queuedRuns()]).toEqual([201, 'running', []]);
  const again = replayed.json.run_id as string;
  expect(replayed.headers.get('location')).toBe(`/api/v1/runs/${again}`);
  while ((await send('GET', `/api/v1/runs/${again}`)).json.status !== 'suspended');
  expect((await send('POST', `/api/v1/runs/${id}/replay`, { from: 2, inputs: { a: 1 } })).status).toBe(422);
  expect((await send('POST', `/api/v1/runs/${id}/replay`, { from: 99 })).status).toBe(422);
  const gone = await failed(send);
  const rows = (await send('GET', '/api/v1/runs?status=failed')).json.runs as { run_id: string; error: string }[];
  expect(rows.find(({ run_id }) => run_id === gone)?.error).toBe('it does not work');
  const given = await send('POST', `/api/v1/runs/${gone}/resume`, { inputs: { who: 'Ann' } });
  expect([given.status, given.json.help]).toEqual([422, 'leave out `inputs`']);
  expect((await runs.list()).ok).toBe(true);
});

async function failed(send: Awaited<ReturnType<typeof service>>['send']): Promise<string> {
  const id = (await send('POST', '/api/v1/runs', { program: 'fail.dsl' })).json.run_id as string;
  while ((await send('GET', `/api/v1/runs/${id}`)).json.status !== 'failed');
  return id;
}

test('what an engine must not store is refused, and so is what has errors or missing inputs', async () => {
  const { send } = await service();
  const secret = await send('POST', '/api/v1/runs', { program: 'secret.dsl', inputs: { token: 'abc' } });
  expect([secret.status, secret.text]).toEqual([422, expect.stringContaining('the input `token` is secret')]);
  expect((await send('POST', '/api/v1/runs', { program: 'ask.dsl' })).status).toBe(422);
  const different = await send('POST', '/api/v1/runs', { program: 'ask.dsl', inputs: { who: 'Ann' } });
  expect(different.text).toContain('the functions of another `engine.commands`');
});

test('what only the store of one machine has is refused before anything starts', async () => {
  const programs = {
    'plain.dsl': 'RETURN: 1\n',
    'statedsl.config.yaml':
      'agents: { builder: { adapter: command, run: ["true"] } }\nschedules: [{ name: nightly, program: plain.dsl, cron: "0 3 * * *" }]\n',
  };
  const on = await liveEngine();
  const one = await serviceOf(programs);
  const options = { folder: one.folder, dir: join(one.folder, '.statedsl'), on, namespace: NAMESPACE };
  const runs = engineRuns(options);
  const given = { runs, programs: await programsForEngine(options), where: on, isOnEngine: true };
  const { send } = await serviceOf(programs, given);
  const refusalOf = async (body: object): Promise<string> => {
    const { status, json } = await send('POST', '/api/v1/runs', body);
    return `${status} ${json.message}: ${json.help}`;
  };
  expect(await refusalOf({ program: 'plain.dsl', on_busy: 'skip' })).toContain('422 this run has no key, ');
  expect(await refusalOf({ program: 'plain.dsl', only: 'MAIN' })).toContain('422 `only` has no effect on an engine');
  expect((await send('GET', '/api/v1/runs')).json.runs).toEqual([]);
  // No service starts them, and the page says so.
  const { status, json } = await send('GET', '/api/v1/schedules');
  expect([status, json]).toMatchObject([200, { active: false, schedules: [{ name: 'nightly', last: null }] }]);
});

test('of runs with a key one is executed at a time, and the answer says what the others do', async () => {
  const { send, runs } = await service();
  const start = async (body: object) => {
    const { json } = await send('POST', '/api/v1/runs', { program: 'wait.dsl', ...body });
    return [json.run_id as string, json.status as string] as const;
  };
  const statusOf = async (run: string) => {
    const listed = await runs.list({ key: 'deploy' });
    return listed.ok && listed.value.runs.find(({ run_id }) => run_id === run)?.status;
  };
  const [first, begun] = await start({ key: 'deploy' });
  while ((await statusOf(first)) !== 'suspended');
  const [second, waits] = await start({ key: 'deploy' });
  const [third, skipped] = await start({ key: 'deploy', on_busy: 'skip' });
  expect([begun, waits, skipped]).toEqual(['running', 'queued', 'skipped']);
  const waiting = await send('GET', `/api/v1/runs/${second}`);
  expect(waiting.json).toMatchObject({ status: 'running', seq: 0, key: 'deploy' });
  expect(waiting.json.engine).toMatchObject({ waits_for_key: { run_id: first, status: 'suspended' } });
  const outputs = await send('GET', `/api/v1/runs/${second}/audit`);
  expect(outputs.text).toContain(`has not begun: run ${first} has its key`);
  const { json } = await send('GET', `/api/v1/runs/${third}`);
  expect(json).toMatchObject({ status: 'skipped', key: 'deploy' });
  await send('POST', `/api/v1/runs/${first}/signals`, { name: 'GO' });
  while ((await statusOf(second)) !== 'suspended');
  const [fourth] = await start({ key: 'deploy', on_busy: 'cancel' });
  while ((await statusOf(fourth)) !== 'suspended');
  const shown = await send('GET', `/api/v1/runs/${second}`);
  expect(shown.json).toMatchObject({ status: 'failed', error: { kind: 'cancelled' } });
  // Its copy is a record as any other.
  expect(await runs.compare(fourth, {})).toMatchObject({ ok: true, value: { status: 'same' } });
  expect(await runs.compare(third, {})).toMatchObject({ ok: true, value: { status: 'same' } });
});

test('limits are those that the workers of the engine share', async () => {
  const { send, on } = await service();
  const client = engineClient({ url: on, namespace: NAMESPACE, token: null, patienceMs: 0 });
  expect((await send('GET', '/api/v1/limits')).json).toEqual({ limits: [], budgets: [], problems: [] });
  const account = 'claude:opus@~/.claude';
  const at = Date.now();
  const unavailable = { cause: 'usage', message: 'usage limit reached', until_ms: at + 60_000, at_ms: at } as const;
  const news = { kind: 'limit', account, id: 'x 1 1', beganMs: at, unavailable } as const;
  const asked = { account, at, asks: { kind: 'tell', news } } satisfies AskedAccount;
  await client.askShared({ kind: 'breaker', name: account }, 'account', asked);
  const listed = async () => (await send('GET', '/api/v1/limits')).json.limits as readonly unknown[];
  while ((await listed()).length === 0);
  expect(await listed()).toMatchObject([{ account, state: 'waits', until: new Date(at + 60_000).toISOString() }]);
  expect((await send('POST', '/api/v1/limits/clear', { account: 'other' })).status).toBe(404);
  expect((await send('POST', '/api/v1/limits/clear', { account: 'claude' })).json).toEqual({ cleared: [account] });
  expect(await listed()).toEqual([]);
});

test('a report of a start follows the run', async () => {
  const { runs } = await service();
  const started = await runs.start(
    { text: 'ASK user: "Go on?" → ok\nRETURN: {ok}\n' },
    { ask: () => Promise.resolve('yes'), person: 'ann' },
  );
  expect(started.ok && (await started.value.report).returned).toBe('yes');
  const local = await runs.start({ text: 'RETURN: x\n' }, { worktree: true });
  expect(local.ok || local.refusal.message).toContain('has a worktree only if all of it is executed on one machine');
});

test('services that start the same schedules start each time once, and all of them list it', async () => {
  const on = await liveEngine({}, { submitters: ['schedule nightly'] });
  const schedules = { name: 'nightly', program: 'plain.dsl', cron: '0 * * * *' };
  const folder = (
    await serviceOf({
      'plain.dsl': 'RETURN: 1\n',
      'statedsl.config.yaml': `schedules: [${JSON.stringify(schedules)}]\n`,
    })
  ).folder;
  let now = Date.parse('2030-01-01T00:30:00Z');
  const open = (at: number) => {
    const options = { folder, dir: join(folder, `copies-${at}`), on, namespace: NAMESPACE };
    const runs = engineRuns(options);
    const warn = vi.fn();
    const clock = { now: () => now, start: () => () => undefined };
    const opening = async () => {
      const start = scheduledStart(await programsForEngine(options), startsOnEngine(runs, folder), folder);
      const memory = engineSchedules(options);
      return new Scheduler({ memory, schedules: [schedules], start: start.start, warn, clock });
    };
    return { runs, warn, opening: opening() };
  };
  const services = [open(1), open(2), open(3)];
  const schedulers = await Promise.all(services.map(({ opening }) => opening));
  for (const minutes of [0, 29, 1, 0, 61, 30, 30, 1]) {
    now += minutes * 60_000;
    // Each look finds what the others have left, also in the middle of a start.
    await Promise.all(schedulers.map((one) => one.look()));
    await schedulers[0]?.look();
  }
  await Promise.all(schedulers.map((one) => one.stop()));
  for (const { runs, warn } of services) {
    expect(warn.mock.calls).toEqual([]);
    const listed = await runs.list();
    const names = listed.ok ? listed.value.runs.map(({ run_id }) => run_id) : [];
    expect(names).toHaveLength(3);
    const known = await runs.schedules();
    expect(known).toMatchObject({ ok: true, value: { active: true, schedules: [{ name: 'nightly' }] } });
    expect(known.ok && known.value.schedules[0]?.last).toMatchObject({
      due: '2030-01-01T03:00:00.000Z',
      ...{ outcome: 'started', run_id: names[0], status: 'returned' },
    });
  }
});
