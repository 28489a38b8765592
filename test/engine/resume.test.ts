/** Runs of an engine are resumed from before their failure, and archived before they are removed. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { engineRuns } from '../../src/control/engine/engine-runs.js';
import { openRuns } from '../../src/control/open-runs.js';
import type { Result } from '../../src/control/result.js';
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
  return { runs, folder, here: openRuns({ folder }) };
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
