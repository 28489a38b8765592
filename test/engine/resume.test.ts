/** Runs of an engine are resumed from before their failure, and archived before they are removed. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openRuns } from '../../src/app/open-runs.js';
import type { Result } from '../../src/app/result.js';
import { EngineFailure, engineClient } from '../../src/engine/client.js';
import type { Submission } from '../../src/engine/messages.js';
import { refuseResumer } from '../../src/engine/refusals.js';
import { engineRuns } from '../../src/engine/runs/engine-runs.js';
import { removeFromEngine } from '../../src/engine/runs/remove-from-engine.js';
import type { CommandFunction } from '../../src/runtime/command-function.js';
import { liveEngine, NAMESPACE } from './live-engine.js';

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.refusal));
  return result.value;
}

const refusal = (result: Result<unknown>) => (result.ok ? null : result.refusal.code);

async function runsOf(commands: Readonly<Record<string, CommandFunction>>) {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-resume-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const on = await liveEngine(commands);
  const runs = engineRuns({ folder, on, namespace: NAMESPACE, commands });
  const client = engineClient({ url: on, namespace: NAMESPACE, token: null, patienceMs: 300_000 });
  return { runs, folder, here: openRuns({ folder }), client };
}

test('a failed run goes on from before its failure, and its record replays', async () => {
  const called: string[] = [];
  const commands = {
    first: () => void called.push('first'),
    flaky: () => {
      called.push('flaky');
      if (called.length < 3) throw new Error('not now');
      return 'done';
    },
  };
  const { runs, here } = await runsOf(commands);
  const started = value(await runs.start({ text: 'DO: first\nDO: x = flaky\nRETURN: {x}\n' }, { person: 'ann' }));
  const { run_id } = started.started;
  expect((await started.report).status).toBe('failed');
  expect(refusal(await runs.resume(run_id, { person: 'eve' }))).toBe('wrong-use');
  const resumed = value(await runs.resume(run_id, { person: 'tester' }));
  expect(await resumed.report).toMatchObject({ status: 'returned', returned: 'done' });
  expect(called).toEqual(['first', 'flaky', 'flaky']);
  expect(value(await runs.compare(run_id)).status).toBe('same');
  expect(value(await here.inspect(run_id))).toMatchObject({ status: 'returned', effects: 2 });
  expect((await runs.list()).ok).toBe(true);
  expect(refusal(await runs.resume(run_id))).toBe('over');
});

test('a run that has not ended is resumed only with other limits', async () => {
  const { runs } = await runsOf({});
  const text = 'ASK user: "Go on?" → ok\nASK user: "Again?" → more\nRETURN: {ok} {more}\n';
  const started = value(await runs.start({ text }, { person: 'ann', limits: { transitions: 50 } }));
  const { run_id } = started.started;
  expect((await started.report).status).toBe('suspended');
  expect(refusal(await runs.resume(run_id))).toBe('wrong-use');
  await value(await runs.resume(run_id, { limits: { transitions: 60 }, person: 'ann' })).report;
  value(await runs.answer(run_id, { ok: 'yes' }));
  value(await runs.answer(run_id, { more: 'no' }));
  const inspected = value(await runs.inspect(run_id));
  expect(inspected).toMatchObject({ status: 'returned', returned: 'yes no' });
});

test('what is archived is copied before it is removed', async () => {
  const { runs, folder, here } = await runsOf({});
  const ids: string[] = [];
  for (const text of ['RETURN: a\n', 'RETURN: b\n']) {
    const started = value(await runs.start({ text }, { person: 'ann' }));
    ids.push(started.started.run_id);
    await started.report;
  }
  const store = (): string[] => readdirSync(join(folder, '.statedsl/runs')).filter((name) => ids.includes(name));
  expect(value(await runs.remove({ keepLast: 1, archive: true, dryRun: true })).removed).toHaveLength(1);
  expect(value(await runs.list()).runs).toHaveLength(2);
  expect(value(await runs.remove({ keepLast: 1, archive: true })).removed).toMatchObject([{ run_id: ids[0] }]);
  expect([store(), value(await runs.list()).runs.length]).toEqual([[ids[0]], 1]);
  expect(value(await here.inspect(ids[0] as string))).toMatchObject({ returned: 'a' });
});

test('a wish to end a run that came too late does not end the resumed one', async () => {
  let calls = 0;
  let end = (): void => undefined;
  const running = new Promise<void>((resolve) => {
    end = resolve;
  });
  const flaky = async () => {
    calls++;
    await running;
    if (calls === 1) throw new Error('not now');
    return 'done';
  };
  const { runs, client } = await runsOf({ flaky });
  const started = value(await runs.start({ text: 'DO: x = flaky\nRETURN: {x}\n' }, { person: 'ann' }));
  const { run_id } = started.started;
  await expect.poll(() => calls).toBe(1);
  await client.deliver(run_id, [{ kind: 'cancel', by: 'ann' }]);
  end();
  expect((await started.report).error?.kind).toBe('tool_failure');
  expect(await value(await runs.resume(run_id, { person: 'ann' })).report).toMatchObject({ returned: 'done' });
});

test('a run that is resumed while it is archived stays, and one that is gone is no failure', async () => {
  let calls = 0;
  const flaky = () => {
    calls++;
    throw new Error('not now');
  };
  const { runs, client } = await runsOf({ flaky });
  const ids: string[] = [];
  for (const text of ['DO: x = flaky\nRETURN: {x}\n', 'RETURN: a\n']) {
    const started = value(await runs.start({ text }, { person: 'ann' }));
    ids.push(started.started.run_id);
    await started.report;
  }
  const listed = await client.list(2);
  const [failed = '', returned = ''] = ids;
  const copy = async (run: string): Promise<string> => {
    if (run === failed) await value(await runs.resume(failed, { person: 'ann' })).report;
    return run;
  };
  const asListed = { ...client, list: async () => listed };
  const removed = await removeFromEngine({ client: asListed, copy }, { keepLast: 0, archive: true });
  expect([removed.removed.length, removed.kept.map(({ run_id }) => run_id), calls]).toEqual([1, [failed], 2]);
  expect(await client.status(returned)).toBeNull();
  const again = await removeFromEngine({ client: asListed, copy: async (run) => run }, { keepLast: 0, archive: true });
  expect([again.removed.length, await client.status(failed)]).toEqual([2, null]);
});

test('runs that are removed are listed although another one cannot be copied', async () => {
  const { runs, client, folder } = await runsOf({});
  const ids: string[] = [];
  for (const text of ['RETURN: a\n', 'RETURN: b\n', 'RETURN: c\n']) {
    const started = value(await runs.start({ text }, { person: 'ann' }));
    ids.push(started.started.run_id);
    await started.report;
  }
  const [a = '', b = '', c = ''] = ids;
  const store = join(folder, '.statedsl/runs');
  mkdirSync(store, { recursive: true, mode: 0o700 });
  writeFileSync(join(store, b), 'a file where its folder would be');
  const { removed, kept } = value(await runs.remove({ keepLast: 0, archive: true }));
  expect(removed.map(({ run_id }) => run_id)).toEqual([c, a]);
  expect(kept).toMatchObject([{ run_id: b, problem: expect.stringContaining(b) }]);
  expect(await client.status(b)).not.toBeNull();
  const gone = async (): Promise<never> => {
    throw new EngineFailure('absent', null, 'no engine answers');
  };
  const broken = await removeFromEngine({ client: { ...client, status: gone }, copy: gone }, { keepLast: 0 });
  expect(broken.kept).toMatchObject([{ run_id: b, problem: 'no engine answers' }]);
  expect(await runs.resume(a)).toMatchObject({
    refusal: { help: expect.stringContaining(`replay ${a} --from POINT`) },
  });
});

test('a run of a home is resumed by who submitted it, or by whom the other workers accept, too', () => {
  const about = { header: { runId: 'a' }, home: 'mac', by: 'ann (unverified)' } as Submission;
  const by =
    (name: string, submitters: readonly string[] | null, of: Submission = about) =>
    () =>
      refuseResumer(of, name, { environment: {}, functions: null, submitters });
  expect(by('bob', null)).toThrow('so only ann can resume it');
  expect(by('bob', ['ann'])).toThrow('so only ann can resume it');
  for (const accepted of [by('ann', null), by('ann (unverified)', []), by('bob', ['bob'])])
    expect(accepted).not.toThrow();
  const { home: _, ...general } = about;
  expect(by('bob', null, general)).not.toThrow();
  expect(by('bob', ['ann'], general)).toThrow('the workers execute no programs of bob');
});
