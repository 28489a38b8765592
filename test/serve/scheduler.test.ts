/** Schedules in virtual time: what starts when, and that nothing starts twice. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openPrograms } from '../../src/app/open-runs.js';
import { refuse, resultWith } from '../../src/app/result.js';
import { parseConfiguration } from '../../src/runtime/configuration/load-configuration.js';
import { type Schedule, scheduleTimes } from '../../src/runtime/configuration/schedules.js';
import { keepSchedule, readSchedule, storedSchedules } from '../../src/runtime/store/kept-schedules.js';
import type { promisedStart } from '../../src/serve/executions/requested-run.js';
import { Scheduler, scheduledStart } from '../../src/serve/scheduler.js';
import { serviceOf } from './service.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A store, and services on it one after the other; the clock is set by the test. */
function services(given: Partial<Schedule> = {}, at = '2030-01-01T00:00:00Z') {
  const directory = mkdtempSync(join(tmpdir(), 'statedsl-schedules-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const schedule: Schedule = { name: 'nightly', program: 'flow.dsl', cron: '0 * * * *', ...given };
  const state = { now: Date.parse(at), timer: null as (() => void) | null, dies: false };
  const started: { at: string; run: string }[] = [];
  const open = () =>
    new Scheduler({
      memory: storedSchedules(directory),
      schedules: [schedule],
      async start(_, run) {
        // The service is killed before the run is promised.
        if (state.dies) throw new Error('killed');
        if (started.some((one) => one.run === run)) return refuse('held', 'it is there');
        started.push({ at: new Date(state.now).toISOString(), run });
        return resultWith(null);
      },
      warn: () => undefined,
      clock: {
        now: () => state.now,
        start(_, action) {
          state.timer = action;
          return () => undefined;
        },
      },
    });
  return {
    directory,
    state,
    started,
    open,
    times: () => started.map(({ at: time }) => time.slice(0, 16)),
    last: () => readSchedule(directory, 'nightly')?.last,
    /** Moves the clock, and lets the service look. */
    async move(service: Scheduler, ms: number): Promise<void> {
      state.now += ms;
      await service.look();
      await service.look();
    },
  };
}

describe('a schedule', () => {
  test('starts its program at each of its times, and not before it was known', async () => {
    const { open, move, times, last, started } = services();
    const service = open();
    for (let minute = 0; minute < 30; minute++) await move(service, 5 * MINUTE);
    expect(times()).toEqual(['2030-01-01T01:00', '2030-01-01T02:00']);
    expect(last()).toEqual({ due: '2030-01-01T02:00:00.000Z', outcome: 'started', run_id: started[1]?.run });
  });

  test('leaves out what came while no service ran, and says so', async () => {
    const { open, move, times, last, state } = services();
    await move(open(), 0);
    state.now += 5.5 * HOUR;
    await move(open(), 0);
    expect(times()).toEqual([]);
    expect(last()).toEqual({ due: '2030-01-01T05:00:00.000Z', outcome: 'missed', passed: 4 });
  });

  test('starts once for all that came meanwhile, with `missed: last`', async () => {
    const { open, move, last, started, state } = services({ missed: 'last' });
    await move(open(), 0);
    state.now += 5.5 * HOUR;
    await move(open(), 0);
    expect(started).toHaveLength(1);
    expect(last()).toMatchObject({ due: '2030-01-01T05:00:00.000Z', outcome: 'started', passed: 4 });
  });

  test('that comes every second has one start for a long time', async () => {
    const { open, move, last, started, state } = services({ cron: '* * * * * *', missed: 'last' });
    await move(open(), 0);
    state.now += 48 * HOUR;
    await move(open(), 0);
    expect(started).toHaveLength(1);
    expect(last()).toMatchObject({ due: '2030-01-03T00:00:00.000Z' });
  });

  test('survives that the service is killed between the decision and the start, with one run', async () => {
    const { open, move, directory, state, started } = services();
    const first = open();
    await move(first, 0);
    state.dies = true;
    await expect(move(first, HOUR)).rejects.toThrow('killed');
    const decided = readSchedule(directory, 'nightly')?.starting?.run_id;
    state.dies = false;
    await move(open(), 10 * MINUTE);
    await move(open(), MINUTE);
    expect(started.map(({ run }) => run)).toEqual([decided]);
  });

  test('survives that it is killed after the start, with one run', async () => {
    const { open, move, directory, started } = services();
    await move(open(), 0);
    await move(open(), HOUR);
    const run = started[0]?.run ?? '';
    // What was written after the start is lost.
    keepSchedule(directory, {
      name: 'nightly',
      until: '2030-01-01T01:00:00.000Z',
      starting: { due: '2030-01-01T01:00:00.000Z', run_id: run },
    });
    await move(open(), MINUTE);
    expect(started).toHaveLength(1);
    expect(readSchedule(directory, 'nightly')?.last).toMatchObject({ outcome: 'started', run_id: run });
  });

  test('starts nothing again when the clock is set back, and does not wait for a clock that was wrong', async () => {
    const { open, move, times } = services();
    const service = open();
    await move(service, 0);
    await move(service, HOUR);
    await move(service, -HOUR / 2);
    await move(service, HOUR / 2);
    expect(times()).toEqual(['2030-01-01T01:00']);
    await move(service, -20 * HOUR);
    await move(service, HOUR);
    expect(times()).toEqual(['2030-01-01T01:00', '2029-12-31T06:00']);
  });

  test('starts nothing again when the clock is set back by hours, and what did not start yet starts', async () => {
    const { open, move, times, last, started } = services();
    await move(open(), 0);
    for (let hour = 0; hour < 4; hour++) await move(open(), HOUR);
    const before = times();
    await move(open(), -4 * HOUR);
    for (let hour = 0; hour < 4; hour++) await move(open(), HOUR);
    expect([before.length, times()]).toEqual([4, before]);
    // The run that has it is named.
    expect(last()).toEqual({ due: '2030-01-01T04:00:00.000Z', outcome: 'started', run_id: started[3]?.run });
    await move(open(), HOUR);
    expect(times()).toEqual([...before, '2030-01-01T05:00']);
    // The clock was ahead: what did not start then starts when it comes.
    await move(open(), 10 * HOUR);
    await move(open(), -10 * HOUR);
    await move(open(), HOUR);
    expect(times().slice(4)).toEqual(['2030-01-01T05:00', '2030-01-01T15:00', '2030-01-01T06:00']);
  });

  test('comes later by a part of its jitter, which is the same for every service', async () => {
    const { open, move, started } = services({ jitter: '10m' });
    for (let step = 0; step < 300; step++) await move(open(), MINUTE);
    expect(started.length).toBeGreaterThanOrEqual(4);
    const minutes = started.map(({ at }) => Number(at.slice(14, 16)));
    expect(Math.max(...minutes)).toBeLessThanOrEqual(12);
    expect(new Set(minutes).size).toBeGreaterThan(1);
  });

  test('whose start is refused says why', async () => {
    const { directory, state } = services();
    const service = new Scheduler({
      memory: storedSchedules(directory),
      schedules: [{ name: 'nightly', program: 'flow.dsl', cron: '0 * * * *' }],
      start: async () => refuse('invalid-program', 'it has errors'),
      warn: () => undefined,
      clock: { now: () => state.now, start: () => () => undefined },
    });
    await service.look();
    state.now += HOUR;
    await service.look();
    expect(readSchedule(directory, 'nightly')?.last).toMatchObject({ outcome: 'refused', message: 'it has errors' });
  });
});

describe('the days on which clocks change in Europe/Berlin', () => {
  async function day(cron: string, from: string, until: string): Promise<string[]> {
    const times = await scheduleTimes({ cron, zone: 'Europe/Berlin' });
    const found: string[] = [];
    for (let at = times.next(Date.parse(from)); at !== null && at < Date.parse(until); at = times.next(at))
      found.push(new Date(at).toISOString().slice(11, 16));
    return found;
  }

  test('a time that is skipped in spring comes once, right after', async () => {
    expect(await day('30 2 * * *', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z')).toEqual(['01:30']);
    expect(await day('0 * * * *', '2026-03-29T00:10:00Z', '2026-03-29T03:10:00Z')).toEqual(['01:00', '02:00', '03:00']);
  });

  test('a time that comes twice in autumn starts once', async () => {
    expect(await day('30 2 * * *', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z')).toEqual(['00:30']);
    expect(await day('0 12 * * *', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z')).toEqual(['11:00']);
  });
});

test('what is wrong with schedules is a problem of the configuration with its place and a next step', async () => {
  const text = `schedules:
  - { name: a, program: nothing.dsl, cron: "61 * * * *" }
  - name: a
    program: nothing.dsl
    cron: "0 0 30 2 *"
    zone: Mars/Crater
  - { name: b, program: nothing.dsl, cron: "0 0 30 2 *" }
  - { name: c, program: nothing.dsl, cron: "@daily" }
`;
  const { problems } = await parseConfiguration(text, '/nowhere/statedsl.config.yaml');
  const of = (part: string) => problems.filter(({ message }) => message.includes(part)).map(({ line }) => line);
  expect(of('two schedules')).toEqual([3]);
  expect(of('no program')).toHaveLength(4);
  expect(of('no time zone')).toEqual([6]);
  expect(of('pattern of times')).toEqual([2, 8]);
  expect(of('never comes')).toEqual([7]);
  expect(problems.every(({ help }) => help !== undefined)).toBe(true);
  const { problems: shapes } = await parseConfiguration(
    'schedules:\n  - { name: "1 a", on_busy: no }\n',
    '/nowhere/c.yaml',
  );
  expect(shapes.length).toBeGreaterThan(1);
});

test('the inputs of a schedule keep how their numbers are written', async () => {
  const inputs = '{ v: 1.10, l: [2.50, 9007199254740993, 1e400, 0042], s: "1.10" }';
  const { folder } = await serviceOf({
    'flow.dsl': 'INPUT: v (number)\nINPUT: l (list)\nINPUT: s\nRETURN with v, l, s\n',
  });
  const { configuration } = await parseConfiguration(
    `schedules: [{ name: a, program: flow.dsl, cron: "0 0 * * *", inputs: ${inputs} }]\n`,
    join(folder, 'statedsl.config.yaml'),
  );
  const programs = openPrograms({ folder });
  const begun: ReturnType<typeof promisedStart>[] = [];
  const starts = { has: () => false, begin: async (promised: (typeof begun)[0]) => resultWith(begun.push(promised)) };
  expect(
    await scheduledStart(programs, starts, folder).start(configuration.schedules?.[0] as Schedule, 'a'),
  ).toMatchObject({ ok: true });
  expect(begun).toMatchObject([
    {
      execution: {
        title: 'v=1.10 l=[2.50,9007199254740993,"1e400","0042"] s=1.10',
        task: { printed: { v: '1.10', l: '[2.50,9007199254740993,"1e400","0042"]' } },
      },
    },
  ]);
});

test('the list has the next times, the last outcome with the status of its run, and whether a service is there', async () => {
  const service = await serviceOf({
    'flow.dsl': 'RETURN: 1\n',
    'statedsl.config.yaml': 'schedules:\n  - { name: nightly, program: flow.dsl, cron: "0 0 * * *" }\n',
  });
  const before = await service.send('GET', '/api/v1/schedules');
  expect(before).toMatchObject({ status: 200, json: { active: false, schedules: [{ name: 'nightly', last: null }] } });
  const run_id = await service.finish('flow.dsl');
  const due = '2030-01-01T00:00:00.000Z';
  const last = { due, outcome: 'started', run_id } as const;
  keepSchedule(join(service.folder, '.statedsl'), { name: 'nightly', until: due, last });
  const { schedules } = (await service.send('GET', '/api/v1/schedules')).json as { schedules: { next: string[] }[] };
  expect(schedules).toMatchObject([{ zone: 'UTC', last: { ...last, status: 'returned' } }]);
  expect(schedules[0]?.next.map((time) => time.slice(10))).toEqual(Array(3).fill('T00:00:00.000Z'));
});

test('a run waits in the queue for the key of another one, and takes no place from others', async () => {
  const asks = 'INPUT: n = 1\nKEY: one\nASK user: "Go?" → go\nRETURN: {go} {n}\n';
  const service = await serviceOf({ 'asks.dsl': asks, 'free.dsl': 'RETURN: free\n' }, { atOnce: 1 });
  const first = await service.finish('asks.dsl');
  const begin = async (body: object) => (await service.send('POST', '/api/v1/runs', body)).json;
  const second = await begin({ program: 'asks.dsl', inputs: { n: 2 } });
  expect(second).toMatchObject({ status: 'queued' });
  const skipped = await begin({ program: 'asks.dsl', on_busy: 'skip' });
  await expect
    .poll(async () => (await service.send('GET', `/api/v1/runs/${skipped.run_id}`)).json)
    .toMatchObject({ status: 'skipped' });
  // Without a key, no other run can be in the way.
  expect(await service.send('POST', '/api/v1/runs', { program: 'free.dsl', on_busy: 'skip' })).toMatchObject({
    status: 422,
    json: { code: 'wrong-use', message: 'this run has no key, so no other run can be in its way' },
  });
  const free = await begin({ program: 'free.dsl' });
  await vi.waitFor(async () => {
    expect((await service.send('GET', `/api/v1/runs/${free.run_id}`)).json.status).toBe('returned');
  }, 300_000);
  expect((await service.send('GET', '/api/v1/runs?key=one&status=queued')).json.runs).toMatchObject([
    { run_id: second.run_id, key: 'one' },
  ]);
  await service.send('POST', `/api/v1/runs/${first}/answers`, { answers: { go: 'yes' } });
  await vi.waitFor(async () => {
    expect((await service.send('GET', `/api/v1/runs/${second.run_id}`)).json.status).toBe('suspended');
  }, 300_000);
  expect((await service.send('POST', '/api/v1/runs', { program: 'free.dsl', key: 'a\nb' })).status).toBe(422);
});
