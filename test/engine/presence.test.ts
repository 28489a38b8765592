/** Where a run is executed, as `show` says it: what workers said, and whether they can be reached. */
import { expect, test } from 'vitest';
import type { Reach } from '../../src/engine/admin.js';
import type { Doing, Head } from '../../src/engine/messages.js';
import { noteDoing, whereaboutsOf } from '../../src/engine/run-readers.js';
import { presenceOn } from '../../src/engine/turn-host.js';
import { TurnOrigins } from '../../src/engine/turn-origins.js';
import type { RunWhereabouts } from '../../src/runtime/run/run-whereabouts.js';

import { plain } from '../../src/views/drawing/paint.js';
import { drawRunState, engineProblems } from '../../src/views/run-state.js';

const DOING: Doing = {
  turn: 2,
  worker: 'http://127.0.0.1:9180',
  invocation: 'inv_1',
  since: '2026-01-01T00:00:00.000Z',
  waits: [],
};
const waitsFor = (kind: 'label' | 'home', name: string) => ({ kind, name, since: '2026-01-01T00:00:01.000Z' });

function objectWith(head: Partial<Head>, doing: Doing | null) {
  const state = new Map<string, unknown>([
    ['head', { status: 'running', turn: 2, ...head }],
    ['doing', doing],
  ]);
  return {
    key: 'a',
    user: null,
    get: async (name: string) => (state.get(name) ?? null) as never,
    set: (name: string, value: unknown) => void state.set(name, value),
  } as never as Parameters<typeof noteDoing>[0] & Parameters<typeof whereaboutsOf>[0];
}

const reach = (address: boolean, worker: Awaited<ReturnType<Reach['worker']>>): Reach => ({
  absentSince: async () => (address ? null : '2026-01-01T00:00:02.000Z'),
  worker: async () => worker,
});

test('a turn that is over soon says nothing, and a longer one what it waits for now', async () => {
  const said: Doing[] = [];
  const at = presenceOn(
    async (_, doing) => void said.push(doing),
    () => DOING.worker,
    5,
  );
  const [short, long] = [new AbortController(), new AbortController()];
  at({ runId: 'a', turn: 1, invocation: 'inv_0', over: short.signal });
  short.abort();
  const presence = at({ runId: 'b', turn: 2, invocation: 'inv_1', over: long.signal });
  const end = presence.waitsFor({ kind: 'label', name: 'gpu' });
  await expect
    .poll(() => said)
    .toMatchObject([{ turn: 2, invocation: 'inv_1', waits: [{ kind: 'label', name: 'gpu' }] }]);
  end();
  await expect.poll(() => said.length).toBe(2);
  expect(said[1]?.waits).toEqual([]);
  long.abort();
  presence.waitsFor({ kind: 'label', name: 'other' });
  await new Promise((resolve) => setTimeout(resolve, 15));
  expect(said).toHaveLength(2);
});

test('a turn with short effects says it later, and at once what it waits for', async () => {
  const said: Doing[] = [];
  const at = presenceOn(
    async (_, doing) => void said.push(doing),
    () => DOING.worker,
    20,
  );
  const over = new AbortController();
  const presence = at({ runId: 'a', turn: 1, invocation: 'inv_0', over: over.signal });
  const effects = setInterval(() => presence.noteProgress(), 1);
  const begun = performance.now();
  await expect.poll(() => said.length, { interval: 1 }).toBe(1);
  expect(performance.now() - begun).toBeGreaterThanOrEqual(80);
  const end = presence.waitsFor({ kind: 'label', name: 'gpu' });
  await expect.poll(() => said.length, { interval: 1 }).toBe(2);
  expect(said[1]?.waits).toMatchObject([{ name: 'gpu' }]);
  end();
  await expect.poll(() => said.length, { interval: 1 }).toBe(3);
  expect(said[2]?.waits).toEqual([]);
  clearInterval(effects);
  over.abort();
});

test('what an earlier turn said does not count', async () => {
  const run = objectWith({ turn: 3 }, null);
  await noteDoing(run, null, DOING);
  expect(await whereaboutsOf(run, reach(true, 'none'))).toMatchObject({ turn: 3, worker: null, waits: [] });
  await noteDoing(run, null, { ...DOING, turn: 3 });
  expect(await whereaboutsOf(run, reach(true, 'none'))).toMatchObject({ turn: 3, worker: DOING.worker });
  expect(await whereaboutsOf(objectWith({ status: 'suspended' }, DOING), reach(true, 'none'))).toBe(null);
});

