/** The list of runs on an engine, and what cannot be started there. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findServer, loadSdk } from '../../src/engine/restate-sdk.js';
import type { NotedRun } from '../../src/engine/services.js';
import { dayOf, runListHandlers, runListReaders } from '../../src/engine/services.js';
import { workerPermits } from '../../src/engine/worker-permits.js';
import { SERVICES } from './scripted-engine.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'statedsl-packages-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function objectInMemory(key: string) {
  const state = new Map<string, unknown>();
  const sent: unknown[] = [];
  const context = {
    key,
    now: async () => 0,
    user: null,
    get: async <T>(name: string) => (state.get(name) as T | undefined) ?? null,
    set: (name: string, value: unknown) => void state.set(name, value),
    names: async () => [...state.keys()],
    clear: (name: string) => void state.delete(name),
    clearAll: () => state.clear(),
    send: (to: unknown, message: unknown) => void sent.push([to, message]),
    resolveAwakeable: () => undefined,
    awakeable: (): never => {
      throw new Error('it waits for nothing');
    },
  };
  return { context, sent };
}

const noted = (run_id: string, status: 'running' | 'returned', version: number): NotedRun => ({
  version,
  run: {
    run_id,
    machine: 'm',
    title: 'm',
    status,
    state: null,
    started_at: '2026-11-22T10:00:00.000Z',
    ended_at: null,
    duration_ms: null,
    cost: null,
    effects: null,
  },
});

test('a day lists its runs, newest first, and forgets those that are removed', async () => {
  const { note, remove } = runListHandlers(SERVICES);
  const { list } = runListReaders();
  const { context, sent } = objectInMemory('2026-11-22');
  // The first message about a run comes last.
  for (const [status, version] of [
    ['returned', 3],
    ['running', 2],
    ['running', 0],
  ] as const)
    await note(context, noted('b', status, version));
  await note(context, noted('a', 'running', 0));
  await note(context, noted('a', 'returned', 3));
  expect((await list(context)).map(({ run_id, status }) => `${run_id} ${status}`)).toEqual([
    'b returned',
    'a returned',
  ]);
  expect(sent).toEqual([[SERVICES.runs('days', 'addDay'), '2026-11-22']]);
  await remove(context, 'b');
  expect((await list(context)).map(({ run_id }) => run_id)).toEqual(['a']);
});

test('days are in order, each once; the id of a run says its day', async () => {
  const { addDay } = runListHandlers(SERVICES);
  const { context } = objectInMemory('days');
  for (const day of ['2026-11-22', '2026-11-21', '2026-11-22']) await addDay(context, day);
  expect(await runListReaders().days(context)).toEqual(['2026-11-21', '2026-11-22']);
  expect([dayOf('01a207b2-d72e-7784-9d15-a0017909fc9d'), dayOf('nothing')]).toEqual(['2026-11-23', '1970-01-01']);
});

test('a package that is missing or too old is named with the line that installs it', () => {
  const install = 'install it: `npm install @restatedev/restate-sdk@1.12.0`';
  expect(() => loadSdk([folder])).toThrow(expect.objectContaining({ help: install }));
  expect(() => findServer([folder], folder)).toThrow('the server of the engine, Restate, is not installed');
  writeFileSync(join(folder, 'restate-server'), '');
  expect(findServer([folder], folder)).toBe(join(folder, 'restate-server'));
});

test('permits are given in order, and those who stop waiting get none', async () => {
  const permits = workerPermits(1);
  const never = new AbortController().signal;
  const first = await permits.take(never);
  const stopping = new AbortController();
  const order: string[] = [];
  const left = permits.take(stopping.signal).then((given) => order.push(given === null ? 'left' : 'got it'));
  const second = permits.take(never).then((giveBack) => {
    order.push('second');
    giveBack?.();
  });
  stopping.abort();
  await left;
  first?.();
  first?.();
  await second;
  expect([order, (await permits.take(never)) !== null]).toEqual([['left', 'second'], true]);
});
