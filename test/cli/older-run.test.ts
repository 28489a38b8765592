/**
 * Every later version can resume a run of version 0.1.0. `run-directory-1` is its store: suspended, with a PARALLEL
 * half done, an output in a file and a checkpoint. It is never generated again.
 */
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type ProjectFolder, projectFolder, type Result } from './statedsl.js';

const fixture = join(dirname(dirname(fileURLToPath(import.meta.url))), 'fixtures/run-directory-1');
const id = '01a201fb-1772-7212-aed4-368b2da63041';

function older(): { one: ProjectFolder; path: string; go: (...words: string[]) => Promise<Result> } {
  const one = projectFolder({ 'last-step': '#!/bin/sh\necho "ran $STATEDSL_EFFECT_ID" >> log\necho "$1 kg, $2"\n' });
  chmodSync(join(one.folder, 'last-step'), 0o755);
  cpSync(fixture, join(one.folder, '.statedsl'), { recursive: true });
  return {
    one,
    path: join(one.folder, '.statedsl/runs', id),
    go: (...words) => one.run([...words, '--json', '--cwd', one.folder]),
  };
}

async function finishes({ one, go }: ReturnType<typeof older>): Promise<void> {
  expect(JSON.parse((await go('signal', id, 'courier', '{"name": "Bo"}')).stdout)).toMatchObject({
    status: 'suspended',
    waiting: [{ kind: 'ask', name: 'fragile', question: 'Is box 7 fragile?', choices: ['yes', 'no'] }],
  });
  const report = JSON.parse((await go('answer', id, 'fragile=yes')).stdout);
  expect(report).toMatchObject({
    run_id: id,
    status: 'returned',
    machine: 'delivery',
    state: 'SHIP',
    states: ['PACK', 'SHIP'],
    returned: '12 kg, yes',
    tracked: { attempts: 1 },
    error: null,
    effects: 6,
  });
  expect(readFileSync(join(one.folder, 'log'), 'utf8')).toBe(`ran ${id}:6\n`);
  expect((await one.run(['replay', id])).code).toBe(0);
}

describe('a run of version 0.1.0', () => {
  test('is listed and shown', async () => {
    const { one } = older();
    expect((await one.run(['runs'])).stdout).toContain(id);
    const { code, stdout } = await one.run(['show', id, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ run_id: id, status: 'suspended', state: 'SHIP', last_seq: 18 });
    expect((await one.run(['show', id, '--at', '9', '--json'])).stdout).toContain('"state":"PACK"');
  });

  test('resumes from its checkpoint', () => finishes(older()));

  test('resumes from its journal', async () => {
    const run = older();
    rmSync(join(run.path, 'checkpoint.json'));
    await finishes(run);
  });

  test('resumes after its process died in the middle of a line', async () => {
    const run = older();
    rmSync(join(run.path, 'checkpoint.json'));
    const journal = readFileSync(join(run.path, 'journal.ndjson'));
    const lines = journal.toString('latin1').split('\n');
    // Only the last event, that it was suspended, is torn.
    const whole = lines.slice(0, 17).join('\n').length + 1;
    writeFileSync(join(run.path, 'journal.ndjson'), journal.subarray(0, whole + 30));
    for (const name of readdirSync(run.path)) if (name.startsWith('lock.')) rmSync(join(run.path, name));
    writeFileSync(join(run.path, 'lock.3'), '{"pid":4194301,"startedAt":1,"boot":null}\n');
    await finishes(run);
  });

  test('fits its program', async () => {
    const { one } = older();
    const { code, stderr } = await one.run(['replay', id]);
    expect(code, stderr).toBe(0);
  });
});
