/** Trials over HTTP and the Model Context Protocol: tasks of the service, which outlive the request. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connect, doorOf } from '../mcp/connection.js';
import { serviceOf } from './service.js';

const FILES = {
  'try.dsl': 'INPUT: q\nDO: a = Task(it) "Answer {q}."\nDO: echo {q} >> done\nRETURN: {a}\n',
  'it.yaml': '- {answer: good, cost: 2}\n',
  'cases.yaml':
    '- {name: one, inputs: {q: 1}, expect: \'returned "good"\'}\n- {name: two, inputs: {q: 2}, expect: failed}\n',
  'statedsl.config.yaml': 'agents: {it: {adapter: fake, model: ./it.yaml}}\n',
};

const PATIENTLY = { timeout: 60_000 };
/** What is counted at most before a run begins depends on the time that the processor has for it. */
const CONFIRMED = { 'statedsl.config.yaml': `${FILES['statedsl.config.yaml']}confirm_above: {calls: 20}\n` };

test('a trial over HTTP is begun, interrupted by its budget, resumed with more, and listed', async () => {
  const { send, idle, folder } = await serviceOf(FILES);
  const begun = await send('POST', '/api/v1/trials', { program: 'try.dsl', cases: 'cases.yaml', count: 2, budget: 5 });
  expect(begun).toMatchObject({ status: 201, json: { runs: 4, open: 4 } });
  const at = `/api/v1/trials/${begun.json.trial_id as string}`;
  expect(begun.headers.get('location')).toBe(at);
  await idle();
  expect((await send('GET', at)).json).toMatchObject({ status: 'budget', open: 2, budget: { spent: 4, left: 1 } });
  expect((await send('POST', `${at}/resume`, { budget: 50, jobs: 2 })).status).toBe(202);
  await idle();
  const { json } = await send('GET', at);
  expect(json).toMatchObject({ status: 'complete', open: 0, variants: [{ runs: 4, passed: 2, cost: 8 }] });
  expect((await send('GET', '/api/v1/trials')).json).toMatchObject({ trials: [{ status: 'complete' }] });
  expect(((await send('GET', '/api/v1/runs')).json.runs as object[]).length).toBe(4);
  expect(readFileSync(join(folder, 'done'), 'utf8').trim().split('\n').sort().join('')).toBe('1122');
  expect((await send('POST', `${at}/resume`, {})).json).toMatchObject({ code: 'over' });
  expect((await send('POST', `${at}/interrupt`, {})).json).toMatchObject({ code: 'over' });
});

test('an interrupted trial goes on where it was, and its cases may be in the request', async () => {
  const slow = 'INPUT: q\nDO: echo {q} >> begun; while [ ! -e go ]; do sleep 0.02; done\nRETURN: {q}\n';
  const { send, idle, folder } = await serviceOf({ ...FILES, 'slow.dsl': slow });
  const cases = [
    { name: 'a', inputs: { q: 1 } },
    { name: 'b', inputs: { q: 2 }, expect: ['returned 2'] },
  ];
  const { json } = await send('POST', '/api/v1/trials', { program: 'slow.dsl', cases, count: 1 });
  const at = `/api/v1/trials/${json.trial_id as string}`;
  const status = async () => (await send('GET', at)).json.status;
  await expect.poll(() => readFileSync(join(folder, 'begun'), { encoding: 'utf8', flag: 'a+' }), PATIENTLY).toBe('1\n');
  expect(await status()).toBe('running');
  expect((await send('POST', `${at}/resume`, {})).json).toMatchObject({ code: 'held' });
  expect((await send('POST', `${at}/interrupt`, {})).json).toMatchObject({ status: 'interrupted' });
  await idle();
  await expect.poll(status, PATIENTLY).toBe('interrupted');
  writeFileSync(join(folder, 'go'), '');
  expect((await send('POST', `${at}/resume`, {})).json).toMatchObject({ open: 2 });
  await idle();
  expect((await send('GET', at)).json).toMatchObject({ status: 'complete', variants: [{ runs: 2, passed: 2 }] });
  expect(((await send('GET', '/api/v1/runs')).json.runs as object[]).length).toBe(2);
});

test('what cannot be tried is refused, and nothing is kept', async () => {
  const { send } = await serviceOf({ ...FILES, ...CONFIRMED, 'bad.dsl': 'STATE: A\n  GOTO: B\n' });
  const refused = async (given: object) =>
    (await send('POST', '/api/v1/trials', { program: 'try.dsl', ...given })).json;
  expect(await refused({ cases: 'cases.yaml', count: 11 })).toMatchObject({
    code: 'unconfirmed',
  });
  expect(await refused({ cases: '../cases.yaml' })).toMatchObject({ code: 'unknown' });
  expect(await refused({ cases: [{ name: 'x' }] })).toMatchObject({ code: 'invalid-program' });
  expect(await refused({ cases: 'cases.yaml', program: 'bad.dsl' })).toMatchObject({ code: 'invalid-program' });
  expect(await refused({ cases: 'cases.yaml', against: 'none.dsl' })).toMatchObject({ code: 'unknown' });
  expect(await refused({ cases: 'cases.yaml', against: 'try.dsl', agents: { it: 'it' } })).toMatchObject({
    code: 'wrong-use',
  });
  expect((await send('GET', '/api/v1/trials')).json).toEqual({ trials: [] });
  expect((await send('GET', '/api/v1/trials/0000')).status).toBe(404);
  const reader = await serviceOf(FILES, { isReadOnly: true });
  expect((await reader.send('POST', '/api/v1/trials', { program: 'try.dsl', cases: 'cases.yaml' })).status).toBe(403);
});

test('agents try programs, follow and resume trials', async () => {
  const one = await connect(doorOf(FILES), { era: 'modern' });
  const call = async (tool: string, given: object) => (await one.call(tool, given)).structuredContent;
  const trial = { cases: 'cases.yaml', count: 2, budget: 5 };
  const begun = await call('run', { program: 'try', trial, wait_s: 50 });
  expect(begun).toMatchObject({ status: 'budget', open: 2, variants: [{ runs: 2, passed: 1 }] });
  expect(begun.next).toContain('`control`');
  const { run_id } = begun;
  await call('control', { run_id, action: 'resume', limits: { cost: 50 } });
  expect(await call('get', { run_id, wait_s: 50 })).toMatchObject({ status: 'complete', variants: [{ passed: 2 }] });
  expect((await call('list', { what: 'trials' })).trials).toMatchObject([{ trial_id: run_id, status: 'complete' }]);
  expect((await call('control', { run_id, action: 'replay' })).error.message).toBe('a trial has no `replay`');
  expect((await call('run', { program: 'try', trial, inputs: { q: 1 } })).error.message).toBe(
    'a trial has no `inputs`',
  );
  const asking = await connect(doorOf({ ...FILES, ...CONFIRMED }), { era: 'modern' });
  const refused = await asking.call('run', { program: 'try', trial: { ...trial, budget: 500, count: 90 } });
  expect(refused.structuredContent.error.message).toMatch(/^nothing was started: /);
});
