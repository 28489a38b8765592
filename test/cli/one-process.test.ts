/** One process executes a run at a time, however many try to and whatever state the last one left. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { thisOrigin } from '../../src/runtime/process/process-group.js';
import { tries } from '../amount.js';
import { inFastTime } from '../harness/fast-time.js';
import { until } from '../harness/until.js';
import { ended, type ProjectFolder, projectFolder } from './statedsl.js';

const rounds = tries(1, 10);

const text = (pause: string): string => `STATE: A
  DO: echo $STATEDSL_EFFECT_ID >> log
  WAIT: signal go
  DO: ${pause}echo $STATEDSL_EFFECT_ID >> log
  RETURN: over
`;

async function suspended(pause = ''): Promise<{ one: ProjectFolder; id: string; path: string }> {
  const one = projectFolder({ 'p.dsl': text(pause) });
  const { stdout } = await one.run(['run', 'p.dsl', '--json']);
  const id = JSON.parse(stdout).run_id;
  await one.run(['signal', id, 'go', '--no-resume']);
  return { one, id, path: join(one.folder, '.statedsl/runs', id) };
}

const lockOf = (path: string): string => readdirSync(path).find((name) => name.startsWith('lock.')) ?? '';

test('of several processes that resume a run exactly one executes it', async () => {
  for (let round = 0; round < rounds; round++) {
    // The others come while one executes it.
    const { one, id } = await suspended('sleep 0.3; ');
    const results = await Promise.all(Array.from({ length: 4 }, () => ended(one.start(['resume', id, '--json']))));
    expect(results.map(({ code }) => code)).toContain(0);
    for (const { code, stderr, stdout } of results)
      if (code === 2) expect(stderr).toMatch(/is in use by process \d+/);
      // A process that comes after the end shows the result.
      else expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, run_id: id, status: 'returned' });
    expect(readFileSync(join(one.folder, 'log'), 'utf8')).toBe(`${id}:1\n${id}:3\n`);
  }
});

describe('a lock without an owner is taken over', () => {
  test.each([
    ['of a process that died', { pid: 4194300, startedAt: 12 }],
    ['of a pid that another process has now', { pid: process.pid, startedAt: 1 }],
  ])('%s', async (_, owner) => {
    const { one, id, path } = await suspended();
    writeFileSync(join(path, lockOf(path)), JSON.stringify({ ...thisOrigin(), ...owner }));
    expect((await one.run(['resume', id])).code).toBe(0);
  });

  test('that is not whole, and whatever else is called like one', async () => {
    const { one, id, path } = await suspended();
    writeFileSync(join(path, lockOf(path)), '{"pid": 1');
    for (const name of ['lock.', 'lock.x', 'lock.Infinity', 'lock.1e308', 'lock.-1', 'lock.0', 'lock.01', 'lock.1.5'])
      writeFileSync(join(path, name), '');
    expect((await one.run(['resume', id])).code).toBe(0);
    rmSync(path, { recursive: true });
  });
});

test('a held lock is reported with its process', async () => {
  const { one, id, path } = await suspended();
  writeFileSync(join(path, lockOf(path)), JSON.stringify({ pid: process.pid, startedAt: null, boot: null }));
  const { code, stderr } = await one.run(['resume', id]);
  expect(code).toBe(2);
  expect(stderr).toContain(`is in use by process ${process.pid}`);
  expect(readFileSync(join(one.folder, 'log'), 'utf8')).toBe(`${id}:1\n`);
});

describe('an owner in another container or on another machine', () => {
  const elsewhere = { pid: 1, startedAt: 5, host: 'elsewhere', boot: 'another', pidNamespace: 'pid:[1]' };
  const touched = (path: string, secondsAgo: number): void => {
    const then = new Date(Date.now() - secondsAgo * 1000);
    utimesSync(path, then, then);
  };

  test('is alive while it gives signs of life', async () => {
    const { one, id, path } = await suspended();
    const lock = join(path, lockOf(path));
    writeFileSync(lock, JSON.stringify(elsewhere));
    touched(lock, 5);
    for (const args of [
      ['resume', id],
      ['replay', id, '--from', 'A'],
      ['gc', '--keep-last', '0', '--all'],
    ])
      await one.run(args);
    const { code, stderr } = await one.run(['resume', id]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('process 1 of another container or machine (`elsewhere`)'),
    ]);
    expect(JSON.parse((await one.run(['runs', '--json'])).stdout).runs.at(-1)).toMatchObject({ run_id: id });
    touched(lock, 30);
    expect((await one.run(['resume', id])).code).toBe(0);
    expect(
      readFileSync(join(one.folder, 'log'), 'utf8')
        .split('\n')
        .filter((line) => line === `${id}:3`),
    ).toHaveLength(1);
  });

  test('that was taken over while it stood still stops, and damages nothing', async () => {
    const one = projectFolder({
      'p.dsl': 'DO: echo one >> log\nDO: touch begun; test -f go || sleep 3\nDO: echo two >> log\nRETURN: "x"\n',
    });
    const child = one.start(['run', 'p.dsl', '--quiet']);
    for (let look = 0; look < 400 && !existsSync(join(one.folder, 'begun')); look++)
      await new Promise((resolve) => setTimeout(resolve, 25));
    child.kill('SIGSTOP');
    const id = readdirSync(join(one.folder, '.statedsl/runs')).find((name) => name.startsWith('0')) as string;
    const path = join(one.folder, '.statedsl/runs', id);
    const lock = join(path, lockOf(path));
    writeFileSync(lock, JSON.stringify(elsewhere));
    touched(lock, 30);
    one.file('go', '');
    const taken = await one.run(['resume', id, '--quiet']);
    expect(taken).toMatchObject({ code: 0, stdout: 'x\n' });
    const journal = readFileSync(join(path, 'journal.ndjson'), 'utf8');
    const end = ended(child);
    child.kill('SIGCONT');
    const { code, stderr } = await end;
    expect([code, stderr]).toEqual([1, expect.stringContaining('another process has taken over this run')]);
    expect(readFileSync(join(path, 'journal.ndjson'), 'utf8')).toBe(journal);
    expect(readFileSync(join(one.folder, 'log'), 'utf8')).toBe('one\ntwo\n');
    expect(JSON.parse((await one.run(['runs', '--json'])).stdout).runs).toMatchObject([
      { run_id: id, status: 'returned' },
    ]);
    expect((await one.run(['replay', id])).code).toBe(0);
  });
});

/** Comes back when it is so; the time limit of the test ends a wait for what never comes. */
test('a run that is executed gives signs of life', async () => {
  const one = projectFolder({ 'p.dsl': 'DO: touch begun; while [ ! -e over ]; do sleep 0.1; done\n' });
  await inFastTime(async () => {
    const end = one.run(['run', 'p.dsl', '--quiet']);
    await until(() => existsSync(join(one.folder, 'begun')));
    const path = join(one.folder, '.statedsl/runs', readdirSync(join(one.folder, '.statedsl/runs'))[0] as string);
    const before = statSync(join(path, 'lock.1')).mtimeMs;
    const text = readFileSync(join(path, 'lock.1'), 'utf8');
    await until(() => statSync(join(path, 'lock.1')).mtimeMs > before);
    expect(readFileSync(join(path, 'lock.1'), 'utf8')).toBe(text);
    writeFileSync(join(one.folder, 'over'), '');
    expect((await end).code).toBe(0);
  });
});
