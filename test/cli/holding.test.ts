/** One process executes a run at a time, however many want to and whatever the last one left behind. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ended, type Place, place } from './statedsl.js';

const rounds = Number(process.env.HOLDING_ROUNDS ?? 4);

const text = `STATE: A
  DO: echo $STATEDSL_EFFECT_ID >> log
  WAIT: signal go
  DO: sleep 0.3; echo $STATEDSL_EFFECT_ID >> log
  RETURN: over
`;

function suspended(): { one: Place; id: string; path: string } {
  const one = place({ 'p.dsl': text });
  const { stdout } = one.run(['run', 'p.dsl', '--json']);
  const id = JSON.parse(stdout).run_id;
  one.run(['signal', id, 'go', '--no-resume']);
  return { one, id, path: join(one.folder, '.statedsl/runs', id) };
}

const lockOf = (path: string): string => readdirSync(path).find((name) => name.startsWith('lock.')) ?? '';

test('of several processes that resume a run exactly one wins', { timeout: 20_000 + rounds * 5000 }, async () => {
  for (let round = 0; round < rounds; round++) {
    const { one, id } = suspended();
    const results = await Promise.all(Array.from({ length: 4 }, () => ended(one.start(['resume', id, '--json']))));
    const codes = results.map(({ code }) => code).sort();
    expect(codes, results.map(({ stderr }) => stderr).join('')).toEqual([0, 2, 2, 2]);
    for (const { code, stderr } of results)
      if (code === 2) expect(stderr).toMatch(/is being executed by process \d+|has already returned/);
    expect(readFileSync(join(one.folder, 'log'), 'utf8')).toBe(`${id}:1\n${id}:3\n`);
  }
});

describe('a lock that nobody holds is taken over', () => {
  test.each([
    ['of a process that died', { pid: 4194300, startedAt: 12, boot: null }],
    ['of a pid that another process has now', { pid: process.pid, startedAt: 1, boot: null }],
    ['of an earlier start of the machine', { pid: process.pid, startedAt: null, boot: 'another' }],
  ])('%s', (_, owner) => {
    const { one, id, path } = suspended();
    writeFileSync(join(path, lockOf(path)), JSON.stringify(owner));
    expect(one.run(['resume', id]).code).toBe(0);
  });

  test('that is not whole, and whatever else is called like one', () => {
    const { one, id, path } = suspended();
    writeFileSync(join(path, lockOf(path)), '{"pid": 1');
    for (const name of ['lock.', 'lock.x', 'lock.Infinity', 'lock.1e308', 'lock.-1', 'lock.0', 'lock.01', 'lock.1.5'])
      writeFileSync(join(path, name), '');
    expect(one.run(['resume', id]).code).toBe(0);
    rmSync(path, { recursive: true });
  });
});

test('a lock that somebody holds is named with its process', () => {
  const { one, id, path } = suspended();
  writeFileSync(join(path, lockOf(path)), JSON.stringify({ pid: process.pid, startedAt: null, boot: null }));
  const { code, stderr } = one.run(['resume', id]);
  expect(code).toBe(2);
  expect(stderr).toContain(`is being executed by process ${process.pid}`);
  expect(readFileSync(join(one.folder, 'log'), 'utf8')).toBe(`${id}:1\n`);
});
