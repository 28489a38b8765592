/** What keeps a service quick: readers of runs share one look, there are at most so many, and checks are made elsewhere. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { expect, onTestFinished, test } from 'vitest';
import { openPrograms } from '../../src/app/open-runs.js';
import { refuse } from '../../src/app/result.js';
import { answerCheck, type Checks, checkInProcesses, checkWith } from '../../src/serve/checking.js';
import { Readers } from '../../src/serve/event-streams.js';
import { serviceOf } from './service.js';

const PROGRAMS = { 'ask.dsl': 'ASK user: "Go on?" → ok\nRETURN: {ok}\n' };
const SSE = { accept: 'text/event-stream' };

/** How often a function of the disk is called. */
function counting(name: 'lstatSync' | 'readdirSync'): () => number {
  const disk = fs as unknown as Record<string, unknown>;
  const original = disk[name];
  let calls = 0;
  disk[name] = (...given: never[]) => {
    calls++;
    return (original as (...all: never[]) => unknown)(...given);
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    disk[name] = original;
    syncBuiltinESMExports();
  });
  return () => calls;
}

test('silent readers of a run share one look at it, and all of them hear what happens', async () => {
  const { request, finish, send, idle } = await serviceOf(PROGRAMS);
  const id = await finish('ask.dsl');
  const path = `/api/v1/runs/${id}`;
  const lastSeq = (await send('GET', path)).json.last_seq as number;
  const reader = async () => {
    const { body } = await request('GET', `${path}/events?after=${lastSeq}`, undefined, SSE);
    return (body as ReadableStream<Uint8Array>).getReader();
  };
  const readers = await Promise.all(Array.from({ length: 100 }, reader));
  // The first piece says that the stream has begun; then each of them waits.
  await Promise.all(readers.map((one) => one.read()));
  const next = readers.map((one) => one.read());
  const looks = counting('readdirSync');
  await new Promise((resolve) => setTimeout(resolve, 1000));
  // Five looks a second, and some more for what the system reports.
  expect(looks()).toBeLessThan(50);
  await send('POST', `${path}/answers`, { answers: { ok: 'yes' } });
  const heard = await Promise.all(next);
  for (const { value } of heard) expect(new TextDecoder().decode(value)).toContain('"type":"answered"');
  await idle();
  await Promise.all(readers.map((one) => one.cancel()));
});

test('a reader too many gets 503, and one that leaves makes room', async () => {
  const { request, finish, send, idle } = await serviceOf(PROGRAMS, { readers: new Readers(2) });
  const id = await finish('ask.dsl');
  const path = `/api/v1/runs/${id}/events`;
  const [first] = [await request('GET', path, undefined, SSE), await request('GET', path)];
  const third = await send('GET', path, undefined, SSE);
  expect(third).toMatchObject({
    status: 503,
    json: { code: 'unavailable', help: expect.stringContaining('follow=false') },
  });
  expect(third.headers.get('retry-after')).not.toBeNull();
  expect((await send('GET', `${path}?follow=false`)).status).toBe(200);
  await first?.body?.cancel();
  const again = await request('GET', path, undefined, SSE);
  expect(again.status).toBe(200);
  // A refusal takes no place.
  expect((await send('GET', '/api/v1/runs/01975c3a/events', undefined, SSE)).status).toBe(503);
  await again.body?.cancel();
  expect((await send('GET', '/api/v1/runs/01975c3a/events', undefined, SSE)).status).toBe(404);
  expect((await send('GET', '/api/v1/runs/01975c3a/events', undefined, SSE)).status).toBe(404);
  await send('POST', `/api/v1/runs/${id}/cancel`, {});
  await idle();
});

test('a check is made by another process, which is ended after a while', async () => {
  const checker = (script: string, limitMs = 60_000) =>
    checkInProcesses({ command: ['sh', '-c', script], folder: '.', limitMs, atOnce: 1 });
  const answer = '{"ok":true,"value":{"valid":true,"diagnostics":[]}}';
  const quick = checker(`grep -q RETURN && echo '${answer}'`);
  const answers = await Promise.all([quick.check({ text: 'RETURN: 1' }), quick.check({ text: 'RETURN: 2' })]);
  expect(answers).toEqual([JSON.parse(answer), JSON.parse(answer)]);
  const slow = await checker('exec sleep 100', 50).check({ text: '' });
  expect(slow).toMatchObject({ ok: false, refusal: { message: expect.stringMatching(/longer than 0\.05 s/) } });
  expect(await checker('exit 1').check({ text: '' })).toMatchObject({ ok: false, refusal: { code: 'unavailable' } });
});

test('a long program is checked by another process before it is read', async () => {
  const checks = checkInProcesses({ command: ['sh'], folder: '.' });
  expect([10, 100_000].map((length) => checks.isLong({ text: 'x'.repeat(length) }))).toEqual([false, true]);
  const own = checkWith(openPrograms({ folder: '.' }));
  const start = async (more: Partial<Checks>) => {
    const { send } = await serviceOf(PROGRAMS, { allowText: true, checks: { ...own, ...more } });
    const { status, json } = await send('POST', '/api/v1/runs', { text: 'STATE: A\n  GOTO: Z\n' });
    return { status, json };
  };
  const answer = await start({ isLong: () => true });
  expect(answer).toMatchObject({ status: 422, json: { diagnostics: [{ code: 'unknown-state' }] } });
  expect(await start({})).toEqual(answer);
  const late = async () => refuse('wrong-use', 'it takes too long');
  expect((await start({ isLong: () => true, check: late })).json.message).toBe('it takes too long');
});

test('the process that checks answers with a check, a review or a bound', async () => {
  const checks = checkWith(openPrograms({ folder: '.' }));
  const source = { text: 'INPUT: a\nSTATE: A\n  Do: true\n  RETURN: 1\n' };
  expect(await answerCheck(checks, { source })).toEqual(await checks.check(source));
  const review = await answerCheck(checks, { source, review: { fix: true } });
  expect(review).toMatchObject({
    value: {
      valid: true,
      inputs: [{ name: 'a', required: true }],
      corrected: { text: expect.stringContaining('DO: true'), fixed: 1 },
    },
  });
  const run = { inputs: { a: '' }, limits: {} };
  expect(await answerCheck(checks, { source: { text: 'RETURN: 1\n' }, run })).toMatchObject({ ok: true });
});

test('a program that is checked has at most 256 KiB', async () => {
  const { send } = await serviceOf(PROGRAMS);
  const check = (text: string) => send('POST', '/api/v1/check', { text });
  expect((await check('RETURN: 1\n')).json).toEqual({ valid: true, diagnostics: [] });
  expect((await check(`RETURN: "${'x'.repeat(200 * 1024)}"\n`)).status).toBe(200);
  expect(await check(`RETURN: "${'x'.repeat(256 * 1024)}"\n`)).toMatchObject({
    status: 413,
    json: { code: 'too-large' },
  });
});
