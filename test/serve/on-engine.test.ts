/** The service of runs on an engine: workers execute them, and every operation works as for runs of a folder. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { engineRuns } from '../../src/engine/runs/engine-runs.js';
import { programsForEngine } from '../../src/engine/runs/start-on-engine.js';
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
    'key.dsl': 'KEY: deploy\nRETURN: 1\n',
    'memo.dsl': 'DO [memo]: x = echo 1\nRETURN: {x}\n',
    'step.dsl': 'STEP: edit memo=yes\n  AGENT: builder\n  PROMPT: "do it"\nRETURN: ok\n',
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
  expect(await refusalOf({ program: 'key.dsl' })).toMatch(
    /^422 the program has a KEY, .*: .*`--on none`; or leave out KEY/,
  );
  for (const program of ['memo.dsl', 'step.dsl'])
    expect(await refusalOf({ program })).toMatch(
      /^422 the program uses `memo`, .*: .*`--on none`; or leave out `memo`/,
    );
  expect(await refusalOf({ program: 'plain.dsl', key: 'a' })).toContain('422 runs on an engine have no keys: ');
  expect(await refusalOf({ program: 'plain.dsl', fresh: true })).toContain('422 `memo` has no effect on an engine');
  expect((await send('GET', '/api/v1/runs')).json.runs).toEqual([]);
  // Nothing starts them here, and the page says so.
  const { status, json } = await send('GET', '/api/v1/schedules');
  expect([status, json]).toMatchObject([200, { active: false, schedules: [{ name: 'nightly', last: null }] }]);
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
