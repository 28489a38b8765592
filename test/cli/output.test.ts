/** Following a run, and output that is larger than what is shown or kept in memory. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { until } from '../harness/until.js';
import { ended, projectFolder } from './statedsl.js';

test('--follow prints while the run is executed, and ends with it', async () => {
  const one = projectFolder({ 'p.dsl': 'DO: echo first\nWAIT: signal go OR timeout=60s\nDO: echo second\n' });
  const run = one.start(['run', 'p.dsl', '--suspend-after', 'never', '--quiet']);
  await until(async () => (await one.run(['output'])).stdout === 'first\n');
  const followed = ended(one.start(['output', '--follow']));
  const id = JSON.parse((await one.run(['runs', '--json'])).stdout).runs[0].run_id;
  await one.run(['signal', id, 'go']);
  expect((await ended(run)).code).toBe(0);
  expect(await followed).toMatchObject({ code: 0, stdout: 'first\nsecond\n' });
});

test('bytes arrive as they were, however many', async () => {
  const one = projectFolder({ 'p.dsl': 'DO: head -c 3000000 /dev/zero; printf "\\377\\000"\n' });
  expect((await one.run(['run', 'p.dsl', '--quiet'])).code).toBe(0);
  const { code, stdout } = await one.runProcess(['output'], { input: '' });
  expect([code, stdout.length]).toEqual([0, 3_000_002]);
});

test('a record that names a file elsewhere as an artifact does not make it readable', async () => {
  const one = projectFolder({ 'p.dsl': 'DO: head -c 100000 /dev/zero\n', 'mine.txt': 'not for anybody\n' });
  expect((await one.run(['run', 'p.dsl', '--quiet'])).code).toBe(0);
  const id = JSON.parse((await one.run(['runs', '--json'])).stdout).runs[0].run_id;
  const journal = join(one.folder, '.statedsl/runs', id, 'journal.ndjson');
  const lines = readFileSync(journal, 'utf8').replace(/"artifact":"[0-9a-f]{64}"/, '"artifact":"../../../../mine.txt"');
  const signed = lines.replace(/^(.*),"crc":"[0-9a-f]{8}"\}$/gm, (_, event: string) => {
    const crc = crc32(event).toString(16).padStart(8, '0');
    return `${event},"crc":"${crc}"}`;
  });
  writeFileSync(journal, signed);
  // Its checkpoint knows that the journal was longer.
  rmSync(join(dirname(journal), 'checkpoint.json'));
  const { code, stdout, stderr } = await one.run(['output']);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('is not read: an artifact cannot have such a name');
});
