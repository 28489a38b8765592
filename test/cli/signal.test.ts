/** A signal from another process reaches a run that waits for it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../harness/until.js';
import { ended, projectFolder } from './statedsl.js';

test('a live run takes a signal from its inbox', async () => {
  const one = projectFolder({
    'p.dsl': 'DO: touch begun\nWAIT: signal go OR timeout=60s\nWAIT: signal end OR timeout=60s\nRETURN: {go.from}\n',
  });
  const child = one.start(['run', 'p.dsl', '--suspend-after', 'never', '--json']);
  await until(() => readdirSync(one.folder).includes('begun'));
  const [id] = readdirSync(join(one.folder, '.statedsl/runs')).filter((name) => name !== 'index.ndjson');
  // The deadline of the wait is on record when the run awaits the signal.
  const journal = join(one.folder, '.statedsl/runs', id as string, 'journal.ndjson');
  await until(() => readFileSync(journal, 'utf8').includes('"timer_set"'));
  const told = await one.run(['signal', id as string, 'go', '{"from": "outside"}']);
  expect([told.code, told.stderr]).toEqual([0, `passed on to the process of run ${id}\n`]);
  const end = await one.run(['signal', id as string, 'end', '--json']);
  expect([end.code, JSON.parse(end.stdout)]).toEqual([0, { run_id: id, delivery: 'passed-on' }]);
  const { code, stdout } = await ended(child);
  expect([code, JSON.parse(stdout).returned]).toEqual([0, 'outside']);
});
