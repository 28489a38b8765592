/** Runs with the same key are executed one at a time, and what was done to whom is in the records of both. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { StartOptions } from '../../src/app/execution-options.js';
import { openRuns } from '../../src/app/open-runs.js';
import { unwrap } from '../../src/app/result.js';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { journalLine } from '../../src/runtime/store/journal-line.js';
import { claimKey, keyHolder } from '../../src/runtime/store/run-keys.js';

const ASKS = 'INPUT: env = "prod"\nKEY: deploy {env}\nASK user: "Go?" → go\nRETURN: {go}\n';
const WORKS = 'INPUT: env = "prod"\nKEY: deploy {env}\nDO: work\nRETURN: {env}\n';

/** Runs of a folder, whose command `work` ends when the test says it. */
function runsOf() {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-keys-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const working: (() => void)[] = [];
  const work = () => new Promise<string>((resolve) => working.push(() => resolve('done')));
  const runs = openRuns({ folder, commands: { work } });
  const directory = join(folder, '.statedsl');
  const begin = async (text: string, options: StartOptions = {}) => unwrap(await runs.start({ text }, options));
  const eventsOf = async (id: string): Promise<RunEvent[]> => {
    const events: RunEvent[] = [];
    const stream = unwrap(await runs.events(id, 0, undefined, 'no'));
    for await (const one of stream) events.push(one as unknown as RunEvent);
    return events;
  };
  const shared = async (id: string) => (await eventsOf(id)).filter(({ type }) => type === 'key_shared');
  const statusOf = async (id: string) => unwrap(await runs.inspect(id)).status;
  const until = (count: number) => vi.waitFor(() => expect(working).toHaveLength(count), 300_000);
  return { folder, directory, runs, begin, eventsOf, shared, statusOf, until, working };
}

describe('while a run is executed that has the key', () => {
  test('another one waits for it, and both say so', async () => {
    const { begin, shared, until, working, runs } = runsOf();
    const first = await begin(WORKS);
    await until(1);
    const busy: string[] = [];
    const second = await begin(WORKS, { onKeyBusy: ({ run_id }: { run_id: string }) => busy.push(run_id) } as never);
    await vi.waitFor(async () => expect(await shared(first.started.run_id)).toHaveLength(1), 300_000);
    expect(working).toHaveLength(1);
    working[0]?.();
    await until(2);
    working[1]?.();
    expect(await second.report).toMatchObject({ status: 'returned', key: 'deploy prod' });
    const [one, other] = [first.started.run_id, second.started.run_id];
    expect(busy).toEqual([one]);
    expect(await shared(one)).toMatchObject([{ key: 'deploy prod', run_id: other, how: 'waits' }]);
    expect(await shared(other)).toMatchObject([{ key: 'deploy prod', run_id: one, how: 'waited' }]);
    // What is on record is what the runs are made of again.
    for (const id of [one, other])
      expect(await runs.compare(id)).toMatchObject({ ok: true, value: { status: 'same' } });
  });

  test('one with another key, or with none, does not wait', async () => {
    const { begin, until, working } = runsOf();
    await begin(WORKS);
    await begin(WORKS, { inputs: { env: 'test' } });
    await begin('DO: work\n');
    await until(3);
    for (const end of working) end();
  });

  test('one that skips ends at once, and is never resumed', async () => {
    const { begin, shared, eventsOf, until, working, runs, statusOf } = runsOf();
    const first = await begin(WORKS);
    await until(1);
    const second = await begin(WORKS, { onBusy: 'skip' });
    const [one, other] = [first.started.run_id, second.started.run_id];
    expect(await second.report).toMatchObject({ status: 'skipped', key: 'deploy prod', held_by: one, effects: 0 });
    expect((await eventsOf(other)).at(-1)).toMatchObject({ type: 'run_skipped', key: 'deploy prod', run_id: one });
    expect(await shared(one)).toMatchObject([{ run_id: other, how: 'skipped' }]);
    expect(await statusOf(other)).toBe('skipped');
    expect(unwrap(await runs.list({ key: 'deploy prod', status: 'skipped' })).runs).toMatchObject([{ run_id: other }]);
    expect(await runs.resume(other)).toMatchObject({ ok: false, refusal: { code: 'over' } });
    expect(await runs.cancel(other)).toMatchObject({ ok: false, refusal: { code: 'over' } });
    working[0]?.();
    await first.report;
  });

  test('one that cancels ends it and takes its place', async () => {
    const { begin, shared, eventsOf, until, working } = runsOf();
    const first = await begin(WORKS);
    await until(1);
    const second = await begin(WORKS, { onBusy: 'cancel' });
    const [one, other] = [first.started.run_id, second.started.run_id];
    expect(await first.report).toMatchObject({ status: 'failed', error: { kind: 'cancelled' } });
    expect(await eventsOf(one)).toContainEqual(
      expect.objectContaining({ type: 'run_cancelled', by: expect.stringContaining(other) }),
    );
    await until(2);
    working[1]?.();
    expect((await second.report).status).toBe('returned');
    expect(await shared(other)).toMatchObject([{ run_id: one, how: 'cancelled' }]);
  });

  test('one that waits can be cancelled', async () => {
    const { begin, until, working, runs } = runsOf();
    const first = await begin(WORKS);
    await until(1);
    const second = await begin(WORKS);
    await runs.cancel(second.started.run_id);
    expect(await second.report).toMatchObject({ status: 'failed', error: { kind: 'cancelled' } });
    expect(working).toHaveLength(1);
    working[0]?.();
    await first.report;
  });
});