test('what is no word of a worker is refused, and more than that is not kept', async () => {
  const run = objectWith({}, null);
  const said = (more: object) => noteDoing(run, null, { ...DOING, ...more });
  await said({ more: 'x'.repeat(10_000_000), waits: [{ ...waitsFor('label', 'gpu'), more: 1 }] });
  expect(await run.get('doing')).toEqual({ ...DOING, waits: [waitsFor('label', 'gpu')] });
  for (const wrong of [
    { worker: {} },
    { worker: 'x'.repeat(3000) },
    { waits: [null] },
    { waits: 'x' },
    { turn: '2' },
    { refused: 1 },
  ])
    await expect(said(wrong)).rejects.toThrow('not what a worker says');
  await expect(noteDoing(run, null, null as never)).rejects.toThrow('not what a worker says');
});

test('a run whose home has no worker waits for one, also before a turn has begun', async () => {
  const run = objectWith({ home: 'lab' }, null);
  expect((await whereaboutsOf(run, reach(true, 'none')))?.waits).toEqual([
    { kind: 'home', name: 'lab', since: null, worker: 'none' },
  ]);
  expect((await whereaboutsOf(run, reach(true, 'gone')))?.waits).toMatchObject([{ worker: 'gone' }]);
  expect((await whereaboutsOf(run, reach(true, 'there')))?.waits).toEqual([]);
});

test('a turn whose entries are those of another version says which one must be started again', async () => {
  const warned: string[] = [];
  const said: Doing[] = [];
  const client = { note: async (_: string, doing: Doing) => void said.push(doing) };
  const origins = new TurnOrigins(
    (message) => void warned.push(message),
    client,
    () => DOING.worker,
  );
  const message = 'Found a mismatch … (570) Journal mismatch';
  expect(origins.explain('inv_1', message)).toBe(false);
  origins.note('inv_1', { runId: 'a', turn: 2, by: '0.1.0' });
  expect(origins.explain('inv_1', 'connection closed')).toBe(false);
  // The engine tries again and again.
  expect([origins.explain('inv_1', message), origins.explain('inv_1', message)]).toEqual([true, true]);
  expect(warned).toEqual([
    'turn 2 of run `a` was made by statedsl 0.1.0, and this worker makes other entries: start statedsl 0.1.0 again at http://127.0.0.1:9180',
  ]);
  const run = objectWith({}, null);
  await noteDoing(run, null, said[0] as Doing);
  expect(await whereaboutsOf(run, reach(true, 'none'))).toMatchObject({ turn: 2, made_by: '0.1.0' });
});

test('a turn that its worker refuses says why', async () => {
  const run = objectWith({}, null);
  await noteDoing(run, null, { ...DOING, refused: 'it needs other functions' });
  const engine = (await whereaboutsOf(run, reach(false, 'none'))) as RunWhereabouts;
  expect(engineProblems(engine)).toEqual([
    'refused by http://127.0.0.1:9180: it needs other functions; it waits for a worker that fits',
  ]);
});

test.each([
  ['none', true, /waits for a worker with the label gpu since [^:]+:\d\d:\d\d\n/],
  ['gone', true, /waits for a worker with the label gpu since .*: the one that the engine knows does not answer/],
  ['there', true, /a worker with the label gpu performs an effect since/],
  ['there', false, /no worker since \S+ \d\d:\d\d:\d\d: nothing answers at this address/],
] as const)('show says it: a worker is %s, and the address answers: %s', async (worker, isThere, words) => {
  const waits = [waitsFor('label', 'gpu'), waitsFor('label', 'gpu')];
  const engine = (await whereaboutsOf(objectWith({}, { ...DOING, waits }), reach(isThere, worker))) as RunWhereabouts;
  expect(engine.waits).toHaveLength(1);
  const facts = {
    run_id: 'a',
    machine: 'm',
    status: 'running',
    state: null,
    states: [],
    states_total: 0,
    returned: null,
  };
  const more = { error: null, waiting: [], inputs: {}, tracked: {}, bound: {}, cost: null, duration_ms: 0, effects: 0 };
  const times = { started_at: DOING.since, at: DOING.since, seq: 1, last_seq: 1 };
  const text = drawRunState({ title: 'm', ...facts, ...more, ...times, engine }, [], plain);
  expect(text).toMatch(words);
  expect(text).toMatch(/engine {4}turn 2, http:\/\/127\.0\.0\.1:9180 since .*\n {10}invocation inv_1\n/);
});