describe('a suspended run', () => {
  test('has its key until it ends', async () => {
    const { begin, runs, statusOf } = runsOf();
    const first = await begin(ASKS);
    expect((await first.report).status).toBe('suspended');
    expect((await (await begin(ASKS, { onBusy: 'skip' })).report).status).toBe('skipped');
    await runs.cancel(first.started.run_id);
    expect((await (await begin(ASKS, { onBusy: 'skip' })).report).status).toBe('suspended');
    expect(await statusOf(first.started.run_id)).toBe('failed');
  });

  test('does not have it with `keyWhile`, and waits for it before it continues', async () => {
    const { begin, runs, until, working, directory } = runsOf();
    const first = await begin(ASKS, { keyWhile: 'running' });
    await first.report;
    expect(keyHolder(directory, 'deploy prod')).toBeNull();
    const second = await begin(WORKS);
    await until(1);
    const { run_id } = first.started;
    unwrap(await runs.answer(run_id, { go: 'yes' }));
    const resumed = runs.resume(run_id);
    expect(keyHolder(directory, 'deploy prod')).toMatchObject({ run_id: second.started.run_id, status: 'running' });
    expect(unwrap(await runs.inspect(run_id)).status).not.toBe('returned');
    working[0]?.();
    expect(await unwrap(await resumed).report).toMatchObject({ status: 'returned', returned: 'yes' });
  });
});

describe('whatever happens to a run that has a key', () => {
  const RUN = '01975c3a-5b9e-7c2f-9d1a-3f0e6b8c4d21';
  const OTHER = '01975c3a-5b9e-7c2f-9d1a-3f0e6b8c4d22';

  function claimed(lastEvent: string | null) {
    const { directory } = runsOf();
    const folder = join(directory, 'runs', RUN);
    return {
      directory,
      async claim(period?: 'running') {
        const key = { name: 'k', ...(period === undefined ? {} : { while: period }) };
        const first = await claimKey(directory, key, RUN);
        if ('holder' in first) throw new Error('it is held');
        first.release();
        if (lastEvent === null) return;
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, 'run.json'), '{}');
        const line =
          lastEvent === '' ? '' : journalLine({ type: lastEvent } as RunEvent, 1, '2030-01-01T00:00:00.000Z');
        writeFileSync(
          join(folder, 'journal.ndjson'),
          `${line}
`,
        );
      },
    };
  }

  test.each([
    ['it never began', null, null],
    ['its process died', '', 'killed'],
    ['its process died later', 'state_entered', 'killed'],
    ['it was interrupted', 'run_interrupted', 'interrupted'],
    ['it is suspended', 'run_suspended', 'suspended'],
    ['it has returned', 'run_returned', null],
    ['it has failed', 'run_failed', null],
    ['it was skipped', 'run_skipped', null],
  ])('%s', async (_, last, status) => {
    const { directory, claim } = claimed(last);
    await claim();
    expect(keyHolder(directory, 'k', OTHER)?.status ?? null).toBe(status);
    expect(keyHolder(directory, 'k', RUN)).toBeNull();
    const other = await claimKey(directory, { name: 'k' }, OTHER);
    expect('holder' in other).toBe(status !== null);
    if (!('holder' in other)) other.release();
  });

  test('with `running`, nothing but an execution keeps the key; what its process left is known', async () => {
    const { directory, claim } = claimed('');
    await claim('running');
    expect(keyHolder(directory, 'k')).toBeNull();
    const other = await claimKey(directory, { name: 'k' }, OTHER);
    expect(other).toMatchObject({ died: RUN });
    if (!('holder' in other)) other.release();
  });

  test('of many that want a key at once, one gets it', async () => {
    const { begin, until, working } = runsOf();
    const all = await Promise.all(Array.from({ length: 6 }, () => begin(WORKS)));
    for (let count = 1; count <= all.length; count++) {
      await until(count);
      working[count - 1]?.();
    }
    const ends = await Promise.all(all.map(({ report }) => report));
    expect(ends.map(({ status }) => status)).toEqual(all.map(() => 'returned'));
  });
});

describe('a text that cannot be a key', () => {
  test.each([
    ['is empty', ''],
    ['is empty', '  \t '],
    ['control character', 'a\nb'],
    ['control character', 'a\0b'],
    ['more than 200', 'x'.repeat(1_000_000)],
  ])('%s', async (why, key) => {
    const { runs } = runsOf();
    const refused = await runs.start({ text: 'RETURN: 1\n' }, { key });
    expect(refused).toMatchObject({ ok: false, refusal: { code: 'wrong-use', message: expect.stringContaining(why) } });
  });

  test('has a secret, or comes from inputs that make none', async () => {
    const { runs } = runsOf();
    const secret = 'INPUT: token (secret)\nRETURN: 1\n';
    const inputs = { token: 'abcdefgh12345' };
    const refused = await runs.start({ text: secret }, { inputs, key: 'with abcdefgh12345' });
    expect(refused).toMatchObject({ ok: false, refusal: { message: expect.stringContaining('secret') } });
    const empty = await runs.start({ text: 'INPUT: x = ""\nKEY: {x}\nRETURN: 1\n' });
    expect(empty).toMatchObject({ ok: false, refusal: { message: expect.stringContaining('is empty') } });
  });
});
